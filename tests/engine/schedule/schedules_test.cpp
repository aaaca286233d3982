// The schedules of a store: made, listed, paused, run by hand and removed, beside an engine that executes them.
#include "engine/storage/answer.hpp"
#include "engine/store/sharded_store.hpp"
#include "tests/engine/schedule/kept.hpp"
#include "tests/engine/store/stores.hpp"
#include <doctest/doctest.h>
#include <thread>
using namespace kept_schedules;
using weft::schedule::testing::time_of;

namespace {
struct ScheduledEvent : StartEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ScheduledEvent, (), (text))
struct ScheduledOverEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(ScheduledOverEvent, (), ())
awaitable<ScheduledOverEvent> work(Context& ctx, ScheduledEvent event) {
    if (event.text == "endless") co_await ctx.sleep(1000h);
    co_return ScheduledOverEvent();
}
inline constexpr auto scheduled_work = workflow("report", step<work>);

/// An engine that executes the schedules and their runs.
struct Office {
    weft::testing::ManualClock& clock;
    MemoryStore& store;
    Durable<std::remove_cvref_t<decltype(scheduled_work)>> work = durable(scheduled_work);
    Engine engine{{.store = &store, .park = true, .clock = &clock}};
    std::string add(ScheduleEvent schedule) {
        auto adding = schedule::add(store, std::move(schedule), targets(work));
        return engine.wait(std::move(adding));
    }
    void execute() { (void)engine.recover(schedules_of(work), work); }
    /// Lets an hour pass when the schedule sleeps.
    void pass_hour() {
        until("schedule:s", RunStatus::waiting);
        clock.advance(1h);
    }
    /// Waits until the store has the run, with this status if one is given.
    void until(const std::string& run, std::optional<RunStatus> status = {}) {
        for (;;) {
            const auto rows = storage::answer_of<std::vector<storage::RunRow>>(
                [&](auto then) { store.list({.ids = {run}}, std::move(then)); });
            if (!rows.empty() && (!status || rows.front().status == status)) return;
            std::this_thread::yield();
        }
    }
};
/// Lets something else happen just before a run is created.
class InterruptedStore final : public MemoryStore {
public:
    using MemoryStore::MemoryStore;
    void create(storage::NewRun run, Then<storage::CreateReply> then) override {
        if (auto act = std::exchange(before_create, nullptr)) std::thread(act).join();
        MemoryStore::create(std::move(run), std::move(then));
    }
    std::function<void()> before_create;
};
/// A store that refuses each claim.
class UnclaimedStore final : public MemoryStore {
public:
    explicit UnclaimedStore(Code code) : code_(code) {}
    void claim(storage::ClaimRequest, Then<std::vector<storage::RunRow>> then) override {
        then(std::make_exception_ptr(Error(code_, "it is refused")), {});
    }

private:
    Code code_;
};
struct Desk {
    weft::testing::ManualClock clock;
    MemoryStore store{[this] { return clock.wall().time_since_epoch().count(); }};
    ScheduleEvent hourly() {
        ScheduleEvent made;
        made.name = "s";
        made.workflow = "report";
        made.queue = "slow";
        made.input.text = R"({"text":"x"})";
        made.timetable.text = Timetable::every(1h, time_of("2026-01-01T00:00:00Z")).to_json();
        return made;
    }
    ScheduleEvent state() { return weft::testing::await(find(store, "s")).event; }
};
template <class T> void check_refused(awaitable<T> work, const char* why) {
    CHECK_THROWS_WITH_AS((void)weft::testing::await(std::move(work)), doctest::Contains(why), Error);
}
}

