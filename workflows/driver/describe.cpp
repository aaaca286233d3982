// `weft describe`: no model is looked for; a script without replies stands in for it.
#include "steps/react/describe.hpp"
#include "steps/llm/scripted.hpp"
#include "workflows/dialects.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/setup.hpp"
#include <CLI/CLI.hpp>

namespace weft::driver {
namespace {
struct Command {
    AgentOptions agent;
    std::string workflow;
};
Exit describe(const Command& command) {
    if (command.workflow != "react")
        throw Error(Code::usage, "describe shows the react agent; `weft graph " + command.workflow +
                                     "` and `weft schema " + command.workflow + "` show other workflows");
    Setup setup(command.agent);
    llm::ScriptedModel nobody{};  // is not asked
    const auto& options = setup.react_options();
    const auto tools = workflows::tools_for(command.agent.dialect, setup.tools(), nobody, options.sampling,
                                            command.agent.fallback);
    const auto dialect = workflows::make_dialect(command.agent.dialect, tools, template_text(command.agent));
    say(steps::describe_agent({"react", *dialect, tools, options, command.agent.model}));
    return Exit::ok;
}
}

void add_describe(CLI::App& app, Action& action) {
    auto command = std::make_shared<Command>();
    auto& sub = *app.add_subcommand("describe", "show what the agent is made of: options, tools, template, parser");
    sub.add_option("WORKFLOW", command->workflow, "react")->required()->type_name("");
    add_model_options(sub, command->agent);
    add_prompt_options(sub, command->agent);
    add_dialect_options(sub, command->agent);
    sub.footer(R"(  weft describe react --dialect pause
)");
    sub.final_callback([command, &action] { action = [command] { return describe(*command); }; });
}
}
