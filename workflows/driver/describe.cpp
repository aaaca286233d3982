// `weft describe`: no model is looked for; a script without replies stands in for it.
#include "steps/agents/react/describe.hpp"
#include "steps/agents/reflect/templates.hpp"
#include "steps/models/script/scripted.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/dialects.hpp"
#include "workflows/catalog/setup.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/options.hpp"
#include <CLI/CLI.hpp>

namespace weft::driver {
namespace {
struct Command {
    catalog::AgentOptions agent;
    std::string workflow;
};
/// A file for --template: what it prints can be changed and given back.
Exit describe_reflect(const Command& command) {
    say(agents::ReflectTemplates(catalog::template_text(command.agent).value_or("")).text());
    return Exit::ok;
}
Exit describe(const Command& command) {
    if (command.workflow == "reflect") return describe_reflect(command);
    if (command.workflow != "react") {
        const std::string name(catalog::find_workflow(command.workflow).name);
        throw Error(Code::usage, "describe shows the react agent and the templates of reflect; `weft graph " + name +
                                     "` and `weft schema " + name + "` show other workflows");
    }
    catalog::Setup setup(command.agent, note);
    models::ScriptedModel nobody{};  // is not asked
    const auto& options = setup.react_options();
    const auto tools = catalog::tools_for(command.agent.dialect, setup.tools(), nobody, options.sampling,
                                          command.agent.fallback);
    const auto dialect = catalog::make_dialect(command.agent.dialect, tools, catalog::template_text(command.agent));
    say(agents::describe_agent({"react", *dialect, tools, options, command.agent.model}));
    return Exit::ok;
}
}

void add_describe(CLI::App& app, Action& action) {
    auto command = std::make_shared<Command>();
    auto& sub = *app.add_subcommand(
        "describe",
        "show what an agent is made of: of react options, tools, template, parser; of reflect its templates");
    sub.add_option("WORKFLOW", command->workflow, "react or reflect")->required()->type_name("");
    add_model_options(sub, command->agent);
    add_prompt_options(sub, command->agent);
    add_dialect_options(sub, command->agent);
    sub.footer(R"(  weft describe react --dialect pause
  weft describe reflect > prompts.txt      # a file for weft reflect --template
)");
    sub.final_callback([command, &action] { action = [command] { return describe(*command); }; });
}
}
