// The workflow of schedules in virtual time: a year, missed times, overlaps, deaths at any call of the store.
#include "tests/engine/schedule/kept.hpp"
#include <doctest/doctest.h>
using namespace kept_schedules;
using dying::resume_on;
using dying::Timed;
using weft::schedule::testing::time_of;

namespace {
const auto hourly = [](Time from) { return Timetable::every(1h, from); };
const auto start_of_2026 = time_of("2026-01-01T00:00:00Z");
std::vector<FiringKind> kinds_of(const ScheduleEvent& schedule) {
    std::vector<FiringKind> kinds;
    for (auto& each : schedule.firings) kinds.push_back(each.kind);
    return kinds;
}
}

TEST_CASE("each time of a year starts one run in three zones, also when clocks change") {
    struct Place {
        const char *zone, *first, *second;  // of its days with changed clocks in 2026: the times of these days
    };
    for (const auto& place : {Place{"Europe/Berlin", "2026-03-29T01:30:00Z", "2026-10-25T00:30:00Z"},
                              Place{"America/New_York", "2026-03-08T07:30:00Z", "2026-11-01T07:30:00Z"},
                              Place{"Australia/Lord_Howe", "2026-10-03T15:30:00Z", "2026-04-04T16:00:00Z"}}) {
        CAPTURE(std::string_view(place.zone));
        Keeper keeper(Timetable::cron("30 2 * * *", place.zone));
        keeper.schedule.overlap = Overlap::allow;
        Timed timed(keeper.clock, keeper.store);
        auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});

        keeper.pass(timed, std::chrono::days(365));

        const std::set<std::string> keys(keeper.runs.keys.begin(), keeper.runs.keys.end());
        CHECK(keeper.runs.keys.size() == 365);
        CHECK(keys.size() == 365);
        CHECK(keys.contains(std::string("schedule:s@") + place.first));
        CHECK(keys.contains(std::string("schedule:s@") + place.second));
        const auto state = keeper.state();
        CHECK(state.started == 365);
        CHECK(state.firings.size() == most_firings);
        CHECK(ticks_of(keeper.store, "schedule:s").size() < 5);
        run.leave();
        timed.run();
    }
}
TEST_CASE("missed times are made up for by their policy when nobody was there") {
    struct Policy {
        MissedTimes missed;
        std::size_t started;
    };
    for (const auto& policy : {Policy{MissedTimes::none, 3}, {MissedTimes::last, 4}, {MissedTimes::all, 7}}) {
        CAPTURE(policy.started);
        Keeper keeper(hourly(start_of_2026));
        keeper.schedule.missed = policy.missed;
        keeper.schedule.window = 24h;
        keeper.schedule.overlap = Overlap::allow;
        {
            Timed timed(keeper.clock, keeper.store);
            auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
            keeper.pass(timed, 2h);
            run.leave();
            timed.run();
        }
        keeper.clock.advance(4h + 10min);

        Timed timed(keeper.clock, keeper.store);
        auto run = resume_on(timed.loop, keeper.workflow, "schedule:s");
        keeper.pass(timed, 1h);

        CHECK(keeper.runs.keys.size() == policy.started);
        CHECK(keeper.runs.keys.back() == "schedule:s@2026-01-01T07:00:00Z");
        run.leave();
        timed.run();
    }
}
TEST_CASE("an unfinished run is skipped, awaited, joined or cancelled by the policy of overlaps") {
    using enum FiringKind;
    for (const auto overlap : {Overlap::skip, Overlap::wait, Overlap::allow, Overlap::cancel}) {
        CAPTURE(int(overlap));
        Keeper keeper(hourly(start_of_2026));
        keeper.schedule.overlap = overlap;
        Timed timed(keeper.clock, keeper.store);
        auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});

        keeper.pass(timed, 3h + 30min);
        const auto state = keeper.state();
        auto& runs = keeper.runs;
        if (overlap == Overlap::allow) CHECK(runs.keys.size() == 3);
        else if (overlap == Overlap::cancel) {
            CHECK(runs.keys.size() == 3);
            CHECK(runs.cancelled.size() == 2);
        } else CHECK(runs.keys.size() == 1);
        if (overlap == Overlap::skip) {
            CHECK(kinds_of(state) == std::vector{started, skipped});
            CHECK(state.firings.back().times == 2);
        }
        if (overlap == Overlap::wait) CHECK(state.waiting == start_of_2026 + 2h);

        runs.unfinished_runs.clear();
        keeper.pass(timed, 10s);
        if (overlap == Overlap::wait) CHECK(runs.keys.back() == "schedule:s@2026-01-01T02:00:00Z");
        keeper.pass(timed, 30min);
        if (overlap == Overlap::skip) CHECK(runs.keys.back() == "schedule:s@2026-01-01T04:00:00Z");
        run.leave();
        timed.run();
    }
}
TEST_CASE("a schedule tells the outcome of each time, and how late it is") {
    using enum FiringKind;
    Keeper keeper(hourly(start_of_2026));
    Timed before(keeper.clock, keeper.store);
    auto run = before.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
    keeper.pass(before, 2h + 1min);
    run.leave();
    before.run();
    keeper.clock.advance(3h);
    keeper.runs.unfinished_runs.clear();
    Timed after(keeper.clock, keeper.store);
    auto again = resume_on(after.loop, keeper.workflow, "schedule:s");
    keeper.pass(after, 1s);

    const auto& all = keeper.runs.fired_times;
    REQUIRE(all.size() == 4);
    CHECK(all[0] == std::pair(Firing{.at = start_of_2026 + 1h, .run = "schedule:s@2026-01-01T01:00:00Z"}, 0s));
    CHECK(all[1].first.kind == skipped);
    CHECK(all[2].first.kind == missed);
    CHECK(all[2].first.times == 2);
    CHECK(all[2].second >= 2h);
    CHECK(all[3].first.at == start_of_2026 + 5h);
    CHECK(all[3].second >= 1min);
    CHECK(all[3].second < 2min);
    again.leave();
    after.run();
}
TEST_CASE("each time starts one run when the process dies at any call of the store") {
    bool died = true;
    for (long calls = 1; died; ++calls) {
        CAPTURE(calls);
        Keeper keeper(Timetable::every(1h, start_of_2026));
        keeper.schedule.missed = MissedTimes::all;
        keeper.schedule.window = 240h;
        keeper.schedule.overlap = Overlap::allow;
        {
            dying::Dying dying(keeper.store, calls);
            Timed timed(keeper.clock, dying);
            auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
            keeper.pass(timed, 4h);
            died = dying.left <= 0;
        }
        dying::free_all(keeper.store);
        Timed timed(keeper.clock, keeper.store);
        auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
        keeper.pass(timed, 3h);
        if (ticks_of(keeper.store, "schedule:s").empty()) continue;

        const auto end = keeper.clock.wall();
        std::vector<std::string> all;
        for (auto at = start_of_2026 + 1h; at <= end; at += 1h) all.push_back(key_of(keeper.schedule, at));
        CHECK(keeper.runs.keys == all);
        CHECK(keeper.state().started == std::int64_t(all.size()));
        run.leave();
        timed.run();
    }
}
TEST_CASE("a start is tried again when the store fails, and noted when the workflow refuses it") {
    Keeper keeper(hourly(start_of_2026));
    keeper.runs.failures = 5;
    Timed timed(keeper.clock, keeper.store);
    auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
    keeper.pass(timed, 90min);
    CHECK(keeper.runs.keys.size() == 1);

    keeper.runs.unfinished_runs.clear();
    keeper.runs.refusal = "there is no workflow report";
    keeper.pass(timed, 1h);

    const auto state = keeper.state();
    CHECK(kinds_of(state) == std::vector{FiringKind::started, FiringKind::failed});
    CHECK(state.firings.back().error == "there is no workflow report");
    CHECK(state.run == keeper.runs.keys.front());
    run.leave();
    timed.run();
}
TEST_CASE("a schedule ends when its timetable has no time left") {
    Keeper keeper(Timetable::at(start_of_2026 + 72h));
    Timed timed(keeper.clock, keeper.store);
    auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});

    keeper.pass(timed, 100h);

    REQUIRE(run.ended());
    CHECK(run.outcome().started == 1);
    CHECK(keeper.runs.keys == std::vector<std::string>{"schedule:s@2026-01-04T00:00:00Z"});
}
TEST_CASE("a run that was started by hand counts for overlaps") {
    Keeper keeper(hourly(start_of_2026));
    Timed timed(keeper.clock, keeper.store);
    auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
    keeper.pass(timed, 90min);
    keeper.runs.unfinished_runs = {"by hand"};

    using enum FiringKind;
    StartedByHandEvent noted;
    noted.firing = {.at = start_of_2026 + 90min, .kind = by_hand, .times = 1, .run = "by hand", .error = {}};
    run.send(noted);
    keeper.pass(timed, 1h);

    CHECK(kinds_of(keeper.state()) == std::vector{started, by_hand, skipped});
    run.leave();
    timed.run();
}
TEST_CASE("one round of a schedule can be tested without a run") {
    Keeper keeper(hourly(start_of_2026));
    Context ctx;

    auto ended = weft::testing::await(start_on_time(ctx, keeper.schedule, keeper.runs), keeper.clock);

    CHECK_FALSE(ended);
    REQUIRE(ctx.next_start<ScheduleEvent>());
    CHECK(ctx.next_start<ScheduleEvent>()->last == start_of_2026 + 1h);
    CHECK(ctx.next_start<ScheduleEvent>()->run == "schedule:s@2026-01-01T01:00:00Z");
}
