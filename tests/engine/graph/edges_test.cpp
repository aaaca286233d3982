// Combinations of features: rescue in fan-outs, late failures of stores, early ends of engines, cancellation from
// anywhere.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(GoEvent, (), (n))
struct EndEvent : StopEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (n))
struct AskEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(AskEvent, (), ())
struct ReplyEvent : Answers<AskEvent> {};
BOOST_DESCRIBE_STRUCT(ReplyEvent, (), ())
AskEvent ask(Context&, GoEvent) { return {}; }
EndEvent conclude(Context&, ReplyEvent) { return {}; }
inline constexpr auto asking = workflow("asking", step<ask>, step<conclude>);
EndEvent at_once(Context&, GoEvent e) { return {{}, e.n}; }
inline constexpr auto quick = workflow("quick", step<at_once>);

struct PartEvent {
    int i = 0;
};
struct DoneEvent {};
struct LostEvent {};
struct SorryEvent {};
struct AllLostEvent {
    std::size_t n = 0;
};
std::vector<PartEvent> split(Context&, GoEvent e) {
    std::vector<PartEvent> all;
    for (int i = 0; i < e.n; ++i) all.push_back({i});
    return all;
}
DoneEvent work(Context&, PartEvent e) {
    if (e.i % 2) throw std::runtime_error("odd");
    return {};
}
LostEvent rescue(Context&, StepFailedEvent) { return {}; }
AllLostEvent count_lost(Context& ctx, std::vector<LostEvent> all) {
    ctx.edit<Tally>([&](auto& t) { t.n += int(all.size()) * 100; });
    return {all.size()};
}
void forget(Context&, AllLostEvent) {}
awaitable<EndEvent> join(Context& ctx, std::vector<DoneEvent> all) {
    co_await sleep_for(1s);  // lost branches are counted meanwhile
    co_return EndEvent{.n = ctx.get<Tally>().n + int(all.size())};
}
inline constexpr auto rescued = workflow("rescued", step<split>, step<work>, step<rescue>, step<count_lost>.workers(1),
                                         step<forget>, step<join>);
}

TEST_CASE("a fan-out collects events that only a rescue emits, and still ends") {
    for (int n : {0, 1, 2, 5}) CHECK(testing::run(rescued, {.n = n}).n == n / 2 * 100 + (n + 1) / 2);
}
TEST_CASE("a stop event is not a result when its record could not be stored") {
    testing::ManualClock clock;
    MemoryStore memory;
    FailingStore store(memory);
    World w(clock, &store);
    std::vector<std::string> seen;
    auto run = w.loop.start(durable<>(quick), {.n = 1});  // its record has arrived
    store.fail(0, FailingStore::FailureMode::from_now_on);
    w.spawn(record(run, seen));
    do w.turn();
    while (!run.ended() && clock.jump());
    CHECK_THROWS_WITH_AS(run.outcome(),
                         "the run failed: the store did not keep a tick of the run, which continues from there when it "
                         "is resumed: the store was told to fail",
                         RunError);
    CHECK(seen == std::vector<std::string>{"RunFailedEvent"});
}
TEST_CASE("a run waiting for its store ends when the store fails for ever, even if it was cancelled meanwhile") {
    testing::ManualClock clock;
    MemoryStore memory;
    FailingStore store(memory);
    store.hold();
    World w(clock, &store);
    auto run = w.loop.start(durable<>(asking), {});
    w.turn();
    store.fail(0, FailingStore::FailureMode::from_now_on);
    run.cancel();
    do w.turn();
    while (!run.ended() && (store.release() || clock.jump()));
    REQUIRE(run.ended());
    try {
        (void)run.outcome();
        FAIL("its end was not stored");
    } catch (const RunError& error) { CHECK(error.code() == Code::journal); }
}
TEST_CASE("an engine ends a run as cancelled when it is destroyed before the run has begun") {
    std::optional<RunOf<asking>> run;
    asio::io_context io;
    {
        Engine engine(io);  // no thread runs the context
        run = engine.start(asking, {}, {.timeout = 1h});
    }
    run->cancel();
    run->send(ReplyEvent{});
    CHECK_THROWS_WITH_AS(run->outcome(), "the run was cancelled", RunError);
    for (int i = 0; i < 20; ++i) {
        Engine engine({.loops = 2});
        run = engine.start(asking, {});
    }
    run->cancel();
    CHECK_THROWS_AS(run->outcome(), RunError);
}
namespace {
struct Blocking {  // blocking work that refers to a coroutine's frame
    std::atomic<bool> begun = false;
    std::atomic<int> seen = 0;
    awaitable<void> hold(Pool& pool) {
        int local = 7;
        auto work = [&local, this](std::stop_token stop) {
            begun = true;
            while (!stop.stop_requested()) std::this_thread::yield();
            seen = local;
        };
        co_await pool.run(std::move(work));
    }
    void await_begin() const {
        while (!begun) std::this_thread::yield();
    }
};
awaitable<EndEvent> block(Context&, GoEvent, Pool& pool, Blocking& work) {
    co_await work.hold(pool);
    co_return EndEvent{};
}
inline constexpr auto blocking = workflow("blocking", step<block>);
}
TEST_CASE("an engine stops the blocking work of steps and spawned coroutines on destruction, and waits for it") {
    Blocking of_step, spawned;
    {
        Engine engine;
        auto run = engine.start(blocking.with(engine.pool(), of_step), {});
        spawn(engine.first_runtime(), spawned.hold(engine.pool()), asio::detached);
        of_step.await_begin();
        spawned.await_begin();
    }
    CHECK(of_step.seen == 7);
    CHECK(spawned.seen == 7);
}
TEST_CASE("blocking work dropped by its own pool ends as aborted for its caller") {
    asio::io_context io;
    auto body = [](Pool& p) -> awaitable<int> {
        auto w = [](std::stop_token) { return 1; };
        co_return co_await p.run(std::move(w));
    };
    std::exception_ptr error;
    std::atomic<bool> blocked = false;
    {
        auto pool = std::make_unique<Pool>(1);
        auto block = [](Pool& p, std::atomic<bool>& blocked) -> awaitable<void> {
            auto w = [&](std::stop_token stop) {
                blocked = true;
                while (!stop.stop_requested()) std::this_thread::yield();
            };
            co_await p.run(std::move(w));
        };
        spawn(io.get_executor(), block(*pool, blocked), asio::detached);
        spawn(io.get_executor(), body(*pool), [&](std::exception_ptr e, int) { error = e; });
        io.poll();
        while (!blocked) std::this_thread::yield();
        pool.reset();
    }
    io.restart();
    io.run();
    REQUIRE(error);
    CHECK_THROWS_AS(std::rethrow_exception(error), boost::system::system_error);
}

