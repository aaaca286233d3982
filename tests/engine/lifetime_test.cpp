// Lifetimes of runs, handles, loops, readers and resources, also after failures.
#include "engine/core/loop/run_extras.hpp"
#include "engine/engine.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <boost/asio/steady_timer.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {
    int n = 0;
};
struct EndEvent : StopEvent {
    int n = 0;
};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {
    int n = 0;
};
struct ProgressEvent {};

EndEvent at_once(Context&, GoEvent e) { return {{}, e.n}; }
inline constexpr auto quick = workflow("quick", step<at_once>);
AskEvent ask(Context&, GoEvent) { return {}; }
EndEvent conclude(Context&, ReplyEvent r) { return {{}, r.n}; }
inline constexpr auto waiting = workflow("waiting", step<ask>, step<conclude>);

awaitable<void> nap(asio::io_context& io) {
    with_default<asio::steady_timer> timer(io, 1ms);
    co_await timer.async_wait();
}
awaitable<EndEvent> nap_then_wait(Context&, GoEvent, asio::io_context& io, RunOf<waiting>& child) {
    co_await nap(io);
    (void)co_await child.result();
    co_return EndEvent{};
}
inline constexpr auto napper = workflow("napper", step<nap_then_wait>);
}

TEST_CASE("a late cancel does not change a completed operation") {
    World w;
    auto child = w.loop.start(waiting, {});
    auto run = w.loop.start(napper.with(w.io, child), {});
    while (w.io.run_one_for(200ms)) {}
    run.cancel();
    w.turn();
    CHECK_THROWS_WITH_AS(run.outcome(), "the run was cancelled", RunError);
}
TEST_CASE("result() and next_event() keep the run alive when its handle is temporary") {
    World w;
    int got = 0;
    spawn(w.io.get_executor(), w.loop.start(quick, {.n = 7}).result(),
          [&](std::exception_ptr, EndEvent e) { got = e.n; });
    std::string name;
    spawn(w.io.get_executor(), w.loop.start(quick, {}).next_event(),
          [&](std::exception_ptr, std::optional<AnyEvent> e) { name = e->name(); });
    w.io.run();
    CHECK(got == 7);
    CHECK(name == "EndEvent");
}

namespace {
struct Model {
    bool in_use = false;
};
EndEvent use_model(Context& ctx, GoEvent, Model& model) {
    model.in_use = true;
    ctx.stream(ProgressEvent{});  // readers must not run here
    model.in_use = false;
    return {};
}
inline constexpr auto modelling = workflow("modelling", step<use_model>);
awaitable<void> cancel_at_progress(RunOf<modelling> run, std::unique_ptr<Model>& model, bool& was_in_use) {
    (void)co_await run.next_event();
    was_in_use = model->in_use;
    run.cancel();
    try {
        (void)co_await run.result();
    } catch (const RunError&) {}
    model.reset();
}
}
TEST_CASE("a resource may be destroyed as soon as result() completes") {
    World w;
    auto model = std::make_unique<Model>();
    bool was_in_use = true;
    auto run = w.loop.start(modelling.with(*model), {});
    w.spawn(cancel_at_progress(run, model, was_in_use));
    w.io.run();
    CHECK(!was_in_use);
    CHECK(!model);
}

