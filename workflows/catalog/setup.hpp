// The resources of the workflows' steps, each made when it is first used: a command that does not need a database opens
// none.
//
//     Setup setup(options, note);       // tells what was chosen without being asked for
//     auto run = setup.engine().start(research.with(setup.database()), topic);
#pragma once
#include "engine/store/note.hpp"
#include "workflows/catalog/options.hpp"
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace weft {
class Engine;
class Observer;
class Store;
namespace models {
class ChatModel;
}
namespace tools {
class Database;
class Registry;
}
namespace agents {
class Dialect;
class Memory;
struct ReactOptions;
struct ReflectOptions;
struct ToolAgentOptions;
}
}
namespace weft::catalog {
class Models;
/// What one of many runs has for itself.
struct OfRun {
    std::shared_ptr<agents::Memory> memory;
    std::string handler;                  // kept with the run, if it is stored (kept_run.hpp)
    std::optional<AgentOptions> options;  // its own dialect, limits and budget; none: those of all runs
};
class Setup {
public:
    Setup(AgentOptions, Note);
    /// For one run of many: all is that of the other setup, which outlives it, but the memory, and a model that follows
    /// a script. The other one is prepared (prepare_agent).
    Setup(Setup& of_all, OfRun);
    ~Setup();
    Setup(const Setup&) = delete;
    const AgentOptions& options() const { return options_; }
    /// Called some times a second while servers of tools start: what it throws ends that.
    void while_starting(std::function<void()>);
    /// Of the servers of tools only the one is started that may have this tool.
    void need_only(std::string tool);
    /// Of all runs. Before the engine is made; it outlives the setup.
    void observe(Observer&);
    /// Of the store, for a process that goes on when it fails. Before the engine is made.
    void watch_store(StoreNotes);
    /// For a worker: the engine has a lease of this length, sends the text of `tells` with each beat, and removes idle
    /// runs from memory. Call it before the engine is made.
    void work(std::chrono::milliseconds lease, std::function<std::string()> tells);
    /// Opens the store first, if there is to be one: throws what open_store does (open_store.hpp).
    Engine& engine();
    Store* store();  // null: runs are kept nowhere
    bool keeps_runs() const { return !options_.store_file.empty(); }
    /// What a run of this workflow keeps beside its ticks (kept_run.hpp). The model has been chosen.
    std::string kept_form(std::string_view workflow, const nlohmann::json& input) const;
    tools::Database& database();
    tools::Registry& tools();  // those that --tools names
    models::ChatModel& model(std::string_view question, std::string_view workflow);
    /// Called with each model that is going to answer a question; returns the model to use in its place.
    void watch_models(std::function<models::ChatModel&(models::ChatModel&)>);
    /// What the react workflow needs for a question: a model, and the dialect with its tools.
    struct Agent {
        models::ChatModel& model;
        const tools::Registry& tools;
        const agents::Dialect& dialect;
    };
    Agent agent(std::string_view question);
    agents::Memory& memory();  // of --memory, else of this process
    agents::ReactOptions& react_options();
    agents::ReflectOptions& reflect_options();
    agents::ToolAgentOptions& tool_agent_options();
    /// Makes everything that an agent needs, so that errors are reported before any question is asked.
    void prepare_agent(bool has_dialect);

private:
    Models& models();
    models::ChatModel& answering(std::string_view question, std::string_view workflow);
    bool shares_options() const { return of_all_ && &options_ != &own_options_; }
    Setup* const of_all_ = nullptr;
    const AgentOptions own_options_;
    const AgentOptions& options_;
    const Note note_;
    const std::string handler_;
    struct Parts;
    std::unique_ptr<Parts> parts_;
};
}