namespace {
awaitable<EndEvent> again_and_again(Context& ctx, GoEvent, int& rounds) {
    for (;;) try {
            ++rounds;
            GoEvent go;
            (void)co_await ctx.run(asking, std::move(go));
        } catch (const std::exception&) {}
}
inline constexpr auto looping = workflow("looping", step<again_and_again>);
}
TEST_CASE("cancel stops a step that starts children for ever") {
    World w;
    int rounds = 0;
    auto run = w.loop.start(looping.with(rounds), {});
    w.io.run();
    run.cancel();
    w.turn();
    CHECK(run.ended());
    CHECK(rounds <= 2);
}
TEST_CASE("a wait that completes despite its cancellation lets the next one throw, so that code may clean up") {
    struct Seen {
        int completed = 0, thrown = 0, afterwards = 0;
    } seen;
    testing::ManualClock clock;
    const auto body = [](testing::ManualClock& clock, Seen& seen) -> awaitable<void> {
        auto& executor = co_await this_executor();
        co_await asio::post(executor, asio::deferred);
        clock.advance(1s);                              // the timeout is about to ring,
        co_await asio::post(executor, asio::deferred);  // and precedes this uncancellable operation
        ++seen.completed;
        try {
            co_await sleep_for(1h);
        } catch (const boost::system::system_error& e) { seen.thrown += e.code() == asio::error::operation_aborted; }
        co_await sleep_for(1h);
        ++seen.afterwards;
    };
    const auto guarded = [](awaitable<void> work) -> awaitable<void> { co_await with_timeout(1s, std::move(work)); };
    CHECK_THROWS_WITH_AS(testing::await(guarded(body(clock, seen)), clock), "no result within 1 s", Error);
    CHECK(seen.completed == 1);
    CHECK(seen.thrown == 1);
    CHECK(seen.afterwards == 0);
}
TEST_CASE("a timer of the longest wait does not fire immediately") {
    CHECK(fixed(std::chrono::nanoseconds::max()).before_retry(1, 0) > 24h * 365 * 100);
    CHECK(exponential(0ms, 30s).before_retry(1100, 0.5) == 0ns);
    CHECK(Wait{1s, 1s, 1, 7}.before_retry(1, 0.9) >= 0ns);
    CHECK_THROWS_AS(Pool(0), Error);
}
TEST_CASE("a moved-from list has changed: its parallel edits conflict") {
    Growing<int> list;
    list.push_back(1);
    auto taken = std::move(list);
    list.push_back(2);  // NOLINT(bugprone-use-after-move)
    CHECK(core::PrivateAccess::replaced(list));
    CHECK(!core::PrivateAccess::replaced(Growing<int>(taken)));
}
