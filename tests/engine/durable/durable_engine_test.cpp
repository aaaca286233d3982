// Durable runs of an engine with threads: keys, recovery of all unfinished runs, mail, and runs that leave memory.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/json_run.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include <atomic>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <thread>
using namespace weft;
using namespace weft::storage;

namespace {
struct CountEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(CountEvent, (), (n))
struct NextEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(NextEvent, (), (left))
struct WhyEvent : InputRequiredEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(WhyEvent, (), (n))
struct BecauseEvent : Answers<WhyEvent> {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(BecauseEvent, (), (text))
struct CountedEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(CountedEvent, (), (text))
struct Sum {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(Sum, (), (n))

NextEvent begin(Context&, CountEvent e) { return {.left = e.n}; }
awaitable<std::variant<NextEvent, WhyEvent>> count(Context& ctx, NextEvent e) {
    co_await sleep_for(std::chrono::microseconds(10));
    ctx.edit<Sum>([&](auto& sum) { sum.n += e.left; });
    if (e.left > 0) co_return NextEvent{.left = e.left - 1};
    co_return WhyEvent{.n = ctx.get<Sum>().n};
}
CountedEvent conclude(Context& ctx, BecauseEvent e) { return {.text = e.text + std::to_string(ctx.get<Sum>().n)}; }
inline constexpr auto counting = workflow("counting", step<begin>, step<count>, step<conclude>);
using CountingRun = RunOf<counting>;
awaitable<void> until_asked(CountingRun run) {
    while (auto event = co_await run.next_event())
        if (event->get_if<WhyEvent>()) co_return;
}
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("the same key gives the same run while it runs, after it has left memory, and after it has ended") {
    MemoryStore store;
    const auto stored = durable(counting);
    {
        Engine engine({.loops = 2, .store = &store});
        auto run = engine.start(stored, {.n = 3}, {.key = "k"});
        auto same = engine.start(stored, {.n = 99}, {.key = "k"});
        CHECK(same.id() == run.id());
        engine.wait(until_asked(run));
        run.leave();
        CHECK_THROWS_WITH_AS(engine.wait(run.result()), doctest::Contains("continues when it is resumed"), RunError);
        auto again = engine.start(stored, {.n = 99}, {.key = "k"});
        engine.wait(until_asked(again));
        again.send(BecauseEvent{.text = "sum "});
        CHECK(engine.wait(again.result()).text == "sum 6");
    }
    Engine engine({.store = &store});
    auto ended = engine.start(stored, {.n = 99}, {.key = "k"});
    CHECK(engine.wait(ended.result()).text == "sum 6");
    auto other = engine.start(stored, {.n = 1}, {.key = "other"});
    engine.wait(until_asked(other));
    other.send(BecauseEvent{.text = "sum "});
    CHECK(engine.wait(other.result()).text == "sum 1");
}
TEST_CASE("an engine recovers all unfinished runs of the one before it") {
    MemoryStore store;
    const auto stored = durable(counting);
    {
        Engine engine({.loops = 2, .store = &store});
        for (int i = 0; i < 20; ++i) engine.start(stored, {.n = 50}, {.id = "r" + std::to_string(i)});
        auto one = engine.start(stored, {.n = 1}, {.id = "ended"});
        engine.wait(until_asked(one));
        one.send(BecauseEvent{.text = ""});
        engine.wait(one.result());
    }
    Engine engine({.loops = 2, .store = &store});
    const auto ids = engine.recover(stored);
    CHECK(ids.size() == 20);
    for (auto& id : ids) {
        auto run = engine.resume(stored, id);
        engine.wait(until_asked(run));
        run.send(BecauseEvent{.text = "sum "});
        CHECK(engine.wait(run.result()).text == "sum 1275");
    }
    CHECK(engine.recover(stored).empty());
}
TEST_CASE("mail that another process stores reaches a run within a second, once") {
    MemoryStore store;
    Engine engine({.store = &store});
    auto run = engine.start(durable(counting), {.n = 2}, {.id = "m"});
    engine.wait(until_asked(run));
    for (int i = 0; i < 2; ++i)
        store.send({"m", "letter", R"({"event": "BecauseEvent", "data": {"text": "by mail "}})"},
                   [](std::exception_ptr error, SendReply) { CHECK_FALSE(error); });
    CHECK(engine.wait(run.result()).text == "by mail 3");
    auto cancelled = engine.start(durable(counting), {.n = 2}, {.id = "c"});
    engine.wait(until_asked(cancelled));  // the store has the run now
    store.send({"c", "stop", R"({"cancel": true})"}, [](std::exception_ptr, SendReply) {});
    CHECK_THROWS_WITH_AS(engine.wait(cancelled.result()), "the run was cancelled", RunError);
}
TEST_CASE("a run given up after a failure of the store is free again once the store works") {
    MemoryStore memory;
    FailingStore store(memory);
    testing::ManualClock clock;
    Engine engine({.store = &store, .clock = &clock});
    const std::jthread hurry([&](const std::stop_token& stop) {
        while (!stop.stop_requested())
            if (!clock.jump()) std::this_thread::yield();
    });
    const auto stored = durable(counting);
    auto run = engine.start(stored, {.n = 3}, {.id = "f"});
    engine.wait(until_asked(run));
    store.fail(0, FailingStore::FailureMode::from_now_on);
    run.send(BecauseEvent{.text = "lost "});
    CHECK_THROWS_WITH_AS(engine.wait(run.result()), doctest::Contains("the store did not keep"), RunError);
    store.fail_no_more();
    for (auto found = RunStatus::running; found != RunStatus::ready; std::this_thread::yield())
        memory.list({.ids = {"f"}}, [&](std::exception_ptr, std::vector<RunRow> rows) { found = rows.at(0).status; });
    auto again = engine.resume(stored, "f");
    engine.wait(until_asked(again));
    again.send(BecauseEvent{.text = "sum "});
    CHECK(engine.wait(again.result()).text == "sum 6");
}
TEST_CASE("an event sent to a run while the store loads it reaches it") {
    MemoryStore memory;
    FailingStore store(memory);
    Engine engine({.store = &store});
    const auto stored = durable(counting);
    for (const char* key : {"k", "l"}) {
        auto run = engine.start(stored, {.n = 3}, {.key = key});
        engine.wait(until_asked(run));
        run.leave();
        CHECK_THROWS_AS(engine.wait(run.result()), RunError);
    }
    store.hold();
    auto resumed = engine.resume(stored, "counting:k");
    auto started = engine.start(stored, {.n = 9}, {.key = "l"});
    resumed.send(BecauseEvent{.text = "late "});
    started.send(BecauseEvent{.text = "later "});
    while (!resumed.ended() || !started.ended())
        if (store.release(1) == 0) std::this_thread::yield();
    CHECK(resumed.outcome().text == "late 6");
    CHECK(started.outcome().text == "later 6");
}
TEST_CASE("an idle run without a handle leaves memory, and returns when it has mail") {
    MemoryStore store;
    Engine engine({.store = &store, .park = true});
    engine.recover(durable(counting));
    {
        auto run = engine.start(durable(counting), {.n = 2}, {.id = "p"});
        engine.wait(until_asked(run));
    }
    const auto until = [&](RunStatus wanted) {
        for (auto found = RunStatus::ready; found != wanted; std::this_thread::yield())
            store.list({.ids = {"p"}},
                       [&](std::exception_ptr, std::vector<RunRow> rows) { found = rows.at(0).status; });
    };
    until(RunStatus::waiting);
    store.send({"p", "letter", R"({"event": "BecauseEvent", "data": {"text": "back "}})"},
               [](std::exception_ptr error, SendReply) { CHECK_FALSE(error); });
    until(RunStatus::done);
    auto ended = engine.resume(durable(counting), "p");
    CHECK(engine.wait(ended.result()).text == "back 3");
}
TEST_CASE("enqueue() gives the id of a run already stored, also when its first try fails, and does no work of it") {
    MemoryStore memory;
    FailingStore store(memory);
    const auto stored = durable(counting);
    Engine engine({.store = &store});
    store.fail(0);
    CHECK(engine.enqueue(stored, {.n = 3}, {.key = "a", .queue = "slow"}) == "counting:a");
    CHECK(store.failures() == 1);
    const auto row = [&] {
        RunRow found;
        memory.list({.ids = {"counting:a"}}, [&](std::exception_ptr, std::vector<RunRow> rows) {
            REQUIRE(rows.size() == 1);
            found = rows[0];
        });
        return found;
    };
    CHECK(row().status == RunStatus::ready);
    CHECK(row().queue == "slow");
    CHECK(engine.enqueue(stored, {.n = 9}, {.key = "a"}) == "counting:a");  // the same run
    CHECK(row().next_seq == 1);
    const auto run = engine.resume(stored, "counting:a");
    engine.wait(until_asked(run));
    CHECK(row().next_seq > 1);
}
TEST_CASE("enqueue() refuses a workflow without durable runs, and an engine without a store") {
    Engine without;
    CHECK_THROWS_WITH_AS(without.enqueue(durable(counting), {}), doctest::Contains("give its engine a store"), Error);
    MemoryStore store;
    Engine engine({.store = &store});
    CHECK_THROWS_WITH_AS(engine.enqueue(counting.with(), {}), doctest::Contains("durable()"), Error);
}
TEST_SUITE_END();
TEST_CASE("a run is refused with a sentence when the store lacks it or it belongs to another workflow") {
    MemoryStore store;
    Engine engine({.store = &store});
    auto none = engine.resume(durable(counting), "nobody");
    CHECK_THROWS_WITH_AS(engine.wait(none.result()), doctest::Contains("nobody"), RunError);
    CHECK_THROWS_WITH_AS(engine.resume(Bound<std::remove_cvref_t<decltype(counting)>>(counting), "x"),
                         doctest::Contains("durable()"), Error);
    Engine without;
    CHECK_THROWS_WITH_AS(without.resume(durable(counting), "x"), doctest::Contains("without a store"), Error);
    CHECK_THROWS_WITH_AS(without.recover(durable(counting)), doctest::Contains("without a store"), Error);
}
TEST_CASE("a run is refused when it is resumed under the name of another workflow while it is in memory") {
    static constexpr auto renamed = workflow("renamed", step<begin>, step<count>, step<conclude>);
    MemoryStore store;
    Engine engine({.store = &store});
    auto run = engine.start(durable(counting), {.n = 2}, {.id = "r"});
    CHECK_THROWS_WITH_AS(engine.resume(durable<Sum>(renamed), "r"), doctest::Contains("another workflow"), Error);
    CHECK(engine.resume(durable(counting), "r").id() == "r");
    run.cancel();
    CHECK_THROWS_AS(engine.wait(run.result()), RunError);
}
TEST_CASE("leave_all() is refused when it is called on a loop of its engine") {
    MemoryStore store;
    Engine engine({.store = &store});
    auto leaving = [](Engine& on) -> awaitable<void> {
        on.leave_all(std::chrono::milliseconds(1));
        co_return;
    };
    auto left = leaving(engine);
    CHECK_THROWS_WITH_AS(engine.wait(std::move(left)), doctest::Contains("call it on another thread"), Error);
}
TEST_CASE("a durable run without a store behaves like a run that is not durable") {
    Engine engine;
    auto run = engine.start(durable(counting), {.n = 2});
    engine.wait(until_asked(run));
    run.send(BecauseEvent{.text = ""});
    CHECK(engine.wait(run.result()).text == "3");
}
TEST_CASE("a run resumes in JSON when its events are only known by name") {
    MemoryStore store;
    const auto definition = durable(counting).definition;
    {
        Engine engine({.store = &store});
        auto run = start_json(engine, definition, {{"n", 2}}, {.id = "j"});
        while (auto event = engine.wait(run.next_event()))
            if (run.asks(*event)) break;
    }
    Engine engine({.store = &store});
    auto run = resume_json(engine, definition, "j");
    bool resumed = false;
    while (auto event = engine.wait(run.next_event())) {
        resumed = resumed || event->name() == "RunResumedEvent";
        if (run.asks(*event)) run.answer(event->question(), "BecauseEvent", {{"text", "json "}});
    }
    CHECK(resumed);
    CHECK(engine.wait(run.result()) == nlohmann::json{{"text", "json 3"}});
}
