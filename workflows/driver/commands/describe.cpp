// `weft describe`: shows the parts of an agent, without a model.
#include "steps/agents/react/describe.hpp"
#include "steps/agents/reflect/templates.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/preview_dialect.hpp"
#include "workflows/driver/terminal/console.hpp"

namespace weft::driver {
namespace {
ExitCode describe(const Choices& choices) {
    if (choices.workflow == "reflect") {  // in the form of the file that --template reads
        say(agents::ReflectTemplates(catalog::template_text(choices.agent).value_or("")).text());
        return ExitCode::ok;
    }
    if (choices.workflow != "react") {
        const std::string name(catalog::find_workflow(choices.workflow).name);
        throw Error(Code::usage, "describe shows the react agent and the templates of reflect; `weft graph " + name +
                                     "` and `weft schema " + name + "` show other workflows");
    }
    const catalog::ProcessResources process(choices.agent, note);
    catalog::RunResources here(process);
    const auto& options = here.react_options();
    const PreviewDialect shown(here);
    say(agents::describe_agent({"react", shown.dialect(), shown.tools(), options, choices.agent.model}));
    return ExitCode::ok;
}
constexpr auto describe_examples = R"(  weft describe react --dialect pause
  weft describe reflect > prompts.txt      # a file for weft reflect --template
)";
}

DriverCommand describe_command() {
    using enum OptionGroup;
    return {"describe",
            "show the parts of an agent: for react its options, tools, template and parser; for reflect its templates",
            {agent, model, database, prompt, tool_options, tool_servers, system, dialect, dialect_parts},
            describe,
            describe_examples};
}
}
