// The faulty answer stays in the conversation, with what is wrong: models repair better than they begin anew.
#include "steps/structured/ask_for.hpp"
#include "engine/error.hpp"
#include "engine/utf8.hpp"

namespace weft::steps {
namespace {
/// The form goes into the first instruction, so that a prompt has one.
void instruct(std::vector<llm::Message>& messages, const std::string& instruction) {
    if (!messages.empty() && messages.front().role == llm::Role::system)
        messages.front().content += "\n\n" + instruction;
    else messages.insert(messages.begin(), llm::instruction(instruction));
}
awaitable<llm::ChatReply> ask_once(llm::ChatModel& model, llm::ChatRequest request) {
    auto reply = co_await model.chat(request);
    co_return reply;
}
}

std::string repair_words(const std::string& mistake) {
    return "This answer does not fit its schema: " + mistake + ". Send the whole answer again, as JSON that fits.";
}
awaitable<nlohmann::json> ask_json(AskFor ask, llm::ChatRequest request, std::shared_ptr<const AnswerForm> form,
                                   int repairs) {
    instruct(request.messages, form->instruction());
    request.schema = form->schema();
    for (int tries = 0;; ++tries) {
        auto asking = ask(request);
        auto reply = co_await std::move(asking);
        if (reply.finish == llm::FinishReason::refused)
            throw Error(Code::model_refused, "the model refuses to reply to this" +
                                                 (reply.text.empty() ? "" : ": " + excerpt(reply.text, 300)));
        auto read = form->read(reply.text);
        if (reply.finish == llm::FinishReason::length)
            read.mistake = "it was cut off, because it is longer than the model may write";
        if (read.mistake.empty()) co_return std::move(read.value);
        if (tries >= repairs)
            throw Error(Code::model_failed, "the model gave no answer that fits the schema in " +
                                                std::to_string(tries + 1) + " tries; the last one: " + read.mistake);
        request.messages.push_back(reply.message());
        request.messages.push_back(llm::user(repair_words(read.mistake)));
    }
}
awaitable<nlohmann::json> ask_json(llm::ChatModel& model, llm::ChatRequest request,
                                   std::shared_ptr<const AnswerForm> form, int repairs) {
    const auto ask = [&model](llm::ChatRequest one) { return ask_once(model, std::move(one)); };
    return ask_json(AskFor(ask), std::move(request), std::move(form), repairs);
}
}
