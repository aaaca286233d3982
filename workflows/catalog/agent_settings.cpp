// An agent reads only the files of its own options: the templates of react and reflect differ.
#include "workflows/catalog/agent_settings.hpp"
#include "engine/error.hpp"
#include "steps/agents/common/answer_form.hpp"
#include "steps/agents/reflect/templates.hpp"
#include "steps/models/prices.hpp"
#include "workflows/catalog/dialects.hpp"

namespace weft::catalog {
namespace {
agents::ReactOptions react_options(const AgentOptions& options) {
    agents::ReactOptions react;
    if (const auto usual = habits_of(options.dialect).max_steps) react.max_steps = *usual;
    if (options.max_steps) react.max_steps = options.max_steps;
    react.context_tokens = options.context_tokens;
    react.summarise = options.summarise;
    react.sampling.temperature = options.temperature;
    react.system = system_text(options.system);
    react.budget = options.budget;
    react.restart = options.restart;
    if (!options.prices_file.empty())
        react.prices = std::make_shared<const models::PriceTable>(models::PriceTable::from_file(options.prices_file));
    else if (react.budget.cost > 0)
        throw Error(Code::usage, "--budget cost=... needs the prices of tokens: add --prices FILE");
    return react;
}
agents::ReflectOptions reflect_options(const AgentOptions& options, const agents::ReactOptions& react) {
    agents::ReflectOptions reflect{react};
    reflect.parallel = options.parallel;
    if (const auto text = template_text(options))
        reflect.templates = std::make_shared<const agents::ReflectTemplates>(*text);
    return reflect;
}
agents::ToolAgentOptions tool_agent_options(const AgentOptions& options, const agents::ReactOptions& react) {
    agents::ToolAgentOptions tool_agent{react};
    if (!options.schema_file.empty()) tool_agent.form = agents::AnswerForm::from_file(options.schema_file);
    return tool_agent;
}
}

const std::optional<std::string>& AgentSettings::template_text() {
    return template_text_ ? *template_text_ : template_text_.emplace(catalog::template_text(options_));
}
const agents::ReactOptions& AgentSettings::react() {
    return react_ ? *react_ : react_.emplace(react_options(options_));
}
const agents::ReflectOptions& AgentSettings::reflect() {
    return reflect_ ? *reflect_ : reflect_.emplace(reflect_options(options_, react()));
}
const agents::ToolAgentOptions& AgentSettings::tool_agent() {
    return tool_agent_ ? *tool_agent_ : tool_agent_.emplace(tool_agent_options(options_, react()));
}
}
