// The time at which the run woke is recorded, so that an attempt after a crash starts the same run.
#include "engine/schedule/steps.hpp"
#include "engine/core/sleep.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/once.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>

namespace weft::schedule {
namespace {
using namespace std::chrono_literals;
constexpr std::chrono::seconds on_time = 60s, between_looks = 5s;
constexpr std::size_t longest_error = 500;

/// The latest time in (after, now]; there is one.
Time latest(const Timetable& timetable, Time after, Time now) {
    std::optional<Time> found;
    for (auto back = 1s; !found || *found > now; back *= 2) {
        found = timetable.next(now - after > back ? now - back : after);
        if (now - after <= back) break;
    }
    while (const auto next = timetable.next(*found)) {
        if (*next > now) break;
        found = next;
    }
    return *found;
}
/// The times in (after, before), as one entry.
std::optional<Firing> missed_between(const Timetable& timetable, Time after, Time before) {
    Firing missed{.at = {}, .kind = FiringKind::missed, .times = 0, .run = {}, .error = {}};
    for (auto at = timetable.next(after); at && *at < before && missed.times < most_counted; at = timetable.next(*at)) {
        if (missed.times == 0) missed.at = *at;
        ++missed.times;
    }
    return missed.times ? std::optional(missed) : std::nullopt;
}
/// Consecutive times of this kind are one entry.
void add(ScheduleEvent& schedule, Firing firing) {
    auto& all = schedule.firings;
    const bool joins = firing.kind == FiringKind::skipped || firing.kind == FiringKind::missed;
    if (joins && !all.empty() && all.back().kind == firing.kind) all.back().times += firing.times;
    else all.push_back(std::move(firing));
    if (all.size() > most_firings) all.erase(all.begin(), all.end() - std::ptrdiff_t(most_firings));
}
/// A refusal that a further attempt would meet again.
bool is_final(const Error& error) { return error.code() == Code::usage || error.code() == Code::bad_json; }

awaitable<Firing> start_run(const ScheduleEvent& schedule, Time at, ScheduledRuns& runs) {
    Firing firing{.at = at, .kind = FiringKind::started, .times = 1, .run = {}, .error = {}};
    try {
        auto starting = runs.start({schedule.workflow, schedule.queue, key_of(schedule, at), schedule.input});
        firing.run = co_await std::move(starting);
    } catch (const Error& error) {
        if (!is_final(error)) throw;
        firing.kind = FiringKind::failed;
        firing.error = excerpt(error.what(), longest_error);
    }
    co_return firing;
}
/// Whether the run of an earlier time is in the way.
awaitable<bool> is_overlapping(const ScheduleEvent& schedule, ScheduledRuns& runs) {
    if (schedule.overlap == Overlap::allow || schedule.run.empty()) co_return false;
    auto looking = runs.is_unfinished(schedule.run);
    co_return co_await std::move(looking);
}
/// Starts the run for a time, or does what `overlap` says. The state has the outcome afterwards.
awaitable<void> fire(ScheduleEvent& schedule, Time at, ScheduledRuns& runs) {
    auto looking = is_overlapping(schedule, runs);
    const bool overlaps = co_await std::move(looking);
    schedule.waiting.reset();
    if (overlaps && schedule.overlap == Overlap::wait) {
        schedule.waiting = at;
        co_return;
    }
    if (overlaps && schedule.overlap == Overlap::skip) {
        add(schedule, {.at = at, .kind = FiringKind::skipped, .times = 1, .run = {}, .error = {}});
        co_return;
    }
    if (overlaps) {
        auto cancelling = runs.cancel(schedule.run);
        co_await std::move(cancelling);
    }
    auto starting = start_run(schedule, at, runs);
    auto firing = co_await std::move(starting);
    if (firing.kind == FiringKind::started) {
        ++schedule.started;
        schedule.run = firing.run;
    }
    add(schedule, std::move(firing));
}
/// Settles the times up to `now`.
awaitable<void> act(ScheduleEvent& schedule, const Timetable& timetable, Time now, ScheduledRuns& runs) {
    auto at = schedule.waiting;
    if (!at) {
        const auto due = due_times(schedule, timetable, now);
        schedule.last = due.settled;
        if (due.missed) add(schedule, *due.missed);
        at = due.fire;
    }
    if (!at) co_return;
    auto firing = fire(schedule, *at, runs);
    co_await std::move(firing);
}
}

std::string key_of(const ScheduleEvent& schedule, Time at) {
    return "schedule:" + schedule.name + '@' + to_json(at).get<std::string>();
}
DueTimes due_times(const ScheduleEvent& schedule, const Timetable& timetable, Time now) {
    const auto first = timetable.next(schedule.last);
    if (!first) return {.fire = {}, .settled = schedule.last, .missed = {}};
    now = std::max(now, *first);
    const auto newest = latest(timetable, schedule.last, now);
    const bool is_late = now - newest > on_time;
    auto after = schedule.last;  // times up to this one are not made up for
    if (schedule.window) after = std::max(after, now - *schedule.window - 1s);
    std::optional<Time> fire;
    if (!is_late || (schedule.missed != MissedTimes::none && newest > after)) fire = newest;
    if (schedule.missed == MissedTimes::all)
        if (const auto next = timetable.next(after); next && *next <= now) fire = next;
    DueTimes due{.fire = fire, .settled = fire.value_or(newest), .missed = {}};
    due.missed = missed_between(timetable, schedule.last, fire ? *fire : newest + 1s);
    return due;
}
ScheduleEvent with_changes(ScheduleEvent schedule, const ScheduleChanges& changes) {
    schedule.paused = changes.paused.value_or(schedule.paused);
    for (const auto& firing : changes.firings) add(schedule, firing);
    schedule.started += std::int64_t(changes.firings.size());
    auto& all = schedule.firings;
    std::ranges::stable_sort(all, {}, &Firing::at);
    const auto last = std::find_if(all.rbegin(), all.rend(), [](const Firing& firing) { return !firing.run.empty(); });
    if (!changes.firings.empty() && last != all.rend()) schedule.run = last->run;
    return schedule;
}
// Between the last suspension of a step and its end no signal comes, so no change is lost.
awaitable<std::optional<ScheduleEndedEvent>> start_on_time(Context& ctx, ScheduleEvent schedule, ScheduledRuns& runs) {
    const auto is_paused = [&] { return ctx.get<ScheduleChanges>().paused.value_or(schedule.paused); };
    if (is_paused()) {
        ctx.edit<ScheduleChanges>([&](ScheduleChanges& changes) { changes.idle = std::move(schedule); });
        co_return std::nullopt;
    }
    const auto timetable = Timetable::from_json(schedule.timetable.text);
    const auto next = schedule.waiting ? std::nullopt : timetable.next(schedule.last);
    if (!next && !schedule.waiting)
        co_return ScheduleEndedEvent{.started = schedule.started, .firings = std::move(schedule.firings)};
    if (next) co_await ctx.sleep_until(*next);
    else co_await ctx.sleep(between_looks);
    auto looking = core::wall_of_sleeps(ctx);
    const auto woken = co_await ctx.once("now", std::move(looking));
    if (!is_paused()) {
        schedule.run = with_changes(schedule, ctx.get<ScheduleChanges>()).run;  // may be one by hand
        auto acting = act(schedule, timetable, std::chrono::floor<std::chrono::seconds>(woken), runs);
        co_await std::move(acting);
    }
    ctx.begin_again(with_changes(std::move(schedule), ctx.get<ScheduleChanges>()));
    co_return std::nullopt;
}
void pause_schedule(Context& ctx, PauseScheduleEvent) {
    ctx.edit<ScheduleChanges>([](ScheduleChanges& changes) { changes.paused = true; });
}
awaitable<void> resume_schedule(Context& ctx, ResumeScheduleEvent) {
    const auto changes = ctx.get<ScheduleChanges>();
    if (!changes.idle) {
        ctx.edit<ScheduleChanges>([](ScheduleChanges& now) { now.paused = false; });
        co_return;
    }
    auto looking = core::wall_of_sleeps(ctx);
    const auto now = std::chrono::floor<std::chrono::seconds>(co_await std::move(looking));
    auto next = with_changes(*changes.idle, changes);
    next.paused = false;
    next.last = std::max(next.last, now);
    ctx.begin_again(std::move(next));
}
void note_start_by_hand(Context& ctx, StartedByHandEvent started) {
    ctx.edit<ScheduleChanges>([&](ScheduleChanges& changes) {
        changes.firings.push_back(std::move(started.firing));
        if (changes.firings.size() > most_firings) changes.firings.erase(changes.firings.begin());
    });
}
}
