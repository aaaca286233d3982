// Pauses of a schedule, runs by hand and the problems of one machine, in virtual time.
#include "tests/engine/schedule/kept.hpp"
#include <cstdlib>
#include <doctest/doctest.h>
using namespace kept_schedules;
using dying::resume_on;
using dying::Timed;
using weft::schedule::testing::time_of;

namespace {
const auto start_of_2026 = time_of("2026-01-01T00:00:00Z");
const auto each_hour = Timetable::every(1h, start_of_2026);
StartedByHandEvent by_hand(const std::string& run, Time at) {
    StartedByHandEvent noted;
    noted.firing = {.at = at, .kind = FiringKind::by_hand, .times = 1, .run = run, .error = {}};
    return noted;
}
/// Puts a schedule into its store, and executes it up to 00:30.
void begin(Keeper& keeper) {
    Timed timed(keeper.clock, keeper.store);
    auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
    keeper.pass(timed, 30min);
    run.leave();
    timed.run();
}
/// Lets an engine execute the schedule again.
void go_on(Keeper& keeper, std::chrono::seconds time) {
    Timed timed(keeper.clock, keeper.store);
    auto run = resume_on(timed.loop, keeper.workflow, "schedule:s");
    keeper.pass(timed, time);
    run.leave();
    timed.run();
}
/// A folder without zones, as on a machine without tzdata.
struct NoZones {
    NoZones() { ::setenv("TZDIR", "/nonexistent", 1); }
    ~NoZones() { ::unsetenv("TZDIR"); }
};
}

