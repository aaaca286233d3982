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
    schedule::EngineRuns runs(engine, store, schedule::targets(reports));
    const auto schedules = durable(schedule::keeping.with(runs));

    schedule::ScheduleEvent weekdays;
    weekdays.name = "weekdays";
    weekdays.workflow = "report";
    weekdays.input.text = R"({"about": "sales"})";
    weekdays.timetable.text = schedule::Timetable::cron("0 9 * * 1-5", "Europe/Berlin").to_json();
    auto adding = schedule::add(engine, store, weekdays, schedule::targets(reports));
    engine.wait(std::move(adding));

    engine.recover(reports, schedules);  // or worker.offer(engine, schedules)
    // [/schedule]
    const auto rows_of = [&](const std::string& workflow) {
        return storage::answer_of<std::vector<storage::RunRow>>(
            [&](auto then) { store.list({.workflows = {workflow}}, std::move(then)); });
    };
    while (rows_of("schedule").front().status != RunStatus::waiting) std::this_thread::yield();
    clock.advance(9h);
    while (rows_of("report").empty()) std::this_thread::yield();
    CHECK(rows_of("report").front().start_key == "schedule:weekdays@2026-01-01T08:00:00Z");
    engine.leave_all(0ms);  // uses `runs` until then
}