namespace {
struct LoudEvent : InputRequiredEvent {
    LoudEvent() = default;
    LoudEvent(const LoudEvent& o) : moves(o.moves + 1) {
        if (moves > 1) throw std::runtime_error("too loud");
    }
    int moves = 0;
};
LoudEvent shout(Context&, GoEvent) { return {}; }
struct QuietEvent : HumanResponseEvent {};
EndEvent hush(Context&, QuietEvent) { return {}; }
inline constexpr auto loud = workflow("loud", step<shout>, step<hush>);
}
TEST_CASE("a run fails when one of its events throws on its way out, its stream ends so, and the loop continues") {
    std::vector<std::string> seen;
    World w;
    auto run = w.loop.start(loud, {});
    w.spawn(record(run, seen));
    w.io.run();
    CHECK(seen == std::vector<std::string>{"RunFailedEvent"});
    CHECK_THROWS_WITH_AS(run.outcome(), "the run failed: too loud", RunError);
    auto other = w.loop.start(quick, {.n = 3});
    w.turn();
    CHECK(other.outcome().n == 3);
}
TEST_CASE("a loop may be destroyed by a handler while a deadline is due") {
    asio::io_context io;
    testing::ManualClock clock;
    auto loop = std::make_unique<Loop>(Runtime{io.get_executor(), &clock});
    auto alarm = clock.make_alarm(io.get_executor(), [&] { loop.reset(); });
    alarm->set(clock.now() + 1s);
    auto run = loop->start(waiting, {}, {.timeout = 1s});
    io.run();
    clock.advance(1s);
    io.restart();
    io.run();
    CHECK_THROWS_AS(run.outcome(), RunError);
}
TEST_CASE("a run forgets a reader that is destroyed while it waits") {
    asio::io_context io;
    auto a = std::make_unique<Loop>(io.get_executor());
    auto b = std::make_unique<Loop>(io.get_executor());
    auto child = a->start(waiting, {});
    auto run = b->start(napper.with(io, child), {});
    while (io.run_one_for(200ms)) {}
    b.reset();
    child.cancel();
    io.restart();
    io.run();
    CHECK_THROWS_AS(child.outcome(), RunError);
}
TEST_CASE("a handle that outlives its loop reports its run as cancelled, also to a reader on the loop's context") {
    asio::io_context io;
    auto loop = std::make_unique<Loop>(io.get_executor());
    auto run = loop->start(waiting, {});
    std::exception_ptr told;
    spawn(io.get_executor(), run.result(), [&](std::exception_ptr e, EndEvent) { told = e; });
    io.run();
    loop.reset();
    io.restart();
    io.run();
    REQUIRE(told);
    CHECK_THROWS_WITH_AS(std::rethrow_exception(told), "the run was cancelled", RunError);
    run.cancel();
    run.send(ReplyEvent{});
    CHECK_THROWS_WITH_AS(run.outcome(), "the run was cancelled", RunError);
    CHECK(run.id().size() == 16);
}
namespace {
struct Balance : Observer {
    int started = 0, ended = 0, failed = 0;
    void step_started(const StepInfo&) noexcept override { ++started; }
    void step_ended(const StepInfo& step, bool f) noexcept override {
        ++ended;
        failed += f && step.name == "doze";
    }
};
awaitable<EndEvent> doze(Context&, GoEvent) {
    co_await sleep_for(1h);
    co_return EndEvent{};
}
inline constexpr auto dozing = workflow("dozing", step<doze>);
}
TEST_CASE("an observer is notified of a failed step when the loop is destroyed before the step has ended") {
    Balance seen;
    {
        World w;
        (void)w.loop.start(dozing, {}, {.observer = &seen});
        w.io.poll();
        CHECK(seen.started == 1);
        CHECK(seen.ended == 0);
    }
    CHECK(seen.ended == 1);
    CHECK(seen.failed == 1);
}
TEST_CASE("an ended run's deadline keeps no context busy") {
    World w;
    auto begin = std::chrono::steady_clock::now();
    auto run = w.loop.start(quick, {}, {.timeout = 1h});
    w.io.run();
    CHECK(run.ended());
    CHECK(std::chrono::steady_clock::now() - begin < 30min);
}
TEST_CASE("the longest possible timeout is never due") {
    testing::ManualClock clock;
    World w(clock);
    auto run = w.loop.start(waiting, {}, {.timeout = std::chrono::nanoseconds::max()});
    w.io.run();
    clock.advance(24h * 365);
    w.turn();
    CHECK(run.idle());
}

namespace {
awaitable<EndEvent> never_give_up(Context&, GoEvent, int& tries) {
    for (;;) try {
            ++tries;
            co_await sleep_for(1h);
        } catch (const std::exception&) {}
}
inline constexpr auto stubborn = workflow("stubborn", step<never_give_up>);
}
TEST_CASE("a step is stopped when it waits again after its cancellation, and the loop continues") {
    testing::ManualClock clock;
    World w(clock);
    int tries = 0;
    auto run = w.loop.start(stubborn.with(tries), {}, {.timeout = 30min});
    w.io.run();
    clock.advance(30min);
    w.turn();
    CHECK(run.ended());
    CHECK(tries == 2);
}

namespace {
awaitable<EndEvent> add_up(Context&, const std::vector<ProgressEvent>& all) {
    co_await sleep_for(1s);
    co_return EndEvent{.n = int(all.size())};
}
std::vector<ProgressEvent> parts(Context&, GoEvent e) { return std::vector<ProgressEvent>(std::size_t(e.n)); }
inline constexpr auto counting = workflow("counting", step<parts>, step<add_up>);
}
TEST_CASE("an awaitable collector may take its events by reference") {
    testing::ManualClock clock;
    World w(clock);
    auto run = w.loop.start(counting.with(), {.n = 5});
    w.io.run();
    clock.advance(1s);
    w.turn();
    CHECK(run.outcome().n == 5);
}

namespace {
EndEvent nested(Context&, GoEvent) { return {{}, run(quick, {}).n}; }
inline constexpr auto nesting = workflow("nesting", step<nested>);
}
TEST_CASE("run() is refused inside a step") {
    CHECK_THROWS_WITH_AS(
        run(nesting, {}),
        "step nested failed: run() was called inside of a step, which it would block: use ctx.run() there", RunError);
}
