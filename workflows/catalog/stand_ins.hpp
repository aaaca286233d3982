// What takes the place of a model and of a memory while a stored run is replayed: no key is needed, no connection is
// opened, and what was not recorded is not made up. A step that needs it cannot be made again.
#pragma once
#include "steps/agents/memory/memory.hpp"
#include "steps/models/chat_model.hpp"

namespace weft::catalog {
class UnaskedModel final : public models::ChatModel {
public:
    /// As --model takes it. Throws Error{configuration} for a script that cannot be read.
    explicit UnaskedModel(const std::string& name);
    std::string name() const override { return name_; }
    bool calls_tools() const override { return calls_tools_; }
    using ChatModel::chat;
    awaitable<models::ChatReply> chat(const models::ChatRequest&, const models::OnDelta&) override;

private:
    std::string name_;
    bool calls_tools_ = true;
};

/// What it held when the run began is not known any more.
class UnreadMemory final : public agents::Memory {
public:
    std::vector<models::Message> read(std::string_view question) override;
    void append(const std::string&, agents::Exchange) override {}
};
}
