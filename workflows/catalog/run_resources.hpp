// The resources of runs with the same options: models, memory and the agents' options, made from those of the process
// when they are first used.
//
//     RunResources here(process);                              // for one run after the other
//     const auto agent = here.agent("How did sales vary?");
//     auto run = react.with(agent.model, agent.dialect, here.memory(), agent.tools, here.react_options());
//
// The process outlives it. A run of the catalogue keeps what it needs of it until its own end (entry.hpp).
#pragma once
#include "workflows/catalog/process_resources.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft {
namespace models {
class ChatModel;
}
namespace agents {
inline namespace react_steps {
class Dialect;
}
class Memory;
struct ReactOptions;
inline namespace reflect_steps {
struct ReflectOptions;
}
inline namespace native_steps {
struct ToolAgentOptions;
}
}
}
namespace weft::catalog {
struct RunChoices {
    std::shared_ptr<agents::Memory> memory;  // null: that of --memory, else one that begins empty
    std::string handler;                     // kept with the run, if it is stored (kept_run.hpp)
    std::optional<AgentOptions> options;     // none: those of the process
    /// A script or a recording that plays the model begins anew. Else it goes on where the last run of the process has
    /// left it.
    bool restarts_scripts = false;
};
class RunResources {
public:
    explicit RunResources(const ProcessResources&, RunChoices = {});
    const ProcessResources& process() const;
    const AgentOptions& options() const;
    /// The text that a run of this workflow stores beside its records (kept_run.hpp). The model has been chosen.
    std::string kept_form(std::string_view workflow, const nlohmann::json& input) const;
    models::ChatModel& model(std::string_view question, std::string_view workflow);
    /// Called with each model that is going to answer a question; returns the model to use in its place.
    void watch_models(std::function<models::ChatModel&(models::ChatModel&)>);
    /// The resources of the react workflow for a question: a model, and the dialect with its tools.
    struct Agent {
        models::ChatModel& model;
        const tools::Registry& tools;
        const agents::Dialect& dialect;
    };
    Agent agent(std::string_view question);
    agents::Memory& memory();
    const agents::ReactOptions& react_options();
    const agents::ReflectOptions& reflect_options();
    const agents::ToolAgentOptions& tool_agent_options();
    /// Makes everything that an agent needs, so that errors are reported before any question is asked.
    void prepare_agent(bool has_dialect);
    /// Owns what steps have got from here, until their run has ended.
    std::shared_ptr<const void> owner() const { return parts_; }

private:
    Models& models();
    models::ChatModel& answering(std::string_view question, std::string_view workflow);
    struct Parts;
    std::shared_ptr<Parts> parts_;
};
}
