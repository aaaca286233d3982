// Makes the answer of a run from its events, for the OpenAI-compatible routes.
//
//     AnswerText answer(model, request.stream);
//     while (answer.status() == RunStatus::running)
//         if (auto event = co_await run.next_event()) out += stream.piece(answer.feed(*event));
//     if (answer.status() == RunStatus::failed) out += stream.fail(answer.error());
//     else out += stream.finish(answer.finish(), answer.usage());
//
// feed() returns new text that certainly belongs to the answer, and is often empty. All pieces together are exactly the
// answer. If `live`, feed() streams an agent's answer (AnswerDeltaEvent); text that may still become a thought, such as
// all text of a model with native tool calls (ReplyDeltaEvent), comes at the end in one piece. Pass false for an answer
// that is not streamed, and for an agent whose last step changes the answer's form (ToolAgentOptions::form).
//
// Returned text cannot be withdrawn. If an agent restarts its answer after a broken reply, feed() returns nothing until
// the new text exceeds the returned one, and then the rest. If the new text differs, the status at the end is failed,
// with the code answer_withdrawn: a mixture of two answers would be wrong. Without `live` that cannot happen.
//
// A question to a human also ends the answer (waiting): the text is the question, after a blank line if text was
// returned before. The run still waits then: the caller cancels it, or leaves it to another source of the answer. The
// status is failed for a run that fails, is cancelled or times out. A stop event without a text answers with its JSON.
//
// The usage comes from the stop event if it has one, as for agents; else it is the sum over the events, a lower bound.
// Memory grows only with the answer. Only one thread at a time may use an object; no event throws.
#pragma once
#include "workflows/server/openai/models.hpp"
#include "workflows/server/openai/reply.hpp"
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace weft::server {
class AnswerText {
public:
    explicit AnswerText(const OpenaiModel&, bool live);
    std::string feed(const AnyEvent&);
    /// The same for a stored or sent event, by its name in the engine.
    std::string feed(std::string_view type, const nlohmann::json& value, bool is_question);
    /// Call it if the run's stream ends or breaks without a terminal event. No effect if the answer has ended.
    void fail(OpenaiError);

    RunStatus status() const { return status_; }
    /// The text of all pieces.
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
    RunStatus status_ = RunStatus::running;
    std::string text_;        // all returned text
    std::string cut_;         // begin of an incomplete character
    std::size_t heard_ = 0;   // bytes of the present reply
    bool different_ = false;  // the present reply differs from the returned text
    OpenaiFinish finish_ = OpenaiFinish::stop;
    models::Usage usage_;
    OpenaiError error_;
};
}
