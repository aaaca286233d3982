// `weft compare`: the plain model first, because a bundled script of the agent's would answer it with nonsense.
#include "engine/engine.hpp"
#include "steps/view/side_by_side.hpp"
#include "steps/view/trace_printer.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/setup.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/interrupts.hpp"
#include "workflows/driver/options.hpp"
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
struct Command {
    catalog::AgentOptions agent;
    std::vector<std::string> words;
    bool json = false, quiet = false;
};
using nlohmann::json;

json answer(std::string_view workflow, catalog::Setup& setup, Interrupts& interrupts, const Command& command) {
    RunOptions options;
    options.timeout = command.agent.timeout;
    const auto& entry = catalog::find_workflow(workflow);
    auto run = entry.run(setup, {{"text", joined_words(command.words)}}, options);
    Interrupts::Watch watch(interrupts, [&run] { run.cancel(); });
    view::TracePrinter trace(tell, {.colour = wants_colour()});
    while (auto event = setup.engine().wait(run.next_event()))
        if (!command.quiet && workflow == "react") trace.on(*event);
    return setup.engine().wait(run.result());
}
Exit compare(const Command& command) {
    Interrupts interrupts;
    catalog::Setup setup(command.agent, note);
    // By itself first: a bundled script of the agent's is none of a plain model's.
    const auto plain = answer("plain_answer", setup, interrupts, command);
    const auto agent = answer("react", setup, interrupts, command);
    const auto text = [](const json& result) { return result.at("response").get<std::string>(); };
    if (command.json) say_json({{"question", joined_words(command.words)}, {"plain", plain}, {"agent", agent}});
    else say_trusted(view::side_by_side({"without the agent", text(plain)}, {"with the agent", text(agent)}));
    return agent.at("outcome") == "limit" ? Exit::limit : Exit::ok;
}
}

void add_compare(CLI::App& app, Action& action) {
    auto command = std::make_shared<Command>();
    auto& sub = *app.add_subcommand("compare", "answer a question by the model alone and by the agent, side by side");
    sub.add_option("QUESTION", command->words, "what to ask")->required()->type_name("");
    add_model_options(sub, command->agent);
    add_calling_options(sub, command->agent);
    add_spending_options(sub, command->agent);
    add_prompt_options(sub, command->agent);
    add_dialect_options(sub, command->agent);
    add_timeout(sub, command->agent);
    sub.add_flag("--json", command->json, "print both results as a JSON object in one line");
    sub.add_flag("--quiet,-q", command->quiet, "show no trace");
    sub.footer(R"(  weft compare --model openai:gpt-4o-mini --dialect function-call "What is 465 times 321, plus 95297?"
)");
    sub.final_callback([command, &action] { action = [command] { return compare(*command); }; });
}
}
