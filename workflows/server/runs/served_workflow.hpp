// A workflow as a server offers it: by a name, with its declaration, and how a run of it is begun.
//
//     std::vector<ServedWorkflow> all{offer(engine, hello, "greets whoever is named")};
//     all.push_back(offer(engine, research.with(database), "surveys a database"));
//
// What the runs need, which is what with(...) was given, outlives the engine. CatalogWorkflows (catalog_workflows.hpp)
// are those of the catalogue, with a memory of its own for each run.
#pragma once
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/json_run.hpp"
#include <memory>
#include <nlohmann/json.hpp>

namespace weft::server {
/// What somebody who asks for a run says.
struct RunRequest {
    nlohmann::json input = nlohmann::json::object();
    std::string handler;       // the id that clients know the run by
    std::string conversation;  // runs with the same id remember each other's questions and answers; empty: none
    std::vector<std::pair<std::string, std::string>> history;  // questions and answers before this one
    std::size_t bytes = 0;                                     // of all that was sent
};
struct StartedRun {
    JsonRun run;
    std::shared_ptr<void> needs;  // what has to be there until the run has ended
};
struct ServedWorkflow {
    std::string name, description;
    const Definition* definition = nullptr;  // for its events and its graph; outlives the server
    bool stores_runs = false;                // in the engine's store
    /// What an agent streams of its answer is a part of it. Not so if the answer is put into another form at the end.
    bool streams_answers = true;
    /// On the server's loop. Throws Error{bad_json} or Error{usage} for an input that does not fit.
    std::function<StartedRun(const RunRequest&, const RunOptions&)> start;
    /// Goes on with a stored run.
    std::function<StartedRun(const std::string& id, const RunRequest&, const RunOptions&)> resume;
};

/// The engine outlives it.
template <class W> ServedWorkflow offer(Engine& engine, const Bound<W>& workflow, std::string description = {}) {
    ServedWorkflow served{.name = std::string(workflow.definition->name), .description = std::move(description)};
    const std::shared_ptr<const Definition> definition = workflow.definition;
    served.definition = definition.get();
    served.stores_runs = definition->durable != nullptr;
    served.start = [&engine, definition](const RunRequest& request, const RunOptions& options) {
        return StartedRun{start_json(engine, definition, request.input, options), nullptr};
    };
    served.resume = [&engine, definition](const std::string& id, const RunRequest&, const RunOptions& options) {
        return StartedRun{resume_json(engine, definition, id, options), nullptr};
    };
    return served;
}
template <auto... Fn>
ServedWorkflow offer(Engine& engine, const Workflow<Fn...>& workflow, std::string description = {}) {
    return offer(engine, Bound<Workflow<Fn...>>(workflow), std::move(description));
}
}
