// `weft replay`: uses the run's own options, except those given here. It calls no model or tool, and stores nothing.
#include "engine/replay.hpp"
#include "engine/describe.hpp"
#include "engine/error.hpp"
#include "workflows/catalog/run_resources.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/commands/stored_run_info.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::driver {
using namespace storage;
namespace {
using catalog::AgentOptions;

/// The order matters: a template belongs to its dialect.
std::vector<catalog::OptionMember> other_options() {
    using O = AgentOptions;
    std::vector<catalog::OptionMember> all{&O::dialect, &O::template_file, &O::tools, &O::max_steps};
    for (const auto& option : tools::tool_options) all.emplace_back(option.text);
    all.insert(all.end(), {&O::system, &O::fallback, &O::schema_file});
    return all;
}
bool takes(const DriverCommand& command, std::string_view name) {
    return std::ranges::any_of(options(), [&](const Option& row) {
        return row.name == name && std::ranges::find(command.takes, row.group) != command.takes.end();
    });
}
/// Whether the command that starts such runs takes this option.
bool has_use_for(const catalog::CatalogEntry& entry, std::string_view name) {
    for (const auto& command : agent_commands())
        if (show_of_agent(command.name, {}).workflow == entry.name) return takes(command, name);
    return entry.has_model && takes(run_command(), name);
}
AgentOptions options_for(const Choices& choices, const catalog::StoredRunOptions& kept,
                         const catalog::CatalogEntry& entry) {
    auto options = catalog::options_of(kept, {});
    options.only_replays = true;
    for (const auto& member : other_options()) {
        const auto name = std::ranges::find(catalog::option_rows, member, &catalog::OptionRow::member)->flag;
        if (std::ranges::none_of(choices.given, [&](auto* option) { return option->name == name; })) continue;
        if (!has_use_for(entry, name))
            throw Error(Code::usage, "the workflow " + std::string(entry.name) + " has no use for " +
                                         std::string(name) + ": leave it out");
        if (name == "--dialect" && options.dialect != choices.agent.dialect) options.template_file.clear();
        std::visit([&](auto part) { options.*part = choices.agent.*part; }, member);
    }
    return options;
}
/// The store has only a prompt's checksum. If the run's own options still give that checksum, the stored prompt is
/// known and can be compared with the new one.
void find_place(Difference& difference, const Replayed& replayed, const catalog::CatalogEntry& entry, History history,
                const catalog::StoredRunOptions& kept) {
    std::erase_if(history.ticks, [&](const StoredTick& tick) { return tick.seq > difference.tick; });
    auto options = catalog::options_of(kept, {});
    options.only_replays = true;
    const catalog::ProcessResources process(options, [](std::string_view) {});
    catalog::RunResources here(process);
    const auto before = entry.replay(here, history, kept.input);
    if (!before.difference) difference.what += difference_between(before, replayed);
}
void say_replayed(const Replayed& replayed, bool as_object) {
    const auto& difference = replayed.difference;
    nlohmann::json found;
    if (difference) found = {{"tick", difference->tick}, {"step", difference->step}, {"what", difference->what}};
    if (as_object) say_json({{"steps", replayed.steps}, {"skipped", replayed.skipped}, {"difference", found}});
    else
        say(replayed.counts() + ": " +
            (difference ? "a difference at tick " + std::to_string(difference->tick) : "no difference"));
}
ExitCode replay_stored(const Choices& choices) {
    const auto opened = visit_store(choices);
    const auto history = history_of(*opened.store, catalog::find_run(*opened.store, choices.stored.run).id);
    const auto& entry = entry_of(history.run);
    const auto kept = checked_run(history.run, entry);
    const auto options = options_for(choices, kept, entry);
    if (options.budget.time_ms != 0)
        throw Error(Code::usage, "run " + history.run.id +
                                     " has a budget of time, so it cannot be replayed: its journal contains "
                                     "measured times");
    const catalog::ProcessResources process(options, note);
    catalog::RunResources here(process);
    auto replayed = entry.replay(here, history, kept.input);
    if (replayed.difference && replayed.difference->is_of_checksum)
        find_place(*replayed.difference, replayed, entry, history, kept);
    say_replayed(replayed, choices.show.json);
    if (!replayed.difference) return ExitCode::ok;
    complain(replayed.difference->sentence());
    return ExitCode::failed;
}
constexpr auto replay_examples =
    R"(Calls the steps again that do not wait, and those whose waits are recorded, such as the replies of a model; skips
the others. Calls no model and no tool, changes no file of the run, and needs no key. The run has the options that it
began with, except those given here. A difference causes one message on standard error, and the exit code 5.

  weft replay 4f2a --store weft.db
  weft replay 4f2a --template shorter.txt --store weft.db
)";
}

DriverCommand replay_command() {
    using enum OptionGroup;
    return {"replay",
            "call the steps of a stored run again, and name the first with a different effect",
            {run_id, prompt, tool_options, tool_servers, system, dialect, dialect_parts, schema, as_json, store},
            replay_stored,
            replay_examples};
}
}
