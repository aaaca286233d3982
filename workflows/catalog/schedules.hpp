// Schedules for workflows of the catalogue (engine/schedule/schedules.hpp), and their JSON.
//
//     auto adding = schedule::add(store, nightly, scheduled_target, schedule_options);
//     for (const auto& each : ...) say_json(to_json(describe_schedule(each, now)));
#pragma once
#include "engine/schedule/schedules.hpp"

namespace weft::catalog {
/// The workflow of a scheduled run, with the options of a detached run. Throws Error{usage} for an unknown workflow or
/// an unknown field of its input. A schedule::FindTarget.
schedule::RunTarget scheduled_target(const std::string& workflow, const nlohmann::json& input);
/// RunOptions::stored of a schedule's own run.
std::string schedule_options(const schedule::ScheduleEvent&);

/// A schedule for programs and people.
struct DescribedSchedule {
    std::string name, run;
    std::string state;  // active, paused, ending, damaged, done, cancelled, failed or timed_out
    std::string workflow;
    JsonText input, timetable;
    std::string means;  // the timetable in English
    std::string queue;
    schedule::MissedTimes missed = schedule::MissedTimes::last;
    std::optional<std::chrono::seconds> window;
    schedule::Overlap overlap = schedule::Overlap::skip;
    std::optional<std::chrono::milliseconds> timeout_ms;  // of a run
    std::vector<schedule::Time> next;                     // at most five
    std::optional<schedule::Time> waiting;                // the time whose run waits for the end of the one before
    std::int64_t started = 0;                             // runs
    std::optional<std::string> problem;                   // a sentence: no time can start a run
    std::vector<schedule::Firing> firings;                // the latest, oldest first
};
BOOST_DESCRIBE_STRUCT(DescribedSchedule, (),
                      (name, run, state, workflow, input, timetable, means, queue, missed, window, overlap, timeout_ms,
                       next, waiting, started, problem, firings))
DescribedSchedule describe_schedule(const schedule::ListedSchedule&, schedule::Time now);
std::vector<std::string> started_runs(const DescribedSchedule&);  // the ids that its firings have
/// The schedule with a member "status" in each firing: that of its run. Null: it has none, or the store has it no more.
nlohmann::json with_statuses(const DescribedSchedule&, const std::vector<storage::RunRow>& started);
}
