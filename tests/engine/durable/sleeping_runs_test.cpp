// Sleeping runs that leave memory, and return at their time, for an answer or for a cancellation.
#include "engine/engine.hpp"
#include "engine/signal.hpp"
#include "tests/engine/durable/reminder.hpp"
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>
#include <thread>
using namespace reminders;

namespace {
/// The row of the run "r" as soon as it has this status. The run may not be stored yet.
RunRow row_with(Store& store, RunStatus wanted) {
    for (;; std::this_thread::yield())
        if (const auto row = row_of(store, "r"); row && row->status == wanted) return *row;
}
/// An engine whose runs have no handle, and leave memory.
struct NightOffice {
    Morning& m;
    Engine engine{{.store = &m.store, .park = true, .clock = &m.clock}};
    explicit NightOffice(Morning& morning) : m(morning) {}
    template <class W> void start(const W& workflow) {
        engine.recover(durable(workflow));
        (void)engine.start(durable(workflow), {}, {.id = "r"});
    }
    RunRow until(RunStatus wanted) { return row_with(m.store, wanted); }
};
struct PartEvent {};
BOOST_DESCRIBE_STRUCT(PartEvent, (), ())
struct OtherPartEvent {};
BOOST_DESCRIBE_STRUCT(OtherPartEvent, (), ())
struct DoubtEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(DoubtEvent, (), ())
struct CertaintyEvent : Answers<DoubtEvent> {};
BOOST_DESCRIBE_STRUCT(CertaintyEvent, (), ())
awaitable<PartEvent> nap(Context& ctx, RemindEvent, Desk& desk) {
    ++desk.begun;
    co_await ctx.sleep(1h);
    co_return PartEvent{};
}
awaitable<OtherPartEvent> hibernate(Context& ctx, RemindEvent, Desk& desk) {
    ++desk.noted;
    co_await ctx.sleep(100h);
    co_return OtherPartEvent{};
}
RemindedEvent wake(Context&, PartEvent, OtherPartEvent, Desk& desk) { return {.begun = desk.begun * 10 + desk.noted}; }
inline constexpr auto sleepers = workflow("sleepers", step<nap>, step<hibernate>, step<wake>);
DoubtEvent wonder(Context&, RemindEvent) { return {}; }
OtherPartEvent settle(Context&, CertaintyEvent) { return {}; }
inline constexpr auto doubtful = workflow("doubtful", step<nap>, step<wonder>, step<settle>, step<wake>);
awaitable<RemindedEvent> delegate(Context& ctx, RemindEvent event, Desk& desk) {
    co_return co_await ctx.run(durable(reminder.with(desk)), std::move(event));
}
inline constexpr auto delegating = workflow("delegating", step<delegate>);
/// Counts the claims of its engine, which asks for one after each look for runs that can leave memory.
struct CountingClaims : MemoryStore {
    using MemoryStore::MemoryStore;
    void claim(storage::ClaimRequest request, Then<std::vector<RunRow>> then) override {
        ++claims;
        MemoryStore::claim(std::move(request), std::move(then));
    }
    std::atomic<int> claims = 0;
};
struct BriefEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(BriefEvent, (), ())
struct BriefedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(BriefedEvent, (), ())
struct Sleeper {
    CountingClaims& store;
    std::optional<Run<std::remove_cvref_t<decltype(reminder)>>> handle = {};
};
/// Ends after a wait, while its loop has been told to remove sleeping runs from memory.
awaitable<BriefedEvent> brief(Context&, BriefEvent, Sleeper& sleeper) {
    const auto* runtime = co_await this_runtime();
    const Signal over;
    asio::post(runtime->executor, [over] { over.ring(); });
    auto rung = over.wait();
    co_await std::move(rung);
    sleeper.handle.reset();
    for (const int seen = sleeper.store.claims; sleeper.store.claims < seen + 2;) std::this_thread::yield();
    co_return BriefedEvent{};
}
inline constexpr auto briefing = workflow("briefing", step<brief>);
}

