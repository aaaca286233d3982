// `weft resume`: uses the options that the run began with. The contents of a store are untrusted, so all of them are
// checked first.
#include "engine/engine.hpp"
#include "engine/json.hpp"
#include "engine/replay.hpp"
#include "engine/store/damaged.hpp"
#include "engine/store/rules.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/events.hpp"
#include "workflows/catalog/catalog.hpp"
#include "workflows/catalog/mcp_servers.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/catalog/stored/run_outcome.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/catalog/stored_run_options.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/commands/stored_run_info.hpp"
#include "workflows/driver/follow.hpp"
#include "workflows/driver/run_watcher.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/terminal/interrupts.hpp"
#include <algorithm>

namespace weft::driver {
using namespace storage;
namespace {
using nlohmann::json;

/// The newest run that has not ended, without damaged ones.
History newest_unfinished(Store& store, const std::string& name) {
    using enum RunStatus;
    for (auto& row : catalog::rows_of(store, {.statuses = {ready, running, waiting}})) try {
            auto history = history_of(store, row.id);
            note("resuming run " + row.id + " (" + row.workflow + ")");
            return history;
        } catch (const storage::DamagedError& error) { complain(sentence_for(error)); }
    throw Error(Code::usage, "there is no run in " + name +
                                 " to resume; `weft runs` lists all, and `weft resume` with the id of an ended run "
                                 "prints its result");
}
History history_of_chosen(const Choices& choices) {
    const auto opened = visit_store(choices);
    const auto& id = choices.stored.run;
    if (id.empty()) return newest_unfinished(*opened.store, named_store(choices));
    return history_of(*opened.store, catalog::find_run(*opened.store, id).id);
}
std::string joined(const std::string& a, const std::string& b) { return a.empty() || b.empty() ? a + b : a + ',' + b; }
/// Options from a store can only restrict tools: the user has to repeat options that permit more.
void check_permissions(catalog::AgentOptions& options, const catalog::AgentOptions& given,
                       const catalog::StoredRunOptions& kept) {
    using enum tools::PermissionMode;
    if (kept.options.writes_database && !given.writes_database)
        throw Error(Code::usage, "the run began with --db-write, which a store cannot permit again: add --db-write");
    if (!kept.options.writes_database && given.writes_database)
        throw Error(Code::usage, "the run began without --db-write, which cannot be added now: leave it out");
    const bool more = options.permission == automatic || options.permission == yes;
    if (more && given.permission != options.permission)
        note(std::string("the run began with ") + (options.permission == yes ? "--yes" : "--permission auto") +
             ", which has no effect now unless you give it again");
    if (!options.allow.empty() && given.allow.empty())
        note("the run began with --allow " + options.allow + ", which has no effect now unless you give it again");
    if (given.permission != ask || more) options.permission = given.permission;
    options.allow = given.allow;
    options.approve = joined(options.approve, given.approve);
    options.deny = joined(options.deny, given.deny);
}
/// Refuses to resume without the run's tools: the run would continue to its end without them, irrevocably.
void check_servers(const catalog::AgentOptions& given, const catalog::StoredRunOptions& kept) {
    for (const auto& name : kept.options.mcp) {
        const auto is_it = [&name](const std::string& word) { return catalog::name_of_servers(word) == name; };
        if (std::ranges::none_of(given.mcp, is_it))
            throw Error(Code::usage, "the run began with --mcp " + excerpt(name, 200) +
                                         ", and a store starts no servers: give it again (a server that cannot be "
                                         "started only causes a warning)");
    }
}
catalog::AgentOptions options_for(const Choices& choices, const catalog::StoredRunOptions& kept) {
    auto options = catalog::options_of(kept, store_name(choices));
    const auto& other = choices.agent;
    check_permissions(options, other, kept);
    options.mcp = other.mcp;  // never start servers from a store
    options.mcp_output = other.mcp_output;
    check_servers(other, kept);
    if (!other.model.empty()) {
        options.model = other.model;
        options.base_url.clear();  // the address is the former model's
    }
    if (!other.base_url.empty()) options.base_url = other.base_url;
    else if (!options.base_url.empty()) note("the model's server is " + options.base_url + ", as when the run began");
    return options;
}
std::string question_of(const catalog::StoredRunOptions& kept) {
    return from_json<agents::UserMessageEvent>(kept.input, "the question of the stored run").text;
}

// ----- ended runs

void say_last_event(const History& history) {
    const auto outcome = catalog::read_outcome(history.run);
    json line = {{"event", outcome.event}, {"data", outcome.data}};
    if (outcome.data.is_object() && outcome.data.contains("outcome")) line["outcome"] = outcome.data["outcome"];
    else if (history.run.status != RunStatus::done) line["outcome"] = name(history.run.status);
    say_json(line);
}
agents::AnswerEvent answer_of(const RunRow& run) {
    const auto result = catalog::result_of_stored(run);
    try {
        return from_json<agents::AnswerEvent>(result, "outcome");
    } catch (const Error& error) {
        throw Error(Code::journal, "run " + run.id + " has ended, and its answer cannot be read: " + error.what());
    }
}
/// Refuses options without effect, which may be mistakes.
void refuse_other_model(const Choices& choices, const std::string& run) {
    for (const auto& [option, value] :
         {std::pair{"--model", choices.agent.model}, {"--base-url", choices.agent.base_url}})
        if (!value.empty())
            throw Error(Code::usage, "run " + run + " has ended, so " + option +
                                         " has no effect: leave it out, or make a new run with `weft fork` and resume "
                                         "that");
}
ExitCode say_result(const Choices& choices, const History& history) {
    refuse_other_model(choices, history.run.id);
    if (!choices.show.html_file.empty())
        throw Error(Code::usage, "run " + history.run.id + " has ended, and its trace is not stored: leave out --html");
    if (choices.show.events) say_last_event(history);
    const bool by_weft = !history.run.options.empty();
    const auto kept = by_weft ? checked_run(history.run, entry_of(history.run))
                              : catalog::StoredRunOptions{.command = "run"};
    if (!is_agent(kept.command)) {
        const auto result = catalog::result_of_stored(history.run);
        if (!choices.show.events) say_json(result);
        return ExitCode::ok;
    }
    Interrupts interrupts;
    RunWatcher watcher;
    const catalog::ProcessResources process(catalog::options_of(kept, store_name(choices)), note);
    catalog::RunResources here(process);  // unused, but the session needs it
    Session session(here, interrupts, watcher, show_of_agent(kept.command, choices.show));
    return session.repeat(question_of(kept), history.run.id, [&] { return answer_of(history.run); });
}

// ----- runs that have not ended

InputLines::Deadline deadline_of(const RunRow& row, const catalog::AgentOptions& options) {
    if (!options.timeout) return {};
    const std::chrono::microseconds since(storage::wall_microseconds() - row.created_at);
    return InputLines::SteadyClock::now() + *options.timeout - since;
}
ExitCode resume_stored(const Choices& choices) {
    const auto history = history_of_chosen(choices);
    const auto& row = history.run;
    if (has_ended(row.status)) return say_result(choices, history);
    const auto& entry = entry_of(row);
    const auto kept = checked_run(row, entry);
    Interrupts interrupts;
    RunWatcher watcher;
    const auto options = options_for(choices, kept);
    refuse_shared_files(options, choices.show);
    const catalog::ProcessResources process(options, note, {.while_starting = ending_if_seen(interrupts)});
    catalog::RunResources here(process);
    process.engine();  // reports faults of the store first
    if (is_agent(kept.command)) {
        Session session(here, interrupts, watcher, show_of_agent(kept.command, choices.show));
        return session.resume(question_of(kept), row.id, Inbox(history), deadline_of(row, options));
    }
    const RunOptions how{.observer = watcher.next_run(), .tell_idle = true};
    return follow_and_print(entry.resume(here, row.id, kept.input, how), {process, interrupts, watcher},
                            {.events = choices.show.events,
                             .quiet = choices.show.quiet,
                             .deadline = deadline_of(row, options),
                             .inbox = Inbox(history)});
}
constexpr auto resume_examples =
    R"(The output and the exit codes are those of the command that began the run. The run has the options that it began
with, and the same files, in any folder. Give options that permit more to tools (--db-write, --allow, --yes,
--permission auto) again: the store cannot, because it is not trusted. For an ended run, the command only prints its
result or its error again. To try a failed run again, perhaps with another model or address, make a new one by
`weft fork`.

  weft resume --store weft.db
  weft resume 4f2a --store weft.db --json
)";
}

DriverCommand resume_command() {
    using enum OptionGroup;
    return {"resume",
            "continue a stored run, in any process and folder",
            {run_or_newest, store, other_model, approving, writing, tool_servers, result, quiet, details},
            resume_stored,
            resume_examples};
}
}
