// The resources that all runs of a process share: engine, store, database, tools and the chosen model. Each is made at
// its first use and never replaced: a command that needs no database opens none.
//
//     const ProcessResources process(options, note);       // note: reports automatic choices
//     auto run = process.engine().start(research.with(process.database()), topic);
//
// One thread at a time makes resources: a process with many runs makes those of agents first
// (RunResources::prepare_agent).
#pragma once
#include "engine/schedule/targets.hpp"
#include "engine/store/note.hpp"
#include "workflows/catalog/options.hpp"
#include <memory>

namespace weft {
class Engine;
class Observer;
class Store;
namespace tools {
class Database;
class Registry;
}
}
namespace weft::catalog {
class AgentSettings;
class Models;
struct ProcessOptions {
    /// Called some times a second while servers of tools start; may throw to stop this.
    std::function<void()> while_starting;
    std::optional<std::string> only_tool;            // start only the server that may have this tool
    Observer* observer = nullptr;                    // observes all runs; must outlive the resources
    StoreNotes store_notes;                          // the store's notes, for a process that survives its failures
    std::optional<std::chrono::milliseconds> lease;  // EngineOptions::lease
    /// For a worker: the engine sends this text with each heartbeat, and removes idle runs from memory.
    std::function<std::string()> tells;
    schedule::OnFiring on_firing;  // gets the outcomes of schedules
};
class ProcessResources {
public:
    ProcessResources(AgentOptions, OnChoice, ProcessOptions = {});
    ~ProcessResources();
    ProcessResources(const ProcessResources&) = delete;
    const AgentOptions& options() const;
    bool keeps_runs() const { return !options().store_file.empty(); }
    /// Opens the store first, if the options name one. Throws as open_store does (open_store.hpp).
    Engine& engine() const;
    Store* store() const;                          // the engine's; null: runs are not stored
    const schedule::Schedules& schedules() const;  // of the workflows of the catalogue
    tools::Database& database() const;
    tools::Registry& tools() const;  // the tools that --tools names
    Models& models() const;
    std::string model_name() const;                        // same as Models::name(); empty before models() is called
    const std::shared_ptr<AgentSettings>& agents() const;  // for runs with the options of the process

private:
    struct Parts;
    const std::unique_ptr<Parts> parts_;
};
}