TEST_CASE("a schedule puts a run with its input, queue and timeout into the store at each time") {
    Desk desk;
    Office office{desk.clock, desk.store};
    auto hourly = desk.hourly();
    hourly.timeout_ms = 90s;
    CHECK(office.add(hourly) == "schedule:s");
    office.execute();
    office.pass_hour();
    const std::string run = "report:schedule:s@2026-01-01T01:00:00Z";
    office.until(run);

    office.execute();
    office.until(run, RunStatus::done);

    const auto rows = storage::answer_of<std::vector<storage::RunRow>>(
        [&](auto then) { desk.store.list({.workflows = {"report"}}, std::move(then)); });
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].queue == "slow");
    CHECK(ticks_of(desk.store, run).front().at("events")[0].at("data").at("text") == "x");
    CHECK(ticks_of(desk.store, run).front().at("timeout") == 90.0);
}
TEST_CASE("a schedule starts its next run when the timeout has ended the run before") {
    Desk desk;
    Office office{desk.clock, desk.store};
    auto hourly = desk.hourly();
    hourly.input.text = R"({"text":"endless"})";
    hourly.timeout_ms = 10min;
    office.add(hourly);
    office.execute();
    office.pass_hour();
    office.until("report:schedule:s@2026-01-01T01:00:00Z", RunStatus::waiting);

    desk.clock.advance(11min);
    office.until("report:schedule:s@2026-01-01T01:00:00Z", RunStatus::timed_out);
    office.until("schedule:s", RunStatus::waiting);
    desk.clock.advance(49min);

    office.until("report:schedule:s@2026-01-01T02:00:00Z", RunStatus::waiting);
    while (desk.state().started < 2) std::this_thread::yield();
    CHECK(desk.state().firings.back().kind == FiringKind::started);
}
TEST_CASE("a schedule is refused when another process takes its name at the same time") {
    Desk desk;
    InterruptedStore store([&] { return desk.clock.wall().time_since_epoch().count(); });
    Office office{desk.clock, store}, other{desk.clock, store};
    auto daily = desk.hourly();
    daily.timetable.text = Timetable::every(24h, time_of("2026-01-01T00:00:00Z")).to_json();
    store.before_create = [&] { other.add(daily); };

    CHECK_THROWS_WITH_AS(office.add(desk.hourly()), doctest::Contains("there is a schedule \"s\" already"), Error);

    CHECK(weft::testing::await(find(store, "s")).event.timetable.text == daily.timetable.text);
}
TEST_CASE("a schedule is refused with the reason when it cannot work") {
    Desk desk;
    Office office{desk.clock, desk.store};
    office.add(desk.hourly());
    const auto refused = [&](auto change, const char* why) {
        auto made = desk.hourly();
        made.name = "t";
        change(made);
        CHECK_THROWS_WITH_AS(office.add(made), doctest::Contains(why), Error);
    };
    refused([](auto& s) { s.name = "s"; }, "there is a schedule \"s\" already");
    refused([](auto& s) { s.name = "a b"; }, "the schedule's name \"a b\" is not allowed");
    refused([](auto& s) { s.name = ""; }, "is not allowed");
    refused([](auto& s) { s.name = std::string(65, 'x'); }, "up to 64 letters");
    refused([](auto& s) { s.workflow = "other"; }, "there is no workflow \"other\" for a schedule; there are report");
    refused([](auto& s) { s.input.text = R"({"text":7})"; }, "input.text");
    refused([](auto& s) { s.input.text = '"' + std::string(70'000, 'x') + '"'; }, "more than 65536 bytes");
    refused([](auto& s) { s.missed = MissedTimes::all; }, "needs a window");
    refused(
        [](auto& s) {
            s.missed = MissedTimes::all;
            s.window = 1h;
        },
        "take overlap wait, allow or cancel");
    refused([](auto& s) { s.window = 0s; }, "1 second to 10 years");
    refused([](auto& s) { s.timeout_ms = 0ms; }, "1 millisecond to 10 years");
    refused([](auto& s) { s.timetable.text = R"({"at":"2025-01-01T00:00:00Z"})"; }, "has no time left");
    refused([](auto& s) { s.timetable.text = "{}"; }, "timetable");
    CHECK(weft::testing::await(list(desk.store)).size() == 1);
    check_refused(find(desk.store, "t"), "there is no schedule \"t\"");
    check_refused(pause(desk.store, "t"), "there is no schedule \"t\"");
}
TEST_CASE("a paused schedule starts no run, and none for the time of its pause when it resumes") {
    Keeper keeper(Timetable::every(1h, time_of("2026-01-01T00:00:00Z")));
    keeper.schedule.missed = MissedTimes::all;
    keeper.schedule.window = 24h;
    keeper.schedule.overlap = Overlap::allow;
    dying::Timed timed(keeper.clock, keeper.store);
    auto run = timed.loop.start(keeper.workflow, keeper.schedule, {.key = "s"});
    keeper.pass(timed, 90min);
    CHECK(keeper.runs.keys.size() == 1);

    run.send(keeper.pause());
    keeper.pass(timed, 3h);
    CHECK(keeper.runs.keys.size() == 1);
    CHECK(is_paused(keeper.state()));
    run.send(keeper.resume());
    keeper.pass(timed, 1h);
    CHECK_FALSE(is_paused(keeper.state()));
    CHECK(keeper.runs.keys.back() == "schedule:s@2026-01-01T05:00:00Z");
    CHECK(keeper.runs.keys.size() == 2);

    run.send(keeper.pause());
    run.send(keeper.resume());
    run.send(keeper.pause());
    run.send(keeper.resume());
    keeper.pass(timed, 1h);
    CHECK(keeper.runs.keys.size() == 3);
    run.leave();
    timed.run();
}
TEST_CASE("signals by mail count also when no engine is there") {
    Desk desk;
    Office office{desk.clock, desk.store};
    office.add(desk.hourly());

    weft::testing::await(pause(desk.store, "s"), desk.clock);
    CHECK(is_paused(desk.state()));
    auto starting = run_now(desk.store, "s", targets(office.work));
    const auto by_hand = office.engine.wait(std::move(starting));
    weft::testing::await(resume(desk.store, "s"), desk.clock);
    CHECK_FALSE(is_paused(desk.state()));

    office.execute();
    office.until(by_hand, RunStatus::done);
    office.pass_hour();
    office.until("report:schedule:s@2026-01-01T01:00:00Z");
    while (desk.state().started < 2) std::this_thread::yield();
    const auto state = desk.state();
    REQUIRE(state.firings.size() == 2);
    CHECK(state.firings[0].kind == FiringKind::by_hand);
    CHECK(state.firings[0].run == by_hand);
    CHECK(state.firings[1].kind == FiringKind::started);
}
TEST_CASE("a removed schedule ends at once, and its name is free, when no engine is there") {
    Desk desk;
    Office office{desk.clock, desk.store};
    office.add(desk.hourly());

    CHECK(weft::testing::await(remove(desk.store, "s")));

    CHECK(weft::testing::await(find(desk.store, "s")).status == RunStatus::cancelled);
    CHECK(weft::testing::await(list(desk.store)).empty());
    check_refused(remove(desk.store, "s"), "has ended or been removed");
    check_refused(pause(desk.store, "s"), "has ended or been removed");
    CHECK(office.add(desk.hourly()) == "schedule:s");
    CHECK(weft::testing::await(list(desk.store)).size() == 1);
}
TEST_CASE("a removed schedule ends at once when the heartbeat of an engine without workers gives its run back") {
    Desk desk;
    stores::BeatingStore store([&] { return desk.clock.wall().time_since_epoch().count(); });
    Durable<std::remove_cvref_t<decltype(scheduled_work)>> work = durable(scheduled_work);
    for (int removals = 0; removals < 3; ++removals) {
        store.beats = 0;
        (void)weft::testing::await(schedule::add(store, desk.hourly(), targets(work)));
        store.beats = 2;

        CHECK(weft::testing::await(remove(store, "s")));

        CHECK(stores::row(store, "schedule:s").status == RunStatus::cancelled);
    }
    store.beats = 0;
    (void)weft::testing::await(schedule::add(store, desk.hourly(), targets(work)));
    store.beats = 1000;
    CHECK_FALSE(weft::testing::await(remove(store, "s")));
    CHECK(weft::testing::await(find(store, "s")).is_ending);
}
TEST_CASE("a removed schedule ends by its engine, and then its name is free, when an engine has it") {
    Desk desk;
    Office office{desk.clock, desk.store};
    office.add(desk.hourly());
    stores::claim(desk.store, {.owner = "busy", .ids = {"schedule:s"}});

    CHECK_FALSE(weft::testing::await(remove(desk.store, "s")));

    CHECK(weft::testing::await(find(desk.store, "s")).is_ending);
    CHECK_THROWS_WITH_AS(office.add(desk.hourly()), doctest::Contains("is about to end"), Error);
    check_refused(pause(desk.store, "s"), "is removed, and ends when a worker takes its run");
    dying::free_all(desk.store);
    office.execute();
    office.until("schedule:s", RunStatus::cancelled);
    CHECK(office.add(desk.hourly()) == "schedule:s");
}
TEST_CASE("schedules are made whatever their database is, when the store has grown") {
    Desk desk;
    const auto now = [&] { return desk.clock.wall().time_since_epoch().count(); };
    MemoryStore first(now), second(now);
    first.share();
    second.share();
    ShardedStore store({&first, &second}, {1, 2});
    Durable<std::remove_cvref_t<decltype(scheduled_work)>> work = durable(scheduled_work);

    for (int i = 0; i < 8; ++i) {
        auto schedule = desk.hourly();
        schedule.name = std::to_string(i);
        CHECK(weft::testing::await(schedule::add(store, std::move(schedule), targets(work))) ==
              "schedule:" + std::to_string(i));
    }

    CHECK_FALSE(stores::list(first).empty());
    CHECK_FALSE(stores::list(second).empty());
    CHECK(weft::testing::await(list(store)).size() == 8);
}
TEST_CASE("a removal is left to the engine that alone may claim runs, and fails when the store fails") {
    Desk desk;
    Durable<std::remove_cvref_t<decltype(scheduled_work)>> work = durable(scheduled_work);
    UnclaimedStore owned(Code::usage), failing(Code::journal);
    for (Store* store : {static_cast<Store*>(&owned), static_cast<Store*>(&failing)})
        (void)weft::testing::await(schedule::add(*store, desk.hourly(), targets(work)));

    CHECK_FALSE(weft::testing::await(remove(owned, "s")));
    CHECK_THROWS_WITH_AS(weft::testing::await(remove(failing, "s")), "it is refused", Error);

    CHECK(weft::testing::await(find(owned, "s")).is_ending);
}
TEST_CASE("a damaged schedule is listed with its name beside the others, and can be removed") {
    Desk desk;
    Office office{desk.clock, desk.store};
    office.add(desk.hourly());
    auto run = stores::run_of("schedule:broken", "");
    run.start_key = "broken";
    run.plan = {.hash = "h", .workflow = "schedule", .plan = "{}"};
    stores::create(desk.store, run);

    const auto all = weft::testing::await(list(desk.store));

    REQUIRE(all.size() == 2);
    CHECK(all[0].event.name == "broken");
    CHECK(all[0].damage);
    CHECK_FALSE(all[1].damage);
    CHECK(weft::testing::await(remove(desk.store, "broken")));
    CHECK(weft::testing::await(list(desk.store)).size() == 1);
}
