// The time at which the run woke is recorded, so that each attempt after a crash or a failure starts the same run.
#include "engine/schedule/steps.hpp"
#include "engine/core/sleep.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/once.hpp"
#include "engine/signal.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <boost/asio/post.hpp>

namespace weft::schedule {
namespace {
using namespace std::chrono_literals;
constexpr std::chrono::seconds on_time = 60s, between_attempts = 30s;
// Long enough to leave memory, else the schedule keeps its place in a queue, which the run that it waits for may need.
constexpr std::chrono::seconds between_looks = 7s;
constexpr std::size_t longest_error = 500;
constexpr unsigned most_attempts = 200;  // to start a run; the step has some more

/// The latest time in (after, now]; there is one.
Time latest(const ScheduleEvent& schedule, const Timetable& timetable, Time now) {
    const auto after = schedule.last;
    std::optional<Time> found;
    for (auto back = 1s; !found || *found > now; back *= 2) {
        found = next_time(schedule, timetable, now - after > back ? now - back : after);
        if (now - after <= back) break;
    }
    while (const auto next = next_time(schedule, timetable, *found)) {
        if (*next > now) break;
        found = next;
    }
    return *found;
}
/// The times later than the last one, and before this one, as one entry.
std::optional<Firing> missed_before(const ScheduleEvent& schedule, const Timetable& timetable, Time before) {
    Firing missed{.at = {}, .kind = FiringKind::missed, .times = 0, .run = {}, .error = {}};
    for (auto at = next_time(schedule, timetable, schedule.last); at && *at < before && missed.times < most_counted;
         at = next_time(schedule, timetable, *at)) {
        if (missed.times == 0) missed.at = *at;
        ++missed.times;
    }
    return missed.times ? std::optional(missed) : std::nullopt;
}
template <class Each> void trim(std::vector<Each>& all) {
    if (all.size() > most_firings) all.erase(all.begin(), all.end() - std::ptrdiff_t(most_firings));
}
/// Consecutive times of this kind are one entry.
void add(ScheduleEvent& schedule, Firing firing) {
    auto& all = schedule.firings;
    const bool joins = firing.kind == FiringKind::skipped || firing.kind == FiringKind::missed;
    if (joins && !all.empty() && all.back().kind == firing.kind) all.back().times += firing.times;
    else all.push_back(std::move(firing));
    trim(all);
}
/// A refusal that a further attempt would meet again.
bool is_final(const Error& error) { return error.code() == Code::usage || error.code() == Code::bad_json; }

awaitable<Firing> start_run(const ScheduleEvent& schedule, Time at, unsigned attempt, ScheduledRuns& runs) {
    Firing firing{.at = at, .kind = FiringKind::started, .times = 1, .run = {}, .error = {}};
    try {
        auto starting = runs.start(
            {schedule.workflow, schedule.queue, key_of(schedule, at), schedule.input, schedule.timeout_ms});
        firing.run = co_await std::move(starting);
    } catch (const Error& error) {
        if (!is_final(error) && attempt < most_attempts) throw;
        firing.kind = FiringKind::failed;
        firing.error = excerpt(error.what(), longest_error);
    }
    co_return firing;
}
/// The runs that are in the way of a further one.
awaitable<std::vector<std::string>> overlapping(const ScheduleEvent& schedule, ScheduledRuns& runs) {
    auto all = schedule.by_hand;
    if (!schedule.run.empty()) all.push_back(schedule.run);
    if (schedule.overlap == Overlap::allow || all.empty()) co_return std::vector<std::string>();
    auto looking = runs.unfinished(std::move(all));
    co_return co_await std::move(looking);
}
/// Starts the run for a time, or does what `overlap` says. Returns the outcome; empty: the time waits.
awaitable<std::optional<Firing>> fire(ScheduleEvent& schedule, Time at, unsigned attempt, ScheduledRuns& runs) {
    auto looking = overlapping(schedule, runs);
    const auto in_the_way = co_await std::move(looking);
    schedule.waiting.reset();
    if (!in_the_way.empty() && schedule.overlap == Overlap::wait) {
        schedule.waiting = at;
        co_return std::nullopt;
    }
    if (!in_the_way.empty() && schedule.overlap == Overlap::skip) {
        Firing skipped{.at = at, .kind = FiringKind::skipped, .times = 1, .run = {}, .error = {}};
        co_return skipped;
    }
    for (const auto& run : in_the_way) {
        auto cancelling = runs.cancel(run);
        co_await std::move(cancelling);
    }
    auto starting = start_run(schedule, at, attempt, runs);
    auto firing = co_await std::move(starting);
    if (firing.kind == FiringKind::started) {
        ++schedule.started;
        schedule.run = firing.run;
    }
    co_return firing;
}
/// Settles the times up to `now`, then tells their outcomes: an attempt that fails tells none.
awaitable<void> act(ScheduleEvent& schedule, const Timetable& timetable, Time now, unsigned attempt,
                    ScheduledRuns& runs) {
    std::vector<Firing> settled;
    auto at = schedule.waiting;
    if (!at) {
        const auto due = due_times(schedule, timetable, now);
        schedule.last = due.settled;
        if (due.missed) settled.push_back(*due.missed);
        at = due.fire;
    }
    if (at) {
        auto firing = fire(schedule, *at, attempt, runs);
        if (auto outcome = co_await std::move(firing)) settled.push_back(*std::move(outcome));
    }
    for (auto& firing : settled) {
        runs.fired(schedule, firing, std::max(now - firing.at, 0s));
        add(schedule, std::move(firing));
    }
}
/// Forgets pauses without a time of their own, and counts those with no time before them as settled.
void settle_pauses(ScheduleEvent& schedule, const Timetable& timetable) {
    auto& all = schedule.pauses;
    const auto has_time = [&](Time after, Time until) {
        const auto next = timetable.next(after);
        return next && *next <= until;
    };
    std::erase_if(all, [&](const SchedulePause& pause) {
        return pause.until && !has_time(std::max(pause.from, schedule.last), *pause.until);
    });
    while (!all.empty() && all.front().until && !has_time(schedule.last, all.front().from)) {
        schedule.last = std::max(schedule.last, *all.front().until);
        all.erase(all.begin());
    }
}
void add_pause(ScheduleEvent& schedule, PauseChange change) {
    auto& all = schedule.pauses;
    if (change.paused == is_paused(schedule)) return;
    if (!change.paused) all.back().until = std::max(all.back().from, change.at);
    else if (all.size() == most_pauses) all.back().until.reset();
    else all.push_back({all.empty() ? change.at : std::max(*all.back().until, change.at), {}});
}
void add_by_hand(ScheduleEvent& schedule, const std::vector<Firing>& firings) {
    auto& all = schedule.by_hand;
    for (const auto& firing : firings) all.push_back(firing.run);
    trim(all);
}
void take_signals(ScheduleEvent& schedule, const ScheduleChanges& changes, Time now) {
    for (const auto& change : changes.pauses) add_pause(schedule, {change.paused, std::min(change.at, now)});
    add_by_hand(schedule, changes.firings);
}
/// The time and the signals by which a round acts: recorded, so that each attempt does the same.
struct WokenSchedule {
    Time now;
    ScheduleChanges changes;
};
BOOST_DESCRIBE_STRUCT(WokenSchedule, (), (now, changes))
/// Lets the loop execute what is ready.
awaitable<void> take_turns() {
    const auto* scope = co_await core::awaiting_scope();
    for (int turns = 0; turns < 2; ++turns) {
        const Signal over;
        asio::post(scope->executor(), [over] { over.ring(); });
        auto rung = over.wait();
        co_await std::move(rung);
    }
}
/// A schedule that returns to memory takes its signals first. A clock that is late does not count before `due`.
awaitable<WokenSchedule> wake(const Context& ctx, Time due) {
    for (std::int64_t taken = -1; taken != ctx.get<ScheduleChanges>().taken;) {
        taken = ctx.get<ScheduleChanges>().taken;
        auto taking = take_turns();
        co_await std::move(taking);
    }
    auto looking = core::wall_of_sleeps(ctx);
    const auto now = std::chrono::floor<std::chrono::seconds>(co_await std::move(looking));
    co_return WokenSchedule{std::max(now, due), ctx.get<ScheduleChanges>()};
}
/// As the first attempt that came here recorded it.
awaitable<WokenSchedule> woken_once(Context& ctx, Time due) {
    std::optional<WokenSchedule> recorded;
    for (int n = 1; !recorded; ++n) {  // empty: a crash before the record
        auto waking = wake(ctx, due);
        auto recording = ctx.at_most_once("woken " + std::to_string(n), std::move(waking));
        recorded = co_await std::move(recording);
    }
    co_return *std::move(recorded);
}
/// The timetable, or a sentence: this machine cannot read it.
std::pair<std::optional<Timetable>, std::optional<std::string>> timetable_of(const ScheduleEvent& schedule) {
    try {
        return {Timetable::from_json(schedule.timetable.text), {}};
    } catch (const Error& error) { return {{}, excerpt(error.what(), longest_error)}; }
}
}

std::string key_of(const ScheduleEvent& schedule, Time at) {
    return "schedule:" + schedule.name + '@' + to_json(at).get<std::string>();
}
bool is_paused(const ScheduleEvent& schedule) { return !schedule.pauses.empty() && !schedule.pauses.back().until; }
std::optional<Time> next_time(const ScheduleEvent& schedule, const Timetable& timetable, Time after) {
    auto at = timetable.next(after);
    for (const auto& pause : schedule.pauses) {
        if (!at || *at <= pause.from) break;
        if (!pause.until) return {};
        if (*at <= *pause.until) at = timetable.next(*pause.until);
    }
    return at;
}
DueTimes due_times(const ScheduleEvent& schedule, const Timetable& timetable, Time now) {
    const auto first = next_time(schedule, timetable, schedule.last);
    if (!first || *first > now) return {.fire = {}, .settled = schedule.last, .missed = {}};
    const auto newest = latest(schedule, timetable, now);
    const bool is_late = now - newest > on_time;
    auto after = schedule.last;  // times up to this one are not made up for
    if (schedule.window) after = std::max(after, now - *schedule.window - 1s);
    std::optional<Time> fire;
    if (!is_late || (schedule.missed != MissedTimes::none && newest > after)) fire = newest;
    if (schedule.missed == MissedTimes::all)
        if (const auto next = next_time(schedule, timetable, after); next && *next <= now) fire = next;
    DueTimes due{.fire = fire, .settled = fire.value_or(newest), .missed = {}};
    due.missed = missed_before(schedule, timetable, fire ? *fire : newest + 1s);
    return due;
}
void add_change(ScheduleChanges& changes, PauseChange change) {
    ++changes.taken;
    auto& all = changes.pauses;
    if (!all.empty() && all.back().paused == change.paused) return;
    all.push_back(change);
    if (all.size() > most_pauses) all.erase(all.begin() + 1, all.begin() + 3);
}
ScheduleEvent with_changes(ScheduleEvent schedule, const ScheduleChanges& changes, Time now) {
    take_signals(schedule, changes, now);
    schedule.started += changes.started;
    auto& all = schedule.firings;
    all.insert(all.end(), changes.firings.begin(), changes.firings.end());
    std::ranges::stable_sort(all, {}, &Firing::at);
    trim(all);
    return schedule;
}
awaitable<std::optional<ScheduleEndedEvent>> start_on_time(Context& ctx, ScheduleEvent schedule, ScheduledRuns& runs) {
    const auto is_paused_now = [&] { return is_paused(with_changes(schedule, ctx.get<ScheduleChanges>())); };
    std::optional<WokenSchedule> recorded;
    if (is_paused_now()) {  // since this attempt, or since one that may have started a run
        auto recording = woken_once(ctx, Time::min());
        recorded = co_await std::move(recording);
        if (is_paused(with_changes(schedule, recorded->changes)) && is_paused_now()) {
            ctx.edit<ScheduleChanges>([&](ScheduleChanges& changes) { changes.idle = std::move(schedule); });
            co_return std::nullopt;
        }
    }
    const auto [timetable, problem] = timetable_of(schedule);
    if (problem || schedule.problem) {
        if (problem && schedule.problem) co_await ctx.sleep(between_attempts);  // another worker may take the run
        schedule.problem = problem;
        ctx.begin_again([schedule](const ScheduleChanges& changes) { return with_changes(schedule, changes); });
        co_return std::nullopt;
    }
    const auto next = schedule.waiting ? std::nullopt : next_time(schedule, *timetable, schedule.last);
    if (!next && is_paused(schedule)) {  // and resumed since this round began
        ctx.begin_again([schedule](const ScheduleChanges& changes) { return with_changes(schedule, changes); });
        co_return std::nullopt;
    }
    if (!next && !schedule.waiting)
        co_return ScheduleEndedEvent{.started = schedule.started, .firings = std::move(schedule.firings)};
    if (!recorded) {
        if (next) co_await ctx.sleep_until(*next);
        else co_await ctx.sleep(between_looks);
        auto recording = woken_once(ctx, next.value_or(Time::min()));
        recorded = co_await std::move(recording);
    }
    const auto& woken = *recorded;
    auto state = schedule;
    take_signals(state, woken.changes, woken.now);
    if (!is_paused(state)) {
        auto acting = act(state, *timetable, woken.now, ctx.attempt(), runs);
        co_await std::move(acting);
    }
    state.pauses = schedule.pauses;
    state.by_hand = schedule.by_hand;
    ctx.begin_again([state, times = *timetable, now = woken.now](const ScheduleChanges& changes) {
        auto changed = with_changes(state, changes, now);
        settle_pauses(changed, times);
        return changed;
    });
    co_return std::nullopt;
}
void pause_schedule(Context& ctx, PauseScheduleEvent pause) {
    ctx.edit<ScheduleChanges>([&](ScheduleChanges& changes) { add_change(changes, {true, pause.at}); });
}
std::optional<ScheduleWakesEvent> resume_schedule(Context& ctx, ResumeScheduleEvent resume) {
    const bool is_idle = ctx.get<ScheduleChanges>().idle.has_value();
    ctx.edit<ScheduleChanges>([&](ScheduleChanges& changes) { add_change(changes, {false, resume.at}); });
    if (is_idle) return ScheduleWakesEvent{};
    return std::nullopt;
}
/// A step of its own, because the function does not see the edits of its step, and changes have an order.
awaitable<void> wake_schedule(Context& ctx, ScheduleWakesEvent) {
    auto looking = core::wall_of_sleeps(ctx);
    const auto now = std::chrono::floor<std::chrono::seconds>(co_await std::move(looking));
    ctx.begin_again([now](const ScheduleChanges& changes) { return with_changes(*changes.idle, changes, now); });
}
void note_start_by_hand(Context& ctx, StartedByHandEvent started) {
    ctx.edit<ScheduleChanges>([&](ScheduleChanges& changes) {
        ++changes.taken;
        ++changes.started;
        changes.firings.push_back(std::move(started.firing));
        trim(changes.firings);
    });
}
}
