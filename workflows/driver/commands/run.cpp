// `weft run`: runs any workflow by its name. Refuses options that have no effect on the workflow, because they may be
// mistakes.
#include "engine/engine.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/catalog/unknown_fields.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/commands/detached_run.hpp"
#include "workflows/driver/follow.hpp"
#include "workflows/driver/remote.hpp"
#include "workflows/driver/run_watcher.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include "workflows/driver/values.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
/// Refuses options without effect, which may be mistakes.
void refuse_idle_options(const Choices& choices, const catalog::CatalogEntry& entry) {
    using enum OptionGroup;
    // Options for workflows with a model, tools or a database.
    constexpr OptionGroup of_agents[] = {model,   calling,      spending,     database, prompt, approving,
                                         writing, tool_options, tool_servers, system,   dialect};
    for (const auto* option : choices.given) {
        if (std::ranges::find(of_agents, option->group) == std::end(of_agents)) continue;
        const bool of_tools = option->group == approving || option->group == writing || option->group == tool_servers;
        const bool fits = option->group == database  ? entry.has_database
                          : option->group == dialect ? entry.has_dialect
                          : of_tools                 ? entry.has_tools
                                                     : entry.has_model;
        if (!fits)
            throw Error(Code::usage, "the workflow " + std::string(entry.name) + " has no use for " + option->name +
                                         ": leave it out");
    }
}
ExitCode run_workflow(const Choices& choices) {
    if (!choices.remote.server.empty()) return run_remotely(choices);
    const auto& entry = catalog::find_workflow(choices.workflow);
    refuse_idle_options(choices, entry);
    if (!choices.worker.batch.empty()) return detach_batch(choices, entry);
    const auto input = read_input(choices.input);
    catalog::refuse_unknown_fields(start_event(entry.outline()), input, "--input");
    if (choices.worker.detaches()) return detach_run(choices, entry, input);
    refuse_queue_options(choices);
    Interrupts interrupts;
    RunWatcher watcher;
    const catalog::ProcessResources process(keeping_options(choices, "run"), note,
                                            {.while_starting = ending_if_seen(interrupts)});
    catalog::RunResources here(process);
    process.engine();  // reports faults of the store first
    const RunOptions options{.timeout = choices.agent.timeout,
                             .values = catalog::values_of(choices.agent),
                             .observer = watcher.next_run(),
                             .tell_idle = process.keeps_runs()};
    PrintOptions how{.events = choices.show.events, .quiet = choices.show.quiet};
    if (options.timeout) how.deadline = InputLines::SteadyClock::now() + *options.timeout;
    return follow_and_print(entry.run(here, input, options), {process, interrupts, watcher}, std::move(how));
}
constexpr auto run_examples = R"(The stop event goes to standard output, as a JSON object in one line.

Options about a model, its tools or a database are only for workflows that use these.

A workflow that asks a question shows it on standard error, as a line "? EVENT {...}". A terminal prompts for the
fields of the answer; else the answer is the next line of standard input, a JSON object with these fields. If several
events can answer, it is {"EVENT": {...}}. With --store, a question without an answer in standard input stays open: the
exit code is 10, and weft shows the commands that answer it and continue the run.

  weft run hello --input '{"text": "World"}'
  weft run hello --input '{"text": "World"}' --server http://127.0.0.1:8080
  weft run research --input '{"text": "order"}'
  weft run refund --input '{"order": "A-17", "amount": 120}' --store weft.db < /dev/null
  weft run react --input '{"text": "2 ** 10?"}' --store weft.db --detach --queue urgent --priority 5
  weft run hello --input '{"text": "World"}' --store weft.db --at 2030-12-24T18:00+01:00
  weft run hello --input '{"text": "World"}' --store weft.db --debounce World --in 5m --longest 1h
  weft run hello --batch names.jsonl --store weft.db
  echo '{"granted": true}' | weft run refund --input '{"order": "A-17", "amount": 120}'
)";
}

DriverCommand run_command() {
    using enum OptionGroup;
    return {"run",
            "run any workflow, with its start and stop events as JSON",
            {workflow,     input,  model,   calling, spending, database, prompt,    approving, writing, tool_options,
             tool_servers, system, dialect, timeout, values,   keeping,  detaching, remote,    quiet,   events},
            run_workflow,
            run_examples};
}
}