TEST_CASE("a pause is kept when the store answers for it after the schedule has started a run") {
    Keeper keeper(each_hour);
    Timed timed(keeper.clock, keeper.store);
    auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
    const auto answers = keeper.clock.make_alarm(timed.io.get_executor(), [&] { keeper.store.flow(); });
    keeper.runs.while_starting = [&] {
        keeper.store.hold();
        run.send(keeper.pause());
        answers->set(keeper.clock.now() + 1s);
    };

    keeper.pass(timed, 3h);

    CHECK(is_paused(keeper.state()));
    CHECK(keeper.runs.keys.size() == 1);
    run.leave();
    timed.run();
}
TEST_CASE("times before a pause are missed, and those inside of it are not, when no engine was there") {
    struct Policy {
        MissedTimes missed;
        std::vector<std::string> started;
        std::int64_t missed_times;
    };
    for (const auto& policy : {Policy{MissedTimes::none, {"05"}, 2}, Policy{MissedTimes::last, {"02", "05"}, 1},
                               Policy{MissedTimes::all, {"01", "02", "05"}, 0}}) {
        CAPTURE(int(policy.missed));
        Keeper keeper(each_hour);
        keeper.schedule.missed = policy.missed;
        keeper.schedule.window = 24h;
        keeper.schedule.overlap = Overlap::allow;
        begin(keeper);
        keeper.clock.advance(2h);  // 02:30
        weft::testing::await(pause(keeper.store, "s"), keeper.clock);
        CHECK(is_paused(keeper.state()));
        keeper.clock.advance(2h);  // 04:30
        weft::testing::await(resume(keeper.store, "s"), keeper.clock);
        CHECK_FALSE(is_paused(keeper.state()));

        go_on(keeper, 1h);  // 05:30

        std::vector<std::string> all;
        for (const auto& hour : policy.started) all.push_back("schedule:s@2026-01-01T" + hour + ":00:00Z");
        CHECK(keeper.runs.keys == all);
        const auto state = keeper.state();
        std::int64_t missed = 0;
        for (const auto& each : state.firings) missed += each.kind == FiringKind::missed ? each.times : 0;
        CHECK(missed == policy.missed_times);
        CHECK(state.pauses.empty());
    }
}
TEST_CASE("a paused schedule keeps its missed times until it resumes when no engine was there before the pause") {
    Keeper keeper(each_hour);
    keeper.schedule.overlap = Overlap::allow;
    begin(keeper);
    keeper.clock.advance(2h);  // 02:30
    weft::testing::await(pause(keeper.store, "s"), keeper.clock);

    go_on(keeper, 2h);  // 04:30
    CHECK(keeper.runs.keys.empty());
    weft::testing::await(resume(keeper.store, "s"), keeper.clock);
    go_on(keeper, 1h);

    CHECK(keeper.runs.keys ==
          std::vector<std::string>{"schedule:s@2026-01-01T02:00:00Z", "schedule:s@2026-01-01T05:00:00Z"});
    CHECK(keeper.state().firings.front().kind == FiringKind::missed);
}
TEST_CASE("a pause after a resumption holds, and the time between them is missed, when no engine was there for both") {
    Keeper keeper(each_hour);
    keeper.schedule.overlap = Overlap::allow;
    begin(keeper);
    weft::testing::await(pause(keeper.store, "s"), keeper.clock);
    go_on(keeper, 1h);  // 01:30
    weft::testing::await(resume(keeper.store, "s"), keeper.clock);
    keeper.clock.advance(1h);
    weft::testing::await(pause(keeper.store, "s"), keeper.clock);
    keeper.clock.advance(1h);

    go_on(keeper, 2h);  // 05:30
    CHECK(is_paused(keeper.state()));
    CHECK(keeper.runs.keys.empty());
    weft::testing::await(resume(keeper.store, "s"), keeper.clock);
    go_on(keeper, 1h);

    CHECK(keeper.runs.keys ==
          std::vector<std::string>{"schedule:s@2026-01-01T02:00:00Z", "schedule:s@2026-01-01T06:00:00Z"});
}
TEST_CASE("a resumption counts from its sending when its schedule has slept through it") {
    Keeper keeper(each_hour);
    keeper.schedule.missed = MissedTimes::all;
    keeper.schedule.window = 24h;
    keeper.schedule.overlap = Overlap::allow;
    Timed timed(keeper.clock, keeper.store);
    auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
    keeper.pass(timed, 30min);
    run.send(keeper.pause());
    keeper.pass(timed, 4h);  // 04:30
    const auto resumption = keeper.resume();
    keeper.pass(timed, 2h);

    run.send(resumption);
    keeper.pass(timed, 1h);

    std::vector<std::string> all;
    for (auto at = start_of_2026 + 5h; at <= start_of_2026 + 7h; at += 1h) all.push_back(key_of(keeper.schedule, at));
    CHECK(keeper.runs.keys == all);
    run.leave();
    timed.run();
}
TEST_CASE("an unfinished run of the timetable is in the way also when a later run by hand has ended") {
    Keeper keeper(each_hour);
    Timed timed(keeper.clock, keeper.store);
    auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
    keeper.pass(timed, 90min);
    REQUIRE(keeper.runs.unfinished_runs.size() == 1);

    for (int i = 0; i < 30; ++i) run.send(by_hand("hand " + std::to_string(i), start_of_2026 + 90min));
    keeper.pass(timed, 1h);

    const auto state = keeper.state();
    CHECK(state.firings.back().kind == FiringKind::skipped);
    CHECK(state.started == 31);
    CHECK(state.by_hand.size() == most_firings);
    keeper.runs.unfinished_runs = {"hand 29"};
    keeper.pass(timed, 1h);
    CHECK(keeper.state().firings.back().times == 2);
    keeper.runs.unfinished_runs.clear();
    keeper.pass(timed, 1h);
    CHECK(keeper.runs.keys.size() == 2);
    run.leave();
    timed.run();
}
TEST_CASE("a schedule waits and says why when a machine lacks its time zone, and goes on at another one") {
    Keeper keeper(Timetable::cron("0 * * * *", "Europe/Berlin"));
    keeper.schedule.overlap = Overlap::allow;
    begin(keeper);
    {
        const NoZones here;
        go_on(keeper, 25h);
        const auto state = keeper.state();
        REQUIRE(state.problem);
        CHECK(state.problem->find("install the package tzdata") != std::string::npos);
        CHECK(keeper.runs.keys.empty());
        CHECK(ticks_of(keeper.store, "schedule:s").size() < 5);
    }

    go_on(keeper, 1h);

    CHECK_FALSE(keeper.state().problem);
    CHECK(keeper.state().firings.front().kind == FiringKind::missed);
    CHECK(keeper.runs.keys.back() ==
          key_of(keeper.schedule, std::chrono::floor<std::chrono::hours>(
                                      std::chrono::floor<std::chrono::seconds>(keeper.clock.wall()))));
}
TEST_CASE("a time is noted as failed, and the schedule goes on, when no attempt can start its run") {
    Keeper keeper(each_hour);
    keeper.runs.failures = 1000;
    Timed timed(keeper.clock, keeper.store);
    auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});

    keeper.pass(timed, std::chrono::days(2));
    keeper.runs.failures = 0;
    keeper.pass(timed, 2h);

    CHECK_FALSE(run.ended());
    const auto first = keeper.state().firings.front();
    CHECK(first.at == start_of_2026 + 1h);
    CHECK(first.kind == FiringKind::failed);
    CHECK(first.error == "the store is away");
    CHECK(keeper.state().started > 0);
    run.leave();
    timed.run();
}
