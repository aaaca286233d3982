// A schedule in virtual time, and the runs that it starts: for the tests of schedules.
#pragma once
#include "engine/durable.hpp"
#include "engine/schedule/schedules.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/engine/schedule/times.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/timed.hpp"
#include <functional>
#include <map>
#include <set>

namespace kept_schedules {
using namespace weft;
using namespace weft::schedule;
using namespace std::chrono_literals;

/// Keeps the runs that a schedule starts in memory.
struct Started final : ScheduledRuns {
    std::vector<std::string> keys;  // of new runs, in order
    std::set<std::string> unfinished_runs, cancelled;
    std::string refusal;
    int failures = 0;
    int starts = 0;                        // calls of start()
    std::function<void()> while_starting;  // called once, a moment before the end of a start
    awaitable<std::string> start(RunToStart run) override {
        ++starts;
        if (const auto act = std::exchange(while_starting, nullptr)) {
            act();
            co_await sleep_for(1ms);
        }
        if (!refusal.empty()) throw Error(Code::usage, refusal);
        if (failures > 0 && failures--) throw Error(Code::journal, "the store is away");
        if (std::find(keys.begin(), keys.end(), run.key) == keys.end()) {
            keys.push_back(run.key);
            unfinished_runs.insert(run.key);
        }
        co_return run.key;
    }
    awaitable<std::vector<std::string>> unfinished(std::vector<std::string> all) override {
        std::erase_if(all, [&](const std::string& run) { return !unfinished_runs.contains(run); });
        co_return all;
    }
    std::vector<std::pair<Firing, std::chrono::seconds>> fired_times;
    void fired(const ScheduleEvent&, const Firing& firing, std::chrono::seconds late) override {
        fired_times.emplace_back(firing, late);
    }
    awaitable<void> cancel(std::string run) override {
        cancelled.insert(run);
        unfinished_runs.erase(run);
        co_return;
    }
};
inline WallTime wall(Time at) { return WallTime(at); }
/// Its clock begins at 2026-01-01 00:00 UTC.
struct Keeper {
    weft::testing::ManualClock clock;
    MemoryStore store{[this] { return clock.wall().time_since_epoch().count(); }};
    Started runs;
    ScheduleEvent schedule;
    Durable<std::remove_cvref_t<decltype(keeping)>> workflow = durable(keeping.with(runs));
    Time begin = std::chrono::floor<std::chrono::seconds>(clock.wall());

    explicit Keeper(const Timetable& timetable) {
        schedule.name = "s";
        schedule.workflow = "report";
        schedule.timetable.text = timetable.to_json();
        schedule.last = begin;
    }
    /// Lets the alarms ring that come within this time.
    void pass(dying::Timed& timed, std::chrono::seconds time) {
        bool over = false;
        const auto end = clock.make_alarm(timed.io.get_executor(), [&] { over = true; });
        end->set(clock.now() + time);
        timed.run();
        while (!over) {
            clock.jump();
            timed.run();
        }
    }
    PauseScheduleEvent pause() {
        PauseScheduleEvent event;
        event.at = std::chrono::floor<std::chrono::seconds>(clock.wall());
        return event;
    }
    ResumeScheduleEvent resume() {
        ResumeScheduleEvent event;
        event.at = std::chrono::floor<std::chrono::seconds>(clock.wall());
        return event;
    }
    ScheduleEvent state() { return weft::testing::await(find(store, "s")).event; }
};
}
