// Limits of parallel runs of an engine and of a workflow, and events for the waiting runs.
#include "engine/core/loop/admission.hpp"
#include "engine/engine.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
#include <thread>
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
struct Log {
    std::vector<int> begun;
};
AskEvent ask(Context&, GoEvent e, Log& log) {
    log.begun.push_back(e.n);
    return {};
}
EndEvent answered(Context&, ReplyEvent r) { return {{}, r.n}; }
inline constexpr auto asking = workflow("asking", step<ask>, step<answered>);
constexpr auto one_at_once = asking.runs_at_once(1);
using Asking = RunOf<asking>;

struct NewsEvent : HumanResponseEvent {};  // may come without a question
struct NotedEvent {};
NotedEvent note(Context&, GoEvent e, Log& log) {
    log.begun.push_back(e.n);
    return {};
}
void wait_for_news(Context&, NotedEvent) {}
EndEvent tell(Context&, NewsEvent, Log& log) { return {{}, int(log.begun.size()) * 3}; }
inline constexpr auto pushing = workflow("pushing", step<note>, step<wait_for_news>, step<tell>);

EndEvent fail(Context&, GoEvent) { throw std::runtime_error("no"); }
inline constexpr auto failing_at_once = workflow("failing_at_once", step<fail>);

struct Limited {
    asio::io_context io{1};
    testing::ManualClock clock;
    Log log;
    Engine engine;
    explicit Limited(std::uint32_t most) : engine(io, {.clock = &clock, .runs_at_once = most}) {}
    void turn() {
        io.restart();
        io.run();
    }
};
}

TEST_CASE("an engine begins as many runs as its limit allows, and the next one when one ends, first in first out") {
    Limited l(2);
    std::vector<Asking> runs;
    for (int n = 0; n < 5; ++n) runs.push_back(l.engine.start(asking.with(l.log), {.n = n}));
    l.turn();
    CHECK(l.log.begun == std::vector{0, 1});
    CHECK(l.engine.queued() == 3);
    CHECK_FALSE(runs[2].idle());
    CHECK(runs[2].diagnosis() ==
          "the run has not begun: its engine or workflow has reached its limit of concurrent runs");
    runs[1].send(ReplyEvent{});
    l.turn();
    CHECK(l.log.begun == std::vector{0, 1, 2});
    runs[0].cancel();
    runs[2].cancel();
    l.turn();
    CHECK(l.log.begun == std::vector{0, 1, 2, 3, 4});
    CHECK(l.engine.queued() == 0);
    runs[4].send(ReplyEvent{.n = 9});
    l.turn();
    CHECK(runs[4].outcome().n == 9);
}
TEST_CASE("a freed place is given once, while other runs continue") {
    Limited l(2);
    std::vector<Asking> runs;
    for (int n = 0; n < 2; ++n) runs.push_back(l.engine.start(asking.with(l.log), {.n = n}));
    l.turn();
    runs[0].cancel();
    l.turn();
    for (int n = 2; n < 5; ++n) runs.push_back(l.engine.start(asking.with(l.log), {.n = n}));
    l.turn();
    CHECK(l.log.begun == std::vector{0, 1, 2});
    CHECK(l.engine.queued() == 2);
}
TEST_CASE("a workflow without room does not delay another one, and its limit holds for all its bindings") {
    Limited l(3);
    Log other;
    auto first = l.engine.start(one_at_once.with(l.log), {.n = 1});
    auto second = l.engine.start(one_at_once.with(l.log), {.n = 2});
    auto free = l.engine.start(workflow("free", step<ask>, step<answered>).with(other), {.n = 3});
    l.turn();
    CHECK(l.log.begun == std::vector{1});
    CHECK(other.begun == std::vector{3});
    first.cancel();
    l.turn();
    CHECK(l.log.begun == std::vector{1, 2});
}
TEST_CASE("a workflow's places are counted until the last of its runs ends") {
    Limited l(10);
    constexpr auto two_at_once = asking.runs_at_once(2);
    std::vector<Asking> runs;
    for (int n = 0; n < 2; ++n) runs.push_back(l.engine.start(two_at_once.with(l.log), {.n = n}));
    l.turn();
    runs[0].cancel();
    l.turn();
    for (int n = 2; n < 5; ++n) runs.push_back(l.engine.start(two_at_once.with(l.log), {.n = n}));
    l.turn();
    CHECK(l.log.begun == std::vector{0, 1, 2});
}
TEST_CASE("cancel and deadlines reach runs in the admission queue, and free their place in it") {
    std::vector<std::string> seen;
    Limited l(1);
    auto first = l.engine.start(asking.with(l.log), {.n = 1});
    auto cancelled = l.engine.start(asking.with(l.log), {.n = 2});
    auto late = l.engine.start(asking.with(l.log), {.n = 3}, {.timeout = 1h});
    auto last = l.engine.start(asking.with(l.log), {.n = 4});
    l.turn();
    spawn(l.io.get_executor(), record(late, seen), asio::detached);
    cancelled.cancel();
    l.turn();
    CHECK_THROWS_WITH_AS(cancelled.outcome(), "the run was cancelled", RunError);
    l.clock.advance(2h);
    l.turn();
    CHECK_THROWS_WITH_AS(late.outcome(), "the run has not ended within 3600 s", RunError);
    CHECK(seen == std::vector<std::string>{"RunTimedOutEvent"});
    CHECK(l.engine.queued() == 1);
    first.send(ReplyEvent{});
    l.turn();
    CHECK(l.log.begun == std::vector{1, 4});
}
TEST_CASE("an event sent to a run in the admission queue arrives after the start event") {
    std::vector<std::string> seen;
    Limited l(1);
    auto first = l.engine.start(asking.with(l.log), {.n = 1});
    auto second = l.engine.start(asking.with(l.log), {.n = 2}, {.tell_idle = true});
    auto pushed = l.engine.start(pushing.with(l.log), {.n = 3});
    spawn(l.io.get_executor(), record(second, seen), asio::detached);
    l.turn();
    second.send(ReplyEvent{});  // before its question is asked
    pushed.send(NewsEvent{});
    l.turn();
    CHECK(seen.empty());
    CHECK_FALSE(second.idle());
    CHECK(second.diagnosis() ==
          "the run has not begun: its engine or workflow has reached its limit of concurrent runs");
    CHECK_FALSE(pushed.ended());
    CHECK(l.engine.queued() == 2);
    first.cancel();
    l.turn();
    CHECK(seen == std::vector<std::string>{"UnhandledEvent", "AskEvent", "RunIdleEvent"});
    second.cancel();
    l.turn();
    CHECK(pushed.outcome().n == 9);
    CHECK(l.log.begun == std::vector{1, 2, 3});
}
TEST_CASE("a limit holds for the declaration that has it, also beside one of the same name and type") {
    Limited l(100);
    auto one = l.engine.start(one_at_once.with(l.log), {.n = 1});
    auto two = l.engine.start(one_at_once.with(l.log), {.n = 2});
    auto free = l.engine.start(asking.with(l.log), {.n = 3});
    l.turn();
    CHECK(l.log.begun == std::vector{1, 3});
    free.cancel();
    l.turn();
    CHECK(l.log.begun == std::vector{1, 3});
    one.cancel();
    l.turn();
    CHECK(l.log.begun == std::vector{1, 3, 2});
}
TEST_CASE("failing runs give their places to the next ones") {
    Limited l(1);
    for (int n = 0; n < 3; ++n) {
        auto failing = l.engine.start(failing_at_once, {.n = n});
        auto next = l.engine.start(failing_at_once, {.n = n});
        l.turn();
        CHECK_THROWS_WITH_AS(failing.outcome(), "step fail failed: no", RunError);
        CHECK_THROWS_WITH_AS(next.outcome(), "step fail failed: no", RunError);
    }
    CHECK(l.engine.queued() == 0);
}
TEST_CASE("a run gives its place to no other when it ends because its engine is destroyed") {
    const auto admission = std::make_shared<core::Admission>(1);
    Log log;
    asio::io_context io;
    Loop first(io.get_executor(), {.admission = admission}), second(io.get_executor(), {.admission = admission});
    auto going = first.start(asking.with(log), {.n = 1});
    auto waiting = second.start(asking.with(log), {.n = 2});
    io.run();
    admission->close();
    going.cancel();
    io.restart();
    io.run();
    CHECK(going.ended());
    CHECK(log.begun == std::vector{1});
    CHECK(admission->queued() == 1);
}
TEST_CASE("a workflow with a limit of no runs is refused") {
    CHECK_THROWS_WITH_AS((void)asking.runs_at_once(0),
                         "a workflow has at least one run at once: runs_at_once(n) needs n of at least 1", Error);
}

