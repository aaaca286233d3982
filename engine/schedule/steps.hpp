// The steps of a schedule (engine/schedule/workflow.hpp). Each round of its run waits for the next time, starts a run
// of another workflow, and begins again with the new state of the schedule.
//
//     schedule::ScheduleEvent nightly;
//     nightly.name = "nightly";
//     nightly.workflow = "report";
//     nightly.timetable.text = schedule::Timetable::cron("0 2 * * *", "Europe/Berlin").to_json();
//
// The run for a time has the start key "schedule:NAME@TIME". So each time starts one run, whatever dies meanwhile.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "engine/describe.hpp"
#include "engine/event.hpp"
#include "engine/json/text.hpp"
#include "engine/schedule/timetable.hpp"
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::schedule {
using Time = Timetable::Time;

/// Which times are made up for when nobody was there. A time is missed if a later one has come, or if it is more than a
/// minute late.
enum class MissedTimes {
    none,
    last,  // only the latest of them
    all,   // one after the other
};
BOOST_DESCRIBE_ENUM(MissedTimes, none, last, all)
/// The treatment of a time while the run of an earlier one has not ended.
enum class Overlap {
    skip,    // no run starts
    wait,    // the run starts when that one has ended; later times until then count as missed
    allow,   // the run starts beside it
    cancel,  // that one is cancelled, and the run starts
};
BOOST_DESCRIBE_ENUM(Overlap, skip, wait, allow, cancel)

enum class FiringKind {
    started,
    by_hand,  // started by request, outside of the timetable
    skipped,  // because of Overlap::skip
    missed,
    failed,  // the run could not be started
};
BOOST_DESCRIBE_ENUM(FiringKind, started, by_hand, skipped, missed, failed)
/// A time of a schedule and its outcome, or consecutive ones that were skipped or missed.
struct Firing {
    Time at;  // the first one
    FiringKind kind = FiringKind::started;
    std::int64_t times = 1;            // their number; of missed ones at most most_counted
    std::string run;                   // id of the started run
    std::optional<std::string> error;  // failed: a sentence
    bool operator==(const Firing&) const = default;
};
BOOST_DESCRIBE_STRUCT(Firing, (), (at, kind, times, run, error))
inline constexpr std::size_t most_firings = 20;  // in ScheduleEvent::firings
inline constexpr std::int64_t most_counted = 1000;
inline constexpr std::size_t most_pauses = 100;  // a further one joins the one before

/// Times later than `from`, up to `until`, start no run, and are not made up for.
struct SchedulePause {
    Time from;
    std::optional<Time> until;  // empty: the schedule is paused
    bool operator==(const SchedulePause&) const = default;
};
BOOST_DESCRIBE_STRUCT(SchedulePause, (), (from, until))

/// A schedule with its state, which begins each round.
struct ScheduleEvent : StartEvent {
    std::string name,       // of the schedule
        workflow,           // that is started
        queue = "default";  // of its runs
    JsonText input{"{}"};   // its start event
    JsonText timetable;     // Timetable::to_json()
    MissedTimes missed = MissedTimes::last;
    std::optional<std::chrono::seconds> window;  // missed times older than this are not made up for
    Overlap overlap = Overlap::skip;
    std::vector<SchedulePause> pauses;   // those with times later than `last`, in order
    Time last;                           // the last time whose outcome is known; at first the creation
    std::optional<Time> waiting;         // Overlap::wait: the time whose run waits
    std::int64_t started = 0;            // number of started runs
    std::string run;                     // id of the last one of the timetable; empty: none
    std::vector<std::string> by_hand;    // ids of the latest ones outside of the timetable
    std::vector<Firing> firings;         // the latest, oldest first
    std::optional<std::string> problem;  // a sentence: the worker that had the schedule last cannot read its timetable
    std::optional<std::chrono::milliseconds> timeout_ms;  // RunOptions::timeout of its runs
};
BOOST_DESCRIBE_STRUCT(ScheduleEvent, (),
                      (name, workflow, queue, input, timetable, missed, window, overlap, pauses, last, waiting, started,
                       run, by_hand, firings, problem, timeout_ms))
/// No run starts until a ResumeScheduleEvent comes.
struct PauseScheduleEvent : SignalEvent {
    Time at;  // the time of sending
};
BOOST_DESCRIBE_STRUCT(PauseScheduleEvent, (), (at))
/// Times of the pause are not made up for. Those before it are, as MissedTimes says.
struct ResumeScheduleEvent : SignalEvent {
    Time at;  // the time of sending
};
BOOST_DESCRIBE_STRUCT(ResumeScheduleEvent, (), (at))
/// A run was started outside of the timetable: for the list of runs, and for Overlap.
struct StartedByHandEvent : SignalEvent {
    Firing firing;
};
BOOST_DESCRIBE_STRUCT(StartedByHandEvent, (), (firing))
/// A pause or a resumption.
struct PauseChange {
    bool paused = false;
    Time at;
};
BOOST_DESCRIBE_STRUCT(PauseChange, (), (paused, at))
/// A paused schedule has got a resumption.
struct ScheduleWakesEvent {};
BOOST_DESCRIBE_STRUCT(ScheduleWakesEvent, (), ())
/// The slot of signals in this round. Its last step carries them into the next round.
struct ScheduleChanges {
    std::vector<PauseChange> pauses;    // in order
    std::vector<Firing> firings;        // the latest by hand
    std::int64_t started = 0;           // number of runs by hand
    std::int64_t taken = 0;             // number of signals
    std::optional<ScheduleEvent> idle;  // the state of a paused schedule
};
BOOST_DESCRIBE_STRUCT(ScheduleChanges, (), (pauses, firings, started, taken, idle))
/// The end of a schedule that has no further time.
struct ScheduleEndedEvent : StopEvent {
    std::int64_t started = 0;
    std::vector<Firing> firings;
};
BOOST_DESCRIBE_STRUCT(ScheduleEndedEvent, (), (started, firings))

/// The runs that a schedule starts. Thread-safe. Each function throws Error{journal} if the store fails.
class ScheduledRuns {
public:
    virtual ~ScheduledRuns() = default;
    struct RunToStart {
        std::string workflow, queue, key;
        JsonText input;
        std::optional<std::chrono::milliseconds> timeout;
    };
    /// Puts a run into the store and returns its id. If a run with this key exists, returns that one's. Throws
    /// Error{usage} for an unknown workflow, and Error{bad_json} for an input that does not fit.
    virtual awaitable<std::string> start(RunToStart) = 0;
    /// Those of these runs that the store has, and that have not ended.
    virtual awaitable<std::vector<std::string>> unfinished(std::vector<std::string> runs) = 0;
    virtual awaitable<void> cancel(std::string run) = 0;
    /// Gets each outcome of times: for metrics. Again, if the worker dies before it is stored.
    virtual void fired(const ScheduleEvent&, const Firing&, [[maybe_unused]] std::chrono::seconds late) {}
};

/// The actions of a schedule at a time.
struct DueTimes {
    std::optional<Time> fire;      // starts a run
    Time settled;                  // ScheduleEvent::last from now on
    std::optional<Firing> missed;  // not made up for
};
/// The schedule is not paused.
DueTimes due_times(const ScheduleEvent&, const Timetable&, Time now);
/// "schedule:nightly@2026-01-31T02:00:00Z"
std::string key_of(const ScheduleEvent&, Time);

bool is_paused(const ScheduleEvent&);
/// The first time later than `after` that is in no pause.
std::optional<Time> next_time(const ScheduleEvent&, const Timetable&, Time after);
/// A change for the slot or the mail of a schedule. Beyond most_pauses it joins two pauses.
void add_change(ScheduleChanges&, PauseChange);
/// The state with the changes by signals, none of which is later than `now`.
ScheduleEvent with_changes(ScheduleEvent, const ScheduleChanges&, Time now = Time::max());

awaitable<std::optional<ScheduleEndedEvent>> start_on_time(Context&, ScheduleEvent, ScheduledRuns&);
void pause_schedule(Context&, PauseScheduleEvent);
std::optional<ScheduleWakesEvent> resume_schedule(Context&, ResumeScheduleEvent);
awaitable<void> wake_schedule(Context&, ScheduleWakesEvent);
void note_start_by_hand(Context&, StartedByHandEvent);
}
