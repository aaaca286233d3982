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
#include "workflows/driver/values.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
/// What is for workflows that have a model, its tools or a database.
constexpr Group of_agents[] = {Group::model, Group::calling, Group::spending, Group::prompt, Group::web, Group::system};

/// An option that would have no effect may be a mistake: what it asks for does not happen.
void refuse_idle_options(const Choices& choices, const catalog::Entry& entry) {
    for (const auto* option : choices.given) {
        if (std::ranges::find(of_agents, option->group) == std::end(of_agents)) continue;
        const bool fits = std::string_view(option->name) == "--db" ? entry.has_database : entry.has_model;
        if (!fits)
            throw Error(Code::usage, "the workflow " + std::string(entry.name) + " has no use for " + option->name +
                                         ": leave it out");
    }
}
Exit run_workflow(const Choices& choices) {
    const auto& entry = catalog::find_workflow(choices.workflow);
    refuse_idle_options(choices, entry);
    const auto input = read_json(choices.input, "--input");
    Interrupts interrupts;
    catalog::Setup setup(choices.agent, note);
    auto& engine = setup.engine();
    RunOptions options;
    options.timeout = choices.agent.timeout;
    Lines::Options reading;
    if (options.timeout) reading.deadline = Lines::Clock::now() + *options.timeout;
    auto run = entry.run(setup, input, options);
    Interrupts::Watch watch(interrupts, [&run] { run.cancel(); });
    view::TracePrinter trace(tell, {.colour = wants_colour()});
    std::optional<Lines> lines;  // nobody is asked before there is a question
    std::exception_ptr mistake;  // in an answer: the run is cancelled, and its last event shown as any other's
    while (auto event = engine.wait(run.next_event())) {
        if (choices.show.events) say_trusted(view::event_line(*event) + '\n');
        if (run.asks(*event)) {
            if (mistake) continue;
            if (!lines) lines.emplace(interrupts, reading);
            try {
                answer(run, *event, *lines);
            } catch (const Error& error) {
                // By these the run ends too, and says so.
                if (error.code() == Code::cancelled || error.code() == Code::timed_out) continue;
                mistake = std::current_exception();
                run.cancel();
            }
        } else if (!choices.show.quiet && !choices.show.events && !ending_of(*event))
            trace.on(*event);  // an end has its sentence
    }
    if (mistake) std::rethrow_exception(mistake);
    const auto result = engine.wait(run.result());
    if (!choices.show.events) say_json(result);
    return Exit::ok;
}
constexpr auto run_examples = R"(The stop event goes to standard output, as a JSON object in one line.

Options that are about a model, its tools or a database are for workflows that have such.

A workflow that asks a question shows it on standard error, as a line "? EVENT {...}". On a terminal the fields of the
answer are asked for one by one; else the answer is the next line of standard input, a JSON object with these fields.
If several events can answer, it is {"EVENT": {...}}.

  weft run hello --input '{"text": "World"}'
  weft run research --input '{"text": "order"}'
  echo '{"granted": true}' | weft run refund --input '{"order": "A-17", "amount": 120}'
)";
}

Command run_command() {
    using enum Group;
    return {"run",
            nullptr,
            "run any workflow, with its start and stop events as JSON",
            {workflow, input, model, calling, spending, prompt, web, system, timeout, quiet, events},
            run_examples,
            run_workflow};
}
}
