// A schedule that starts reports on weekdays, in virtual time.
#include "engine/durable.hpp"
#include "engine/schedule/schedules.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/manual_clock.hpp"
#include <doctest/doctest.h>
#include <thread>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct ReportEvent : StartEvent {
    std::string about;
};
BOOST_DESCRIBE_STRUCT(ReportEvent, (), (about))
struct ReportedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(ReportedEvent, (), ())
ReportedEvent write_report(Context&, ReportEvent) { return {}; }
inline constexpr auto report = workflow("report", step<write_report>);
}

TEST_CASE("a schedule of weekdays starts a report at its next time") {
    testing::ManualClock clock;  // begins on Thursday, 2026-01-01
    MemoryStore store([&] { return clock.wall().time_since_epoch().count(); });
    Engine engine({.store = &store, .park = true, .clock = &clock});
    // [schedule]
    const auto reports = durable(report);
    const auto times = schedule::Timetable::cron("0 9 * * 1-5", "Europe/Berlin");
    engine.schedule(reports, {.about = "sales"},
                    schedule::ScheduleEvent{.name = "weekdays", .timetable = {times.to_json()}});

    engine.recover(reports, schedule::schedules_of(reports));  // or worker.offer(engine, ...) for each
    // [/schedule]
    const auto rows_of = [&](const std::string& workflow) {
        return storage::answer_of<std::vector<storage::RunRow>>(
            [&](auto then) { store.list({.workflows = {workflow}}, std::move(then)); });
    };
    while (rows_of("schedule").front().status != RunStatus::waiting) std::this_thread::yield();
    clock.advance(9h);
    while (rows_of("report").empty()) std::this_thread::yield();
    CHECK(rows_of("report").front().start_key == "schedule:weekdays@2026-01-01T08:00:00Z");
}
