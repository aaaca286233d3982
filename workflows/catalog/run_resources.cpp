// The process owns models over HTTP, which serve concurrent runs. Scripts and recordings serve one run at a time.
#include "workflows/catalog/run_resources.hpp"
#include "engine/engine.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/options.hpp"
#include "steps/agents/memory/memory.hpp"
#include "steps/agents/memory/memory_file.hpp"
#include "steps/agents/react/dialect.hpp"
#include "tools/registry.hpp"
#include "workflows/catalog/agent_settings.hpp"
#include "workflows/catalog/dialects.hpp"
#include "workflows/catalog/models.hpp"
#include "workflows/catalog/placeholders.hpp"
#include "workflows/catalog/stored_run_options.hpp"
#include <nlohmann/json.hpp>

namespace weft::catalog {
struct RunResources::Parts {
    struct AgentForModel {
        models::ChatModel& model;
        tools::Registry tools;
        std::unique_ptr<agents::Dialect> dialect;
    };
    const ProcessResources& process;
    const RunChoices choices;
    const std::shared_ptr<AgentSettings> settings;
    std::vector<std::unique_ptr<AgentForModel>> agents;
    std::shared_ptr<agents::Memory> memory;
    std::optional<PlaceholderModel> unasked;
    std::optional<Models> models;
    std::function<models::ChatModel&(models::ChatModel&)> watch;
    models::ChatModel& watched(models::ChatModel& model) const { return watch ? watch(model) : model; }
};

RunResources::RunResources(const ProcessResources& process, RunChoices choices) {
    auto settings = choices.options ? std::make_shared<AgentSettings>(*choices.options) : process.agents();
    parts_.reset(new Parts{.process = process, .choices = std::move(choices), .settings = std::move(settings)});
}

const ProcessResources& RunResources::process() const { return parts_->process; }
const AgentOptions& RunResources::options() const { return parts_->settings->options(); }
std::string RunResources::kept_form(std::string_view workflow, const nlohmann::json& input) const {
    const auto model = parts_->models ? parts_->models->name() : process().model_name();
    return write_stored_run_options(options(), model, workflow, input, parts_->choices.handler);
}
Models& RunResources::models() {
    auto& models = parts_->models;
    if (models) return *models;
    auto& shared = process().models();
    if (!parts_->choices.restarts_scripts || shared.serves_many()) return shared;
    return models.emplace(options(), shared);
}
models::ChatModel& RunResources::model(std::string_view question, std::string_view workflow) {
    return parts_->watched(answering(question, workflow));
}
models::ChatModel& RunResources::answering(std::string_view question, std::string_view workflow) {
    agents::check_question(question);  // checked before a model is chosen
    if (!options().only_replays) return models().answering(question, workflow);
    if (!parts_->unasked) parts_->unasked.emplace(options().model);
    return *parts_->unasked;
}
void RunResources::watch_models(std::function<models::ChatModel&(models::ChatModel&)> watch) {
    parts_->watch = std::move(watch);
}
RunResources::Agent RunResources::agent(std::string_view question) {
    check_dialect(options().dialect);  // checked before a model is chosen
    auto& all_tools = process().tools();
    auto& model = answering(question, "react");
    const auto seen = [this](const Parts::AgentForModel& agent) {
        return Agent{parts_->watched(agent.model), agent.tools, *agent.dialect};
    };
    for (const auto& agent : parts_->agents)
        if (&agent->model == &model) return seen(*agent);
    auto& text = parts_->settings->template_text();
    auto agent = std::make_unique<Parts::AgentForModel>(Parts::AgentForModel{
        model, tools_for(options().dialect, all_tools, model, react_options().sampling, options().fallback), nullptr});
    agent->dialect = make_dialect(options().dialect, agent->tools, text);
    return seen(*parts_->agents.emplace_back(std::move(agent)));
}
void RunResources::prepare_agent(bool has_dialect) {
    auto& all_tools = process().tools();
    if (has_dialect) make_dialect(options().dialect, all_tools, template_text(options()));
    else reflect_options();  // throws for wrong options, as react_options() does
    models();
    memory();
    tool_agent_options();
}
agents::Memory& RunResources::memory() {
    auto& memory = parts_->memory;
    if (memory) return *memory;
    if (options().only_replays) memory = std::make_shared<PlaceholderMemory>();
    else if (parts_->choices.memory) memory = parts_->choices.memory;
    else if (options().memory_file.empty()) memory = std::make_shared<agents::ConversationMemory>();
    else memory = std::make_shared<agents::MemoryFile>(process().engine().pool(), options().memory_file);
    return *memory;
}
const agents::ReactOptions& RunResources::react_options() { return parts_->settings->react(); }
const agents::ReflectOptions& RunResources::reflect_options() { return parts_->settings->reflect(); }
const agents::ToolAgentOptions& RunResources::tool_agent_options() { return parts_->settings->tool_agent(); }
}