namespace {
struct Gauge {
    std::atomic<int> now = 0, most = 0, all = 0;
};
awaitable<EndEvent> count(Context&, GoEvent e, Gauge& gauge) {
    const int now = ++gauge.now;
    int most = gauge.most;
    while (now > most && !gauge.most.compare_exchange_weak(most, now)) {}
    for (int i = 0; i < 3; ++i) co_await sleep_for(100us);
    --gauge.now;
    ++gauge.all;
    co_return EndEvent{{}, e.n};
}
inline constexpr auto counting = workflow("counting", step<count>);
}
TEST_SUITE("threads") {
    TEST_CASE("several loops and threads keep to one limit, and no run is forgotten") {
        Gauge gauge;
        Engine engine({.loops = 2, .runs_at_once = 3});
        auto bound = counting.with(gauge);
        std::vector<RunOf<counting>> runs;
        std::mutex mutex;
        {
            std::vector<std::jthread> threads;
            for (int t = 0; t < 2; ++t)
                threads.emplace_back([&] {
                    for (int n = 0; n < 100; ++n) {
                        auto run = engine.start(bound, {.n = n});
                        if (n % 10 == 9) run.cancel();
                        std::lock_guard lock(mutex);
                        runs.push_back(std::move(run));
                    }
                });
        }
        int answers = 0;
        for (auto& run : runs) {
            try {
                (void)engine.wait(run.result());
                ++answers;
            } catch (const RunError& e) { CHECK(e.code() == Code::cancelled); }
        }
        CHECK(answers >= 180);
        CHECK(gauge.most <= 3);
        CHECK(engine.queued() == 0);
    }
    TEST_CASE("an engine ends the runs in its admission queue when it is destroyed, and none of them begins") {
        for (int times = 0; times < 20; ++times) {
            Log log;
            std::vector<Asking> runs;
            {
                Engine engine({.loops = 2, .runs_at_once = 1});
                for (int n = 0; n < 50; ++n) runs.push_back(engine.start(asking.with(log), {.n = n}));
            }
            for (auto& run : runs) CHECK_THROWS_WITH_AS(run.outcome(), "the run was cancelled", RunError);
            CHECK(log.begun.size() <= 1);
        }
    }
}
