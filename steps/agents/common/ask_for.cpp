// The faulty answer and its mistake stay in the conversation, because models repair better than they start again.
#include "steps/agents/common/ask_for.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/answer.hpp"

namespace weft::agents {
namespace {
/// Adds the form to the first instruction, so that the prompt has a single one.
void instruct(std::vector<models::Message>& messages, const std::string& instruction) {
    if (!messages.empty() && messages.front().role == models::Role::system)
        messages.front().content += "\n\n" + instruction;
    else messages.insert(messages.begin(), models::instruction(instruction));
}
awaitable<models::ChatReply> ask_once(models::ChatModel& model, models::ChatRequest request) {
    auto reply = co_await model.chat(request);
    co_return reply;
}
}

std::string repair_words(const std::string& mistake) {
    return "This answer does not fit its schema: " + mistake + ". Send the whole answer again, as JSON that fits.";
}
awaitable<nlohmann::json> ask_json(AskModel ask, models::ChatRequest request, std::shared_ptr<const AnswerForm> form,
                                   int repairs) {
    instruct(request.messages, form->instruction());
    request.schema = form->schema();
    for (int tries = 0;; ++tries) {
        auto reply = co_await ask(request);
        if (reply.finish == models::FinishReason::refused)
            throw Error(Code::model_refused, "the model refuses to reply to this" +
                                                 (reply.text.empty() ? "" : ": " + excerpt(reply.text, 300)));
        AnswerForm::FormValue read;
        read.mistake = lack_of(reply);
        if (read.mistake.empty()) read = form->read(reply.text);
        if (reply.finish == models::FinishReason::length)
            read.mistake = "it was cut off, because it is longer than the model may write";
        if (read.mistake.empty()) co_return std::move(read.value);
        if (tries >= repairs)
            throw Error(Code::model_failed, "the model gave no answer that fits the schema in " +
                                                std::to_string(tries + 1) + " tries; the last one: " + read.mistake);
        if (!is_blank(reply.text)) request.messages.push_back(reply.message());
        request.messages.push_back(models::user(repair_words(read.mistake)));
    }
}
awaitable<nlohmann::json> ask_json(models::ChatModel& model, models::ChatRequest request,
                                   std::shared_ptr<const AnswerForm> form, int repairs) {
    const auto ask = [&model](models::ChatRequest one) { return ask_once(model, std::move(one)); };
    return ask_json(AskModel(ask), std::move(request), std::move(form), repairs);
}
}
