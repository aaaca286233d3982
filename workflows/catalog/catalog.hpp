// The workflows that can be run by name, with everything in JSON.
//
//     const auto& entry = find_workflow("hello");                      // throws Error{usage} that lists what there is
//     auto run = entry.run(here, {{"text", "World"}}, {});
//     auto greeting = here.process().engine().wait(run.result());                // {"text": "Hello, World!"}
//
// With a store (AgentOptions::store_file) runs are kept there.
// A workflow is added by one line in workflows/catalog/catalog.cpp.
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
struct Entry {
    std::string_view name, description;
    bool has_model = false, has_tools = false, has_database = false;  // whether its steps use that
    bool has_dialect = false;                                         // whether it reads replies of one
    /// For drawings and questions about it (engine/graph.hpp, engine/event_json.hpp), and for its slots; it cannot be
    /// run.
    const Definition& (*outline)();
    /// The definition under which its runs are stored: to put a run into a store, or to compare a stored run with it.
    /// It has no resources, so none of its steps may be called.
    const std::shared_ptr<const Definition>& (*stored)();
    /// Throws Error{bad_json} for an input that does not make a start event.
    JsonRun (*run)(RunResources&, const nlohmann::json& input, const RunOptions&);
    /// Goes on with a run of the process's store, which began with this input (kept_run.hpp).
    JsonRun (*resume)(RunResources&, const std::string& id, const nlohmann::json& input, const RunOptions&);
    /// Calls the steps of a stored run again (engine/replay.hpp). With AgentOptions::only_replays nobody is asked.
    Replayed (*replay)(RunResources&, const storage::History&, const nlohmann::json& input);
};
const std::vector<Entry>& entries();
const Entry& find_workflow(std::string_view name);
}
