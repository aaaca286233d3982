// A workflow that a server offers: its name, its declaration, and functions that start and resume its runs.
//
//     std::vector<ServedWorkflow> all{offer(engine, hello, "greets a person")};
//     all.push_back(offer(engine, research.with(database), "surveys a database"));
//
// The resources of with(...) must outlive the engine. CatalogWorkflows (catalog_workflows.hpp) offers the catalogue's
// workflows, with a separate memory for each run.
#pragma once
#include "engine/engine.hpp"
#include "engine/json_run.hpp"
#include <memory>
#include <nlohmann/json.hpp>

namespace weft::server {
/// A client's request for a run.
struct RunRequest {
    nlohmann::json input = nlohmann::json::object();
    std::string handler;       // the run's id for clients
    std::string conversation;  // runs of one conversation share questions and answers; empty: none
    std::vector<std::pair<std::string, std::string>> history;  // questions and answers before this one
    std::size_t bytes = 0;                                     // size of the whole request
};
struct StartedRun {
    JsonRun run;
    std::shared_ptr<void> needs;  // must live until the run has ended
};
struct ServedWorkflow {
    std::string name, description;
    const Definition* definition = nullptr;  // outlives the server
    bool stores_runs = false;                // true: the engine's store keeps the runs
    /// Whether the texts that an agent streams are parts of its answer. False if a last step changes the answer's form.
    bool streams_answers = true;
    /// Called on the server's loop. Throws Error{bad_json} or Error{usage} for an invalid input.
    std::function<StartedRun(const RunRequest&, const RunOptions&)> start = nullptr;
    /// Continues a stored run.
    std::function<StartedRun(const std::string& id, const RunRequest&, const RunOptions&)> resume = nullptr;
};

/// The engine must outlive the result.
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
