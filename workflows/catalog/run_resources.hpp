// The resources of runs with the same options: models, memory and the agents' options. They are made at their first
// use, from the resources of the process.
//
//     RunResources here(process);                              // for one run after the other
//     const auto agent = here.agent("How did sales vary?");
//     auto run = react.with(agent.model, agent.dialect, here.memory(), agent.tools, here.react_options());
//
// The process resources must outlive this object. A run of the catalogue owns its parts until it ends (entry.hpp).
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
    std::shared_ptr<agents::Memory> memory;  // null: the memory of --memory, else an empty one
    std::string handler;                     // kept with a stored run (kept_run.hpp)
    std::optional<AgentOptions> options;     // empty: the options of the process
    /// A script or a recording begins from its start. Otherwise it continues where the process's last run has ended.
    bool restarts_scripts = false;
};
class RunResources {
public:
    explicit RunResources(const ProcessResources&, RunChoices = {});
    const ProcessResources& process() const;
    const AgentOptions& options() const;
    /// The data that a run of this workflow keeps beside its ticks (kept_run.hpp). Requires a chosen model.
    std::string kept_form(std::string_view workflow, const nlohmann::json& input) const;
    models::ChatModel& model(std::string_view question, std::string_view workflow);
    /// The function is called with each model before it answers, and returns the model to use in its place.
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
    /// Makes all resources of an agent, so that errors are reported before the first question.
    void prepare_agent(bool has_dialect);
    /// Owns the resources that steps use, until their run has ended.
    std::shared_ptr<const void> owner() const { return parts_; }

private:
    Models& models();
    models::ChatModel& answering(std::string_view question, std::string_view workflow);
    struct Parts;
    std::shared_ptr<Parts> parts_;
};
}
