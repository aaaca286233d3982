// Several models in a row: the next one is asked when the one before it is not available.
//
//     FallbackModel model({make_model(first, settings), make_model(second, settings)});
//     auto reply = co_await model.chat(request);               // reply.answered_by says who replied
//
// A model is not available if its server is unreachable, in trouble, at a limit, or does not answer (is_availability in
// steps/models/model_error.hpp), after the model's own retries. While there is another one to ask, no wait is longer
// than `longest_wait`, and a name that does not resolve is not looked up again: the next model is asked at once. The
// last one is waited for as if it were alone.
//
// No other model is asked for what is wrong with the request, the key or the account: a prompt that is too long, tools
// that cannot be called, a refusal and a reply that broke off are errors of the model that was asked. Nor is one asked
// once a delta has been delivered, unless the request wants a restart. A note is sent for each change of the
// model. The error in the end is that of the last one asked, and its sentence names all.
#pragma once
#include "steps/models/chat_model.hpp"
#include <memory>

namespace weft::models {
class FallbackModel final : public ChatModel {
public:
    /// Throws Error{usage} for none.
    explicit FallbackModel(std::vector<std::shared_ptr<ChatModel>>,
                           std::chrono::nanoseconds longest_wait = std::chrono::seconds(5));
    std::string name() const override;  // openai:gpt-4o-mini, else ollama:llama3.2
    bool calls_tools() const override { return models_.front()->calls_tools(); }
    using ChatModel::chat;
    awaitable<ChatReply> chat(const ChatRequest&, const OnDelta&) override;

private:
    const std::vector<std::shared_ptr<ChatModel>> models_;
    const std::chrono::nanoseconds longest_wait_;
};
}
