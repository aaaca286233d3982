// `weft run`: any workflow by its name. An option that the workflow has no use for is refused, because what it asks for
// would not happen.
#include "engine/ending.hpp"
#include "engine/engine.hpp"
#include "steps/view/event_line.hpp"
#include "steps/view/trace_printer.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/setup.hpp"
#include "workflows/driver/answers.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/console.hpp"
#include "workflows/driver/interrupts.hpp"
#include "workflows/driver/lines.hpp"
#include "workflows/driver/options.hpp"
#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
struct Command {
    catalog::AgentOptions agent;
    std::string workflow, input = "{}";
    bool quiet = false, events = false;
    std::vector<const CLI::Option*> of_agents;
};
/// An option that would have no effect may be a mistake: what it asks for does not happen.
void refuse_idle_options(const Command& command, const catalog::Entry& entry) {
    for (const auto* option : command.of_agents) {
        const bool fits = option->get_name() == "--db" ? entry.has_database : entry.has_model;
        if (option->count() > 0 && !fits)
            throw Error(Code::usage, "the workflow " + std::string(entry.name) + " has no use for " +
                                         option->get_name() + ": leave it out");
    }
}
Exit run_workflow(const Command& command) {
    const auto& entry = catalog::find_workflow(command.workflow);
    refuse_idle_options(command, entry);
    const auto input = read_json(command.input, "--input");
    Interrupts interrupts;
    catalog::Setup setup(command.agent, note);
    auto& engine = setup.engine();
    RunOptions options;
    options.timeout = command.agent.timeout;
    Lines::Options reading;
    if (options.timeout) reading.deadline = Lines::Clock::now() + *options.timeout;
    auto run = entry.run(setup, input, options);
    Interrupts::Watch watch(interrupts, [&run] { run.cancel(); });
    view::TracePrinter trace(tell, {.colour = wants_colour()});
    std::optional<Lines> lines;  // nobody is asked before there is a question
    while (auto event = engine.wait(run.next_event())) {
        if (command.events) say_trusted(view::event_line(*event) + '\n');
        if (run.asks(*event)) {
            if (!lines) lines.emplace(interrupts, reading);
            try {
                answer(run, *event, *lines);
            } catch (const Error& error) {  // the run ends by the same cause, and says so
                if (error.code() != Code::cancelled && error.code() != Code::timed_out) throw;
            }
        } else if (!command.quiet && !command.events && !ending_of(*event))
            trace.on(*event);  // an end has its sentence
    }
    const auto result = engine.wait(run.result());
    if (!command.events) say_json(result);
    return Exit::ok;
}
}

void add_run(CLI::App& app, Action& action) {
    auto command = std::make_shared<Command>();
    auto& sub = *app.add_subcommand("run", "run any workflow, with its start and stop events as JSON");
    sub.add_option("WORKFLOW", command->workflow, "its name; `weft list` lists them")->required()->type_name("");
    sub.add_option("--input", command->input, "the start event; `weft schema WORKFLOW` says what is in it")
        ->type_name("JSON");
    const auto common = static_cast<std::ptrdiff_t>(sub.get_options().size());
    add_model_options(sub, command->agent);
    add_calling_options(sub, command->agent);
    add_spending_options(sub, command->agent);
    add_prompt_options(sub, command->agent);
    const auto all = sub.get_options();
    command->of_agents.assign(all.begin() + common, all.end());
    add_timeout(sub, command->agent);
    sub.add_flag("--quiet,-q", command->quiet, "show no trace");
    sub.add_flag("--events", command->events, "print every event as a line of JSON, in place of result and trace");
    sub.footer(R"(The stop event goes to standard output, as a JSON object in one line.

Options that are about a model, its tools or a database are for workflows that have such.

A workflow that asks a question shows it on standard error, as a line "? EVENT {...}". On a terminal the fields of the
answer are asked for one by one; else the answer is the next line of standard input, a JSON object with these fields.
If several events can answer, it is {"EVENT": {...}}.

  weft run hello --input '{"text": "World"}'
  weft run research --input '{"text": "order"}'
  echo '{"granted": true}' | weft run refund --input '{"order": "A-17", "amount": 120}'
)");
    sub.final_callback([command, &action] { action = [command] { return run_workflow(*command); }; });
}
}
