// Offers the catalogue's workflows to a server.
//
//     const catalog::ProcessResources process(options, note);
//     catalog::RunResources(process).prepare_agent(true);   // throws for wrong options
//     CatalogWorkflows catalogue(process);
//     auto all = catalogue.offer({"hello", "react"});       // without names: all workflows
//
// All runs share engine, model, database and tools. Each run has its own memory or its conversation's, and starts a
// scripted model from the beginning. The newest conversations stay in memory.
#pragma once
#include "steps/agents/memory/memory.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/server/runs/served_workflow.hpp"
#include <list>
#include <unordered_map>

namespace weft::server {
/// Memories by the id of their conversation. Beyond the maximum count or bytes the least recently used memory goes.
class Conversations {
public:
    explicit Conversations(std::size_t most = 1000, std::size_t most_bytes = 256 << 20)
        : most_(most), most_bytes_(most_bytes) {}
    /// The conversation's memory, created if needed; an empty id gets a new memory.
    std::shared_ptr<agents::Memory> memory(const std::string& id);
    std::size_t size() const { return by_id_.size(); }

private:
    using MemoryEntry = std::pair<std::string, std::shared_ptr<agents::ConversationMemory>>;
    void forget_oldest();
    const std::size_t most_, most_bytes_;
    std::list<MemoryEntry> newest_first_;
    std::unordered_map<std::string, std::list<MemoryEntry>::iterator> by_id_;
};
class CatalogWorkflows {
public:
    /// `process` must outlive the runs.
    explicit CatalogWorkflows(const catalog::ProcessResources& process) : process_(process) {}
    /// Throws Error{usage} for an unknown name.
    std::vector<ServedWorkflow> offer(const std::vector<std::string>& names = {});

private:
    std::shared_ptr<catalog::RunResources> resources_for(const RunRequest&);
    const catalog::ProcessResources& process_;
    Conversations conversations_;
};
}
