// Reads the events of a run until there is something to answer, for the OpenAI-compatible routes.
//
//     AnswerText answer(model, request.stream);
//     while (answer.state() == AnswerText::State::running)
//         if (auto event = co_await run.next_event()) out += stream.piece(answer.feed(*event));
//     if (answer.state() == AnswerText::State::failed) out += stream.fail(answer.error());
//     else out += stream.finish(answer.finish(), answer.usage());
//
// feed() returns what is certain to be of the answer and was not returned before; mostly nothing. Together the pieces
// are exactly the answer. If `live`, an agent's answer is given while it is written (AnswerDeltaEvent); what may yet
// turn out to be a thought, as all that a model with native tool calls writes (ReplyDeltaEvent), comes at the end in
// one piece. Give false for an answer that nobody reads while it comes, and for an agent whose answer is put into
// another form afterwards (ToolAgentOptions::form).
//
// What was given cannot be taken back. If an agent begins its answer anew, because the reply was cut off or the model
// was asked again after a break, nothing is given until the new text has repeated what was given, and then what goes
// beyond. If the new one is different, the state is failed at the end, with the code answer_withdrawn: half of one
// answer and half of another would be none. Without `live` that cannot happen.
//
// A question to a human ends it too (asked): the text is the question, behind a blank line if something was given. The
// run is not over then: it waits, and the caller has to leave it to be answered elsewhere, or cancel it. A run that
// fails, is cancelled or times out: failed. A stop event without its text is answered by its JSON.
//
// The usage is that of the stop event if it has one, as agents' have; else what the events have told together, so at
// least that. Keeps the answer, and nothing else that grows. One thread at a time; nothing is thrown for any event.
#pragma once
#include "workflows/server/openai/models.hpp"
#include "workflows/server/openai/reply.hpp"
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace weft::server {
class AnswerText {
public:
    enum class State { running, answered, asked, failed };
    explicit AnswerText(const OpenaiModel&, bool live);
    std::string feed(const AnyEvent&);
    /// The same for an event as it was stored or sent, by its name in the engine.
    std::string feed(std::string_view type, const nlohmann::json& value, bool is_question);
    /// For a run whose stream ends, or cannot be read any further, without a terminal event. Nothing if it has ended.
    void fail(OpenaiError);

    State state() const { return state_; }
    /// What all pieces together are.
    const std::string& text() const { return text_; }
    OpenaiFinish finish() const { return finish_; }
    const models::Usage& usage() const { return usage_; }
    OpenaiAnswer answer() const { return {text_, finish_, usage_}; }
    const OpenaiError& error() const { return error_; }  // failed

private:
    std::string hear(std::string_view delta);
    void start_anew();
    std::string end(const nlohmann::json& stop);
    std::string give(std::string piece);

    const std::string answer_field_, stop_name_;
    const bool live_;
    State state_ = State::running;
    std::string text_;        // given
    std::string cut_;         // the begin of a character
    std::size_t heard_ = 0;   // bytes of the reply that is being written
    bool different_ = false;  // it is not what was given
    OpenaiFinish finish_ = OpenaiFinish::stop;
    models::Usage usage_;
    OpenaiError error_;
};
}
