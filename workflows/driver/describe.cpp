// `weft describe`: no model is looked for; a script without replies stands in for it.
#include "steps/agents/react/describe.hpp"
#include "steps/agents/reflect/templates.hpp"
#include "steps/models/script/scripted.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/dialects.hpp"
#include "workflows/catalog/setup.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"

namespace weft::driver {
namespace {
/// A file for --template: what it prints can be changed and given back.
Exit describe_reflect(const Choices& choices) {
    say(agents::ReflectTemplates(catalog::template_text(choices.agent).value_or("")).text());
    return Exit::ok;
}
Exit describe(const Choices& choices) {
    if (choices.workflow == "reflect") return describe_reflect(choices);
    if (choices.workflow != "react") {
        const std::string name(catalog::find_workflow(choices.workflow).name);
        throw Error(Code::usage, "describe shows the react agent and the templates of reflect; `weft graph " + name +
                                     "` and `weft schema " + name + "` show other workflows");
    }
    catalog::Setup setup(choices.agent, note);
    models::ScriptedModel nobody{};  // is not asked
    const auto& options = setup.react_options();
    const auto tools = catalog::tools_for(choices.agent.dialect, setup.tools(), nobody, options.sampling,
                                          choices.agent.fallback);
    const auto dialect = catalog::make_dialect(choices.agent.dialect, tools, catalog::template_text(choices.agent));
    say(agents::describe_agent({"react", *dialect, tools, options, choices.agent.model}));
    return Exit::ok;
}
constexpr auto describe_examples = R"(  weft describe react --dialect pause
  weft describe reflect > prompts.txt      # a file for weft reflect --template
)";
}

Command describe_command() {
    using enum Group;
    return {"describe",
            nullptr,
            "show what an agent is made of: of react options, tools, template, parser; of reflect its templates",
            {agent, model, prompt, web, system, dialect, dialect_parts},
            describe_examples,
            describe};
}
}
