// The engine creates runs and calls none of their steps, so it needs no model and opens no database.
#include "workflows/driver/commands/detached_run.hpp"
#include "engine/clock.hpp"
#include "engine/engine.hpp"
#include "engine/json_run.hpp"
#include "engine/text/text.hpp"
#include "workflows/catalog/dialects.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/catalog/stored_run_options.hpp"
#include "workflows/driver/commands/batch_file.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/values.hpp"
#include <algorithm>
#include <string_view>

namespace weft::driver {
namespace {
/// The driver's own options for one run; those for agents are in the table of the catalogue.
constexpr std::string_view per_run_options[] = {"WORKFLOW",   "--input",    "--store",  "--detach", "--queue",
                                                "--priority", "--quiet,-q", "--at",     "--in",     "--batch",
                                                "--key",      "--debounce", "--longest"};

bool is_per_run(std::string_view flag) {
    using enum catalog::OnWorker;
    return std::ranges::find(per_run_options, flag) != std::end(per_run_options) ||
           std::ranges::any_of(catalog::option_rows, [&](const catalog::OptionRow& row) {
               return row.flag == flag && (row.on_worker == chosen || row.on_worker == lower);
           });
}
void refuse_options_of_worker(const Choices& choices) {
    for (const auto* option : choices.given)
        if (!is_per_run(option->name))
            throw Error(Code::usage, std::string(option->name) +
                                         " is for the process that executes the run: give it to `weft worker` "
                                         "or `weft serve`, and leave it out with --detach");
}
void refuse_wrong_debounce(const WorkerChoices& worker) {
    if (worker.longest && worker.debounce.empty())
        throw Error(Code::usage, "--longest bounds the wait of --debounce KEY: give both, or leave it out");
    if (worker.debounce.empty()) return;
    if (!worker.begin_at && !worker.begin_in)
        throw Error(Code::usage,
                    "--debounce needs the time until which the run waits for a later start: add --in TIME");
    if (!worker.batch.empty())
        throw Error(Code::usage, "--debounce keeps one run, and --batch adds many: give only one of them");
}
/// The options of detached runs of one command line.
class DetachedStart {
public:
    DetachedStart(const Choices& choices, const catalog::CatalogEntry& entry)
        : workflow_(entry.name), agent_(choices.agent) {
        refuse_options_of_worker(choices);
        check_one_queue(choices.worker.queue);
        refuse_wrong_debounce(choices.worker);
        if (entry.has_dialect) catalog::check_dialect(agent_.dialect);
        agent_.command = "run";
        all_ = {.timeout = agent_.timeout,
                .values = catalog::values_of(agent_),
                .key = choices.worker.key,
                .queue = choices.worker.queue,
                .priority = choices.worker.priority,
                .not_before = choices.worker.begin_at,
                .debounce = choices.worker.debounce,
                .debounce_longest = choices.worker.longest,
                .detached = true};
        if (choices.worker.begin_in) all_.not_before = real_clock().wall() + *choices.worker.begin_in;
    }
    RunOptions options(const nlohmann::json& input) const {
        auto options = all_;
        options.stored = catalog::write_stored_run_options(agent_, {}, workflow_, input);
        return options;
    }

private:
    const std::string_view workflow_;
    catalog::AgentOptions agent_;
    RunOptions all_;
};
/// Says that no run was added, and what differs from the wish.
void note_known_key(const storage::RunRow& row, const RunOptions& wish, const nlohmann::json& input) {
    std::vector<std::string> other;
    if (catalog::read_stored_run_options(row).input != input) other.push_back("input");
    if (row.queue != (wish.queue.empty() ? "default" : wish.queue)) other.push_back("queue");
    const auto begin = wish.not_before ? std::optional(wish.not_before->time_since_epoch().count()) : std::nullopt;
    if (storage::waits_to_begin(row) ? begin != row.wake_at : begin > storage::wall_microseconds())
        other.push_back("time");
    note("the key is known, so no run was added" +
         (other.empty() ? "" : ": run " + row.id + " keeps its own " + with_commas(other)));
}
}
void refuse_queue_options(const Choices& choices) {
    refuse_wrong_debounce(choices.worker);  // without a time
    for (const auto* option : choices.given)
        for (const std::string_view name : {"--queue", "--priority", "--key"})
            if (option->name == name)
                throw Error(Code::usage, std::string(name) + " is for runs that a worker executes: add --detach");
}
ExitCode detach_run(const Choices& choices, const catalog::CatalogEntry& entry, const nlohmann::json& input) {
    const DetachedStart start(choices, entry);
    const auto opened = open_beside(choices);
    Engine engine({.store = opened.store.get()});
    core::BulkStart bulk(engine);
    const auto options = start.options(input);
    bulk.add(start_json(bulk.loop(), entry.stored(), input, options).until_stored());
    const auto run = bulk.finish().front();
    say(run.id);
    if (!run.is_new && !options.debounce.empty())
        note("run " + run.id + " was waiting, and has this input and time now: no run was added");
    else if (!run.is_new) note_known_key(catalog::find_run(*opened.store, run.id), options, input);
    return ExitCode::ok;
}
ExitCode detach_batch(const Choices& choices, const catalog::CatalogEntry& entry) {
    const DetachedStart start(choices, entry);
    const auto definition = entry.stored();
    BatchFile file(choices.worker.batch, start_event(*definition));
    file.check();
    const auto opened = open_beside(choices);
    Engine engine({.store = opened.store.get()});
    core::BulkStart bulk(engine);
    std::size_t all = 0, added = 0;
    const auto tell = [&](const std::vector<EnqueuedRun>& runs) {
        all += runs.size();
        for (auto& run : runs) {
            added += run.is_new;
            say(run.id);
        }
    };
    while (const auto line = file.next()) {
        auto options = start.options(line->input);
        options.key = line->key;
        if (line->queue) options.queue = *line->queue;
        if (line->priority) options.priority = *line->priority;
        if (line->not_before) options.not_before = line->not_before;
        if (line->values) options.values = *line->values;
        bulk.add(start_json(bulk.loop(), definition, line->input, options).until_stored());
        tell(bulk.stored());
    }
    tell(bulk.finish());
    if (!choices.show.quiet)
        note(all == 1
                 ? std::string("the run is ") + (added ? "new" : "known") + " in " + named_store(choices)
                 : std::to_string(added) + " of " + std::to_string(all) + " runs are new in " + named_store(choices));
    return ExitCode::ok;
}
}