TEST_SUITE_BEGIN("threads");
TEST_CASE("a sleeping run without a handle leaves memory, and wakes at its time") {
    Morning m;
    NightOffice office(m);
    office.start(m.workflow);
    const auto asleep = office.until(RunStatus::waiting);
    CHECK(asleep.wake_at == microseconds(m.begin + 72h));
    CHECK(asleep.waits_for == "the end of a sleep at 2026-01-04T00:00:00.000Z");
    m.clock.advance(72h);
    office.until(RunStatus::done);
    CHECK(m.desk.begun == 2);
    CHECK(m.desk.noted == 1);
}
TEST_CASE("a step that has ended is taken when a sleeping run of its loop leaves memory before the loop's next turn") {
    Morning m;
    CountingClaims store{[&m] { return microseconds(m.clock.wall()); }};
    Engine engine({.store = &store, .park = true, .clock = &m.clock});
    engine.recover(durable(m.workflow));
    Sleeper sleeper{store};
    sleeper.handle = engine.start(durable(m.workflow), {}, {.id = "r"});
    while (end_of_sleep(store, "r") == 0) std::this_thread::yield();
    auto working = engine.start(durable(briefing.with(sleeper)), {});
    engine.wait(working.result());
    row_with(store, RunStatus::waiting);
}
TEST_CASE("a sleeping run with a handle stays in memory") {
    Morning m;
    NightOffice office(m);
    auto run = office.engine.start(durable(m.workflow), {}, {.id = "r"});
    while (end_of_sleep(m.store, "r") == 0) std::this_thread::yield();
    m.clock.advance(72h);
    office.until(RunStatus::done);
    CHECK(m.desk.begun == 1);
    CHECK(office.engine.wait(run.result()).begun == 1);
}
TEST_CASE("a run of two sleeping steps wakes for each of them") {
    Morning m;
    NightOffice office(m);
    const auto workflow = sleepers.with(m.desk);
    office.start(workflow);
    const auto first = office.until(RunStatus::waiting);
    CHECK(first.wake_at == microseconds(m.begin + 1h));
    m.clock.advance(1h);
    while (row_of(m.store, "r")->wake_at == first.wake_at) std::this_thread::yield();
    const auto second = office.until(RunStatus::waiting);
    CHECK(second.wake_at == microseconds(m.begin + 100h));
    m.clock.advance(99h);
    office.until(RunStatus::done);
    CHECK(m.desk.begun == 2);  // it had ended when the run left memory again
    CHECK(m.desk.noted == 3);
}
TEST_CASE("a run that sleeps and asks leaves memory, and takes its answer there") {
    Morning m;
    NightOffice office(m);
    const auto workflow = doubtful.with(m.desk);
    office.engine.recover(durable(workflow));
    QuestionId question = QuestionId::none;
    {
        auto run = office.engine.start(durable(workflow), {}, {.id = "r"});
        const auto ask = [](RunOf<doubtful> of) -> awaitable<QuestionId> {
            while (auto event = co_await of.next_event())
                if (event->get_if<DoubtEvent>()) co_return event->question();
            co_return QuestionId::none;
        };
        question = office.engine.wait(ask(run));
    }
    const auto asleep = office.until(RunStatus::waiting);
    CHECK(
        asleep.waits_for.starts_with("an answer to DoubtEvent (CertaintyEvent, for step settle), the end of a sleep"));
    {
        auto run = office.engine.resume(durable(workflow), "r");
        run.send(CertaintyEvent{}, question);
        office.engine.wait(run.until_stored());
    }
    m.clock.advance(1h);
    office.until(RunStatus::done);
}
TEST_CASE("a run whose child sleeps leaves memory with it") {
    Morning m;
    NightOffice office(m);
    const auto workflow = delegating.with(m.desk);
    office.start(workflow);
    const auto asleep = office.until(RunStatus::waiting);
    CHECK(asleep.wake_at == end_of_sleep(m.store, "r"));
    m.clock.advance(72h);
    office.until(RunStatus::done);
    CHECK(m.desk.begun == 2);
    CHECK(m.desk.noted == 1);
}
TEST_CASE("a cancelled run wakes from its sleep in the store, and ends") {
    Morning m;
    NightOffice office(m);
    office.start(m.workflow);
    office.until(RunStatus::waiting);
    office.engine.resume(durable(m.workflow), "r").cancel();
    office.until(RunStatus::cancelled);
    CHECK(m.clock.wall() < m.begin + 72h);
}
TEST_CASE("a run whose sleep has ended while no engine was there continues in the next engine") {
    for (const bool is_parked : {false, true}) {
        CAPTURE(is_parked);
        Morning m;
        {
            NightOffice office(m);
            office.start(m.workflow);
            while (end_of_sleep(m.store, "r") == 0) std::this_thread::yield();
            if (is_parked) office.until(RunStatus::waiting);
        }
        m.clock.advance(100h);
        NightOffice next(m);
        next.engine.recover(durable(m.workflow));
        next.until(RunStatus::done);
        CHECK(m.desk.begun == 2);
        CHECK(m.desk.noted == 1);
    }
}
TEST_CASE("a cancellation that comes while no engine is there ends a sleeping run before its time") {
    Morning m;
    {
        NightOffice office(m);
        office.start(m.workflow);
        office.until(RunStatus::waiting);
    }
    m.store.send({.run = "r", .id = "c", .body = R"({"cancel":true})"}, [](std::exception_ptr, storage::SendReply) {});
    NightOffice next(m);
    next.engine.recover(durable(m.workflow));
    next.until(RunStatus::cancelled);
    CHECK(m.clock.wall() == m.begin);
}
TEST_CASE("the end of a sleep is a date of the store when the engine's date is an hour ahead") {
    Morning m;
    m.store.share();
    testing::ManualClock ahead;
    ahead.jump_wall(1h);
    Engine engine({.store = &m.store, .park = true, .clock = &ahead});
    engine.recover(durable(m.workflow));
    (void)engine.start(durable(m.workflow), {}, {.id = "r"});
    CHECK(row_with(m.store, RunStatus::waiting).wake_at == microseconds(m.begin + 72h));
    CHECK(end_of_sleep(m.store, "r") == microseconds(m.begin + 72h));
}
TEST_SUITE_END();
