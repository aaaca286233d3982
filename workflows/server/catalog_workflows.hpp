// The workflows of the catalogue, for a server.
//
//     const catalog::ProcessResources process(options, note);
//     catalog::RunResources(process).prepare_agent(true);   // throws for wrong options
//     CatalogWorkflows catalogue(process);
//     auto all = catalogue.offer({"hello", "react"});       // without names: all that there are
//
// All runs share engine, model, database and tools. Each has a memory of its own, or that of its conversation, and
// begins a script of its model anew. The newest conversations are kept in memory.
#pragma once
#include "steps/agents/memory/memory.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/server/runs/served_workflow.hpp"
#include <list>
#include <unordered_map>

namespace weft::server {
/// Memories by the id of their conversation. If there are too many, or of too many bytes together, the one that was
/// used longest ago goes first.
class Conversations {
public:
    explicit Conversations(std::size_t most = 1000, std::size_t most_bytes = 256 << 20)
        : most_(most), most_bytes_(most_bytes) {}
    /// That of the id, perhaps new; without an id one that nobody else has.
    std::shared_ptr<agents::Memory> memory(const std::string& id);
    std::size_t size() const { return by_id_.size(); }

private:
    using Kept = std::pair<std::string, std::shared_ptr<agents::ConversationMemory>>;
    void forget_oldest();
    const std::size_t most_, most_bytes_;
    std::list<Kept> newest_first_;
    std::unordered_map<std::string, std::list<Kept>::iterator> by_id_;
};
class CatalogWorkflows {
public:
    /// Outlives the runs.
    explicit CatalogWorkflows(const catalog::ProcessResources& process) : process_(process) {}
    /// Throws Error{usage} for a name that there is not.
    std::vector<ServedWorkflow> offer(const std::vector<std::string>& names = {});

private:
    std::shared_ptr<catalog::RunResources> resources_for(const RunRequest&);
    const catalog::ProcessResources& process_;
    Conversations conversations_;
};
}
