// The decision of a schedule at a time: which run starts, and which times are missed.
#include "engine/schedule/steps.hpp"
#include "tests/engine/schedule/times.hpp"
#include <doctest/doctest.h>
using namespace weft::schedule;
using namespace std::chrono_literals;

namespace {
const auto ten = weft::schedule::testing::time_of("2026-03-01T10:00:00Z");
const auto each_hour = Timetable::every(1h, ten);
DueTimes due_after(std::chrono::seconds late, MissedTimes missed, std::optional<std::chrono::seconds> window = {}) {
    ScheduleEvent schedule;
    schedule.last = ten;
    schedule.missed = missed;
    schedule.window = window;
    return due_times(schedule, each_hour, ten + 1h + late);
}
}

TEST_CASE("a time is due alone when somebody comes within a minute") {
    for (const auto missed : {MissedTimes::none, MissedTimes::last, MissedTimes::all})
        for (const auto late : {0s, 60s}) {
            const auto due = due_after(late, missed, 1s);
            CHECK(due.fire == ten + 1h);
            CHECK(due.settled == ten + 1h);
            CHECK_FALSE(due.missed);
        }
}
TEST_CASE("no missed time is made up for when the policy is none") {
    const auto due = due_after(2h + 61s, MissedTimes::none);

    CHECK_FALSE(due.fire);
    CHECK(due.settled == ten + 3h);
    REQUIRE(due.missed);
    CHECK(due.missed->at == ten + 1h);
    CHECK(due.missed->times == 3);
}
TEST_CASE("a time that has just come is due when the policy is none and earlier ones are missed") {
    const auto due = due_after(2h + 5s, MissedTimes::none);

    CHECK(due.fire == ten + 3h);
    REQUIRE(due.missed);
    CHECK(due.missed->times == 2);
}
TEST_CASE("the last missed time is due within the window only") {
    CHECK(due_after(5h + 10min, MissedTimes::last).fire == ten + 6h);
    CHECK(due_after(5h + 10min, MissedTimes::last).missed->times == 5);
    CHECK(due_after(5h + 10min, MissedTimes::last, 10min).fire == ten + 6h);
    CHECK_FALSE(due_after(5h + 10min, MissedTimes::last, 9min).fire);
    CHECK(due_after(5h + 10min, MissedTimes::last, 9min).settled == ten + 6h);
}
TEST_CASE("the first time within the window is due when all missed times count") {
    const auto due = due_after(5h + 10min, MissedTimes::all, 3h);

    CHECK(due.fire == ten + 4h);
    CHECK(due.settled == ten + 4h);
    REQUIRE(due.missed);
    CHECK(due.missed->times == 3);
    CHECK(due_after(5h + 10min, MissedTimes::all, 24h).fire == ten + 1h);
    CHECK_FALSE(due_after(5h + 10min, MissedTimes::all, 5min).fire);
}
TEST_CASE("the count of missed times ends at its limit when years have passed") {
    ScheduleEvent schedule;
    schedule.last = ten;
    schedule.missed = MissedTimes::last;
    const auto due = due_times(schedule, Timetable::every(1s, ten), ten + std::chrono::years(5));

    CHECK(due.fire == ten + std::chrono::years(5));
    REQUIRE(due.missed);
    CHECK(due.missed->times == most_counted);
}
TEST_CASE("a due time is the latest of a cron expression when it comes in clusters") {
    ScheduleEvent schedule;
    schedule.last = ten;
    const auto timetable = Timetable::cron("*/7 3 1 * *");
    for (auto days : {31, 40, 365, 3000}) {
        const auto now = ten + std::chrono::days(days);
        const auto due = due_times(schedule, timetable, now);
        REQUIRE(due.fire);
        CHECK(*due.fire <= now);
        CHECK(*timetable.next(*due.fire) > now);
    }
}
TEST_CASE("a pause takes its own times out of a timetable, and no others") {
    ScheduleEvent schedule;
    schedule.last = ten;
    schedule.missed = MissedTimes::all;
    schedule.pauses = {{ten + 1h, ten + 3h}, {ten + 4h + 1s, ten + 6h - 1s}};

    CHECK(next_time(schedule, each_hour, ten) == ten + 1h);
    CHECK(next_time(schedule, each_hour, ten + 1h) == ten + 4h);
    CHECK(next_time(schedule, each_hour, ten + 4h) == ten + 6h);
    schedule.last = ten + 1h;
    CHECK(due_times(schedule, each_hour, ten + 7h).fire == ten + 4h);
    schedule.missed = MissedTimes::none;
    const auto due = due_times(schedule, each_hour, ten + 9h + 10min);
    CHECK_FALSE(due.fire);
    CHECK(due.missed->times == 5);
    schedule.pauses.back().until.reset();
    CHECK_FALSE(next_time(schedule, each_hour, ten + 4h));
}
TEST_CASE("two pauses join when a schedule has too many of them") {
    ScheduleChanges changes;
    for (int i = 0; i < 1000; ++i) add_change(changes, {i % 2 == 0, ten + i * 1h});
    CHECK(changes.pauses.size() <= most_pauses);
    CHECK_FALSE(changes.pauses.back().paused);

    ScheduleEvent schedule;
    for (int i = 0; i < 50; ++i) schedule = with_changes(schedule, changes);
    CHECK(schedule.pauses.size() == most_pauses);
    CHECK(schedule.pauses.back().until == ten + 999h);
    CHECK_FALSE(is_paused(schedule));
}
TEST_CASE("a pause ends and begins at the present when the clock of its sender is ahead") {
    ScheduleChanges changes;
    add_change(changes, {true, ten + 1h});
    add_change(changes, {false, ten + 3h});

    const auto schedule = with_changes({}, changes, ten + 2h);

    CHECK(schedule.pauses == std::vector{SchedulePause{ten + 1h, ten + 2h}});
}
