// Replacements of a model and a memory for the replay of a stored run: they need no key, open no connection and invent
// no data. A step that needs data which were not recorded cannot be repeated.
#pragma once
#include "steps/agents/memory/memory.hpp"
#include "steps/models/chat_model.hpp"

namespace weft::catalog {
/// Has the name and the abilities of a run's model. A request throws Error{cancelled}.
class PlaceholderModel final : public models::ChatModel {
public:
    /// Takes a name in the form of --model. Throws Error{configuration} for an unreadable script.
    explicit PlaceholderModel(const std::string& name);
    std::string name() const override { return name_; }
    bool calls_tools() const override { return calls_tools_; }
    using ChatModel::chat;
    awaitable<models::ChatReply> chat(const models::ChatRequest&, const models::OnDelta&) override;

private:
    std::string name_;
    bool calls_tools_ = true;
};

/// The contents of the memory at the start of the run are unknown.
class PlaceholderMemory final : public agents::Memory {
public:
    std::vector<models::Message> read(std::string_view question) override;
    void append(const std::string&, agents::Exchange) override {}
};
}
