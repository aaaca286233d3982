// The workflows that can be run by name, with JSON as input and output.
//
//     const auto& entry = find_workflow("hello");                      // throws Error{usage} that lists all names
//     auto run = entry.run(here, {{"text", "World"}}, {});
//     auto greeting = here.process().engine().wait(run.result());                // {"text": "Hello, World!"}
//
// A store (AgentOptions::store_file) keeps the runs. A new workflow is a line in workflows/catalog/catalog.cpp.
#pragma once
#include "engine/json_run.hpp"
#include <memory>
#include <string_view>
#include <vector>

namespace weft {
struct Replayed;
namespace storage {
struct History;
}
}
namespace weft::catalog {
class RunResources;
struct CatalogEntry {
    std::string_view name, description;
    bool has_model = false, has_tools = false, has_database = false;  // its steps use these
    bool has_dialect = false;                                         // a dialect reads its replies
    /// For drawings, schemas (engine/graph.hpp, engine/event_json.hpp) and slots; it cannot be run.
    const Definition& (*outline)();
    /// The definition of its stored runs: to put a run into a store, or to compare a stored run with it. It has no
    /// resources, so none of its steps may be called.
    const std::shared_ptr<const Definition>& (*stored)();
    /// Throws Error{bad_json} for an input that does not make a start event.
    JsonRun (*run)(RunResources&, const nlohmann::json& input, const RunOptions&);
    /// Resumes a run of the process's store, which began with this input (kept_run.hpp).
    JsonRun (*resume)(RunResources&, const std::string& id, const nlohmann::json& input, const RunOptions&);
    /// Calls the steps of a stored run again (engine/replay.hpp). AgentOptions::only_replays prevents calls of models.
    Replayed (*replay)(RunResources&, const storage::History&, const nlohmann::json& input);
};
const std::vector<CatalogEntry>& entries();
/// Throws Error{usage} for an unknown name. `schedules_too`: also finds schedule_entry().
const CatalogEntry& find_workflow(std::string_view name, bool schedules_too = false);
/// The workflow of schedules (engine/schedule/workflow.hpp). Not among entries(), because schedule::add starts it.
const CatalogEntry& schedule_entry();
/// Also finds schedule_entry(). Null: no workflow has this name.
const CatalogEntry* find_stored_workflow(std::string_view name);
}
