// `weft schedule`: adds, lists, shows, pauses and removes the schedules of a store. Workers execute them.
#include "engine/clock.hpp"
#include "engine/json.hpp"
#include "engine/store_reply.hpp"
#include "engine/text/iso_time.hpp"
#include "engine/text/text.hpp"
#include "workflows/catalog/schedules.hpp"
#include "workflows/catalog/stored/stored_runs.hpp"
#include "workflows/driver/commands.hpp"
#include "workflows/driver/store.hpp"
#include "workflows/driver/terminal/console.hpp"
#include "workflows/driver/values.hpp"
#include <algorithm>
#include <boost/describe/enum_from_string.hpp>
#include <boost/describe/enum_to_string.hpp>
#include <nlohmann/json.hpp>

namespace weft::driver {
namespace {
using catalog::DescribedSchedule;
using namespace std::chrono_literals;
using schedule::ScheduleEvent, schedule::Timetable;

schedule::Time now() { return std::chrono::floor<std::chrono::seconds>(real_clock().wall()); }
std::string text_of(schedule::Time time) { return to_json(time).get<std::string>(); }
std::string with_times(const std::vector<schedule::Time>& times) { return with_commas(times, text_of); }
/// The enumerator of this name.
template <class Enum> Enum word(const std::string& option, const std::string& text, const char* words) {
    Enum found{};
    if (!boost::describe::enum_from_string(text.c_str(), found))
        throw Error(Code::usage, option + " takes " + words + ", not \"" + text + '"');
    return found;
}
schedule::Time whole_second(WallTime time) {
    const auto second = std::chrono::floor<std::chrono::seconds>(time);
    if (second != time) throw Error(Code::usage, "--at of a schedule is a whole second: leave out its fraction");
    return second;
}
/// "90m": the largest unit of which there is a whole number.
std::string text_of(std::chrono::milliseconds time) {
    const auto length = std::chrono::floor<std::chrono::seconds>(time);
    if (length != time) return std::to_string(time.count()) + "ms";
    for (const auto& [seconds, unit] : {std::pair(24 * 3600, "d"), std::pair(3600, "h"), std::pair(60, "m")})
        if (length.count() % seconds == 0) return std::to_string(length.count() / seconds) + unit;
    return std::to_string(length.count()) + 's';
}
Timetable timetable_of(const ScheduleChoices& chosen, schedule::Time now) {
    if (!chosen.cron.empty()) return Timetable::cron(chosen.cron, chosen.zone.empty() ? "UTC" : chosen.zone);
    if (!chosen.zone.empty()) throw Error(Code::usage, "--tz is the zone of --cron: add --cron, or leave it out");
    if (chosen.every.has_value() + chosen.at.has_value() + chosen.in.has_value() > 1)
        throw Error(Code::usage, "--every, --at and --in cannot be given together");
    if (chosen.every) return Timetable::every(*chosen.every, now);
    if (chosen.in) return Timetable::at(now + std::max(*chosen.in, 1s));
    if (chosen.at) return Timetable::at(std::max(whole_second(*chosen.at), now + 1s));  // a past one is now
    throw Error(Code::usage,
                "say when the schedule starts runs: --cron \"0 9 * * 1-5\", --every 5m, --at or --in TIME");
}
ScheduleEvent schedule_of(const Choices& choices) {
    const auto& chosen = choices.schedule;
    ScheduleEvent made;
    made.name = chosen.name;
    made.workflow = chosen.workflow;
    made.queue = chosen.queue;
    made.input.text = read_input(choices.input).dump();
    made.last = now();  // one moment for its times and its first check, however long the check takes
    made.timetable.text = timetable_of(chosen, made.last).to_json();
    made.missed = word<schedule::MissedTimes>("--missed", chosen.missed, "none, last or all");
    made.window = chosen.window;
    made.timeout_ms = choices.agent.timeout;
    if (made.missed == schedule::MissedTimes::all) made.overlap = schedule::Overlap::wait;
    if (!chosen.overlap.empty())
        made.overlap = word<schedule::Overlap>("--overlap", chosen.overlap, "skip, wait, allow or cancel");
    check_one_queue(made.queue);
    return made;
}
ExitCode add_schedule(const Choices& choices) {
    if (choices.schedule.workflow.empty())
        throw Error(Code::usage, "say which workflow the schedule starts: weft schedule add NAME WORKFLOW");
    auto made = schedule_of(choices);
    const auto timetable = Timetable::from_json(made.timetable.text);
    const auto opened = open_beside(choices);
    const auto name = made.name;
    const auto begin = made.last;
    say(wait_for(schedule::add(*opened.store, std::move(made), catalog::scheduled_target, catalog::schedule_options)));
    if (!choices.show.quiet)
        note("schedule " + name + " starts a run " + timetable.in_words() + "; next at " +
             with_times(timetable.next_times(begin, 2)) + ", if `weft worker` or `weft serve` uses " +
             named_store(choices));
    return ExitCode::ok;
}
/// `run`: of one schedule, or empty.
void note_absent_workers(const catalog::OpenedStore& opened, const Choices& choices, const std::string& run) {
    if (!opened.has_engine(run))
        note("no worker uses " + named_store(choices) +
             ", so no schedule starts a run: start `weft worker` or `weft serve`");
}
ExitCode list_schedules(const Choices& choices) {
    const auto opened = visit_store(choices);
    const auto all = wait_for(schedule::list(*opened.store));
    if (all.empty() && !choices.show.json) note("there are no schedules in " + named_store(choices));
    auto exit = ExitCode::ok;
    for (const auto& each : all) {
        const auto one = catalog::describe_schedule(each, now());
        if (each.damage) exit = ExitCode::failed;
        if (choices.show.json) {
            say_json(to_json(one));
            continue;
        }
        say_in_one_line(one.name + ": " + one.state + ", " + one.workflow + " " + one.means);
        if (!one.next.empty()) say("    next at " + with_times(one.next));
        if (one.problem) say_in_one_line("    problem: " + *one.problem);
        if (each.damage) say_in_one_line("    `weft schedule remove " + one.name + "` removes it");
    }
    if (!all.empty() && !choices.show.json) note_absent_workers(opened, choices, {});
    return exit;
}
std::string line_of(const schedule::Firing& firing, const std::vector<storage::RunRow>& rows) {
    auto line = text_of(firing.at) + "  " + boost::describe::enum_to_string(firing.kind, "");
    if (firing.times > 1)
        line += ", with later ones " + std::to_string(firing.times) +
                (firing.times >= schedule::most_counted ? " times or more" : " times");
    if (firing.error) line += ": " + *firing.error;
    if (firing.run.empty()) return line;
    const auto row = std::ranges::find(rows, firing.run, &storage::RunRow::id);
    return line + "  " + firing.run + "  " + (row == rows.end() ? "deleted" : std::string(name(row->status)));
}
ExitCode show_schedule(const Choices& choices) {
    const auto opened = visit_store(choices);
    const auto found = wait_for(schedule::find(*opened.store, choices.schedule.name));
    const auto one = catalog::describe_schedule(found, now());
    const auto ids = catalog::started_runs(one);
    const auto rows = ids.empty() ? std::vector<storage::RunRow>() : catalog::rows_of(*opened.store, {.ids = ids});
    if (choices.show.json) {
        say_json(catalog::with_statuses(one, rows));
        return ExitCode::ok;
    }
    const auto say_fact = [](std::string_view fact, const std::string& text) {
        if (!text.empty()) say_in_one_line(cell(fact, 12) + text);
    };
    say_fact("schedule", one.name);
    say_fact("state", one.state);
    say_fact("workflow", one.workflow);
    say_fact("input", one.input.text);
    say_fact("times", one.means);
    say_fact("next", with_times(one.next));
    say_fact("queue", one.queue);
    say_fact("missed", boost::describe::enum_to_string(one.missed, ""));
    if (one.window) say_fact("window", text_of(*one.window));
    say_fact("overlap", boost::describe::enum_to_string(one.overlap, ""));
    if (one.timeout_ms) say_fact("timeout", text_of(*one.timeout_ms));
    if (one.waiting) say_fact("waits", "the run for " + text_of(*one.waiting) + ", until the one before has ended");
    say_fact("problem", one.problem.value_or(""));
    say_fact("started", std::to_string(one.started));
    say_fact("run", one.run);
    for (const auto& firing : one.firings) say_in_one_line("    " + line_of(firing, rows));
    if (one.state == "active") note_absent_workers(opened, choices, found.run);
    return ExitCode::ok;
}
ExitCode change_schedule(const Choices& choices, awaitable<void> (*change)(Store&, std::string),
                         const std::string& effect) {
    const auto opened = visit_store(choices);
    wait_for(change(*opened.store, choices.schedule.name));
    note("schedule " + choices.schedule.name + ' ' + effect);
    return ExitCode::ok;
}
ExitCode pause_schedule(const Choices& choices) {
    return change_schedule(choices, schedule::pause, "starts no run until `weft schedule resume`");
}
ExitCode resume_schedule(const Choices& choices) {
    return change_schedule(choices, schedule::resume, "starts runs again; times of the pause are not made up for");
}
ExitCode remove_schedule(const Choices& choices) {
    auto opened = visit_store(choices);
    if (catalog::is_store_file(store_name(choices)) && !opened.has_engine({}))
        opened = catalog::open_store(store_name(choices), SqliteAccess::engine);
    const bool ended = wait_for(schedule::remove(*opened.store, choices.schedule.name));
    note("schedule " + choices.schedule.name + " starts no more runs; those that it has started go on" +
         (ended ? "" : ". Its name is free when a worker has ended it"));
    return ExitCode::ok;
}
ExitCode run_schedule(const Choices& choices) {
    const auto opened = visit_store(choices);
    say(wait_for(schedule::run_now(*opened.store, choices.schedule.name, catalog::scheduled_target)));
    return ExitCode::ok;
}
struct ScheduleAction {
    std::string_view name;
    bool takes_name;
    ExitCode (*act)(const Choices&);
};
constexpr ScheduleAction actions[] = {
    {"add", true, add_schedule},       {"list", false, list_schedules},   {"show", true, show_schedule},
    {"pause", true, pause_schedule},   {"resume", true, resume_schedule}, {"run", true, run_schedule},
    {"remove", true, remove_schedule},
};
/// Whether the action takes this option of the command line.
bool takes(const ScheduleAction& action, const Option& option) {
    const std::string_view given = option.name;
    if (given == "NAME") return action.takes_name;
    if (given == "--json") return action.act == list_schedules || action.act == show_schedule;
    const bool is_for_add = given == "WORKFLOW" || option.group == OptionGroup::timeout ||
                            (option.group == OptionGroup::scheduling && is_named(option));
    return !is_for_add || action.act == add_schedule;
}
bool shows(std::string_view name, const Option& option) {
    const auto action = std::ranges::find(actions, name, &ScheduleAction::name);
    return action == std::end(actions) || (std::string_view(option.name) != "ACTION" && takes(*action, option));
}
void check_options(const Choices& choices, const ScheduleAction& action) {
    const auto& chosen = choices.schedule;
    if (action.takes_name && chosen.name.empty())
        throw Error(Code::usage, "say which schedule: weft schedule " + std::string(action.name) + " NAME");
    const auto refuse = [&](const std::string& what) {
        throw Error(Code::usage,
                    "weft schedule " + std::string(action.name) + " has no use for " + what + ": leave it out");
    };
    for (const auto* option : choices.given) {
        const std::string_view given = option->name;
        if (!takes(action, *option))
            refuse(given == "NAME" ? chosen.name : given == "WORKFLOW" ? chosen.workflow : option->name);
    }
}
ExitCode act_on_schedules(const Choices& choices) {
    const auto& chosen = choices.schedule.action;
    for (const auto& action : actions)
        if (action.name == chosen) {
            check_options(choices, action);
            return action.act(choices);
        }
    throw Error(Code::usage, "there is no action \"" + chosen + "\"; weft schedule takes " +
                                 with_commas(actions, &ScheduleAction::name));
}
constexpr auto schedule_examples =
    R"(A schedule is a stored run that workers of its queue or `weft serve` execute. Each of its times starts one run,
with the start key schedule:NAME@TIME, however many workers there are and whatever dies. A time is missed if a later one
has come, or if nobody comes within a minute. --overlap wait lets one time wait; later ones count as missed. Times of a
pause are never made up for. `weft schedule ACTION --help` explains one action.

  weft schedule add report hello --cron "0 9 * * 1-5" --tz Europe/Berlin --input '{"text": "World"}' --store weft.db
  weft schedule add survey research --every 5m --missed all --window 1h --overlap wait --store weft.db
  weft schedule list --store weft.db
  weft schedule show report --store weft.db
  weft schedule pause report --store weft.db
  weft schedule run report --store weft.db
  weft schedule remove report --store weft.db
)";
}

DriverCommand schedule_command() {
    using enum OptionGroup;
    return {"schedule",
            "start runs of a workflow at set times",
            {scheduling, timeout, as_json, quiet, store},
            act_on_schedules,
            schedule_examples,
            nullptr,
            shows};
}
}
