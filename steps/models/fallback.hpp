// Several models in order: if one is unavailable, the next one is asked.
//
//     FallbackModel model({make_model(first, settings), make_model(second, settings)});
//     auto reply = co_await model.chat(request);               // reply.answered_by names the model that replied
//
// A model is unavailable if its server is unreachable, in trouble, at a limit or silent (is_availability in
// steps/models/model_error.hpp), after the model's own retries. Before the last model no wait is longer than
// `longest_wait`, and no host name is looked up twice: the next model is asked immediately. The last model waits as if
// it were alone.
//
// Faults of the request, the key or the account end the call: no other model is asked after a prompt that is too long,
// unsupported tools, a refusal, or a reply that broke off. The same holds after the first delta, unless the request
// allows a restart. Each change of the model sends a note. The error is the last model's, and its sentence includes
// those of all models.
#pragma once
#include "steps/models/chat_model.hpp"
#include <memory>

namespace weft::models {
class FallbackModel final : public ChatModel {
public:
    /// Throws Error{usage} for an empty list.
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
