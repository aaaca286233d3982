// `weft compare`: asks the plain model before the agent, because a bundled script for the agent does not suit it.
#include "engine/engine.hpp"
#include "steps/view/side_by_side.hpp"
#include "steps/view/trace_printer.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
using nlohmann::json;

json answer(std::string_view workflow, catalog::RunResources& here, Interrupts& interrupts, const Choices& choices) {
    const RunOptions options{.timeout = choices.agent.timeout, .values = catalog::values_of(choices.agent)};
    const auto& entry = catalog::find_workflow(workflow);
    auto run = entry.run(here, {{"text", choices.question.value()}}, options);
    Interrupts::InterruptWatch watch(interrupts, [&run] { run.cancel(); });
    view::TracePrinter trace(tell, {.colour = wants_colour()});
    while (auto event = here.process().engine().wait(run.next_event()))
        if (!choices.show.quiet && workflow == "react") trace.on(*event);
    return here.process().engine().wait(run.result());
}
ExitCode compare(const Choices& choices) {
    Interrupts interrupts;
    const catalog::ProcessResources process(choices.agent, note, {.while_starting = ending_if_seen(interrupts)});
    catalog::RunResources here(process);
    const auto plain = answer("plain_answer", here, interrupts, choices);
    const auto agent = answer("react", here, interrupts, choices);
    const auto text = [](const json& result) { return result.at("response").get<std::string>(); };
    if (choices.show.json) say_json({{"question", choices.question.value()}, {"plain", plain}, {"agent", agent}});
    else say_trusted(view::side_by_side({"without the agent", text(plain)}, {"with the agent", text(agent)}));
    return agent.at("outcome") == "limit" ? ExitCode::limit : ExitCode::ok;
}
constexpr auto compare_examples =
    R"(  weft compare --model openai:gpt-4o-mini --dialect function-call "What is 465 times 321, plus 95297?"
)";
}

DriverCommand compare_command() {
    using enum OptionGroup;
    return {"compare",
            "answer a question by the model alone and by the agent, side by side",
            {question, model, calling, spending, database, prompt, tool_options, tool_servers, system, dialect,
             dialect_parts, timeout, values, both_results, quiet},
            compare,
            compare_examples};
}
}
