// Failures: retries, timeouts of steps, rescues.
#include "engine/retry.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {
    int failures = 0;
};
struct EndEvent : StopEvent {
    int attempts = 0;
    std::string note;
};
struct Flaky : std::runtime_error {
    using runtime_error::runtime_error;
};
struct Notes {
    static constexpr bool memory_only = true;
    int n = 0;
};

struct Attempts {  // a step's attempts and their times
    const Clock& clock;
    std::vector<std::chrono::milliseconds> at;
    Clock::Time begin = clock.now();
    int count() {
        return at.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(clock.now() - begin)), int(at.size());
    }
};
EndEvent flaky(Context& ctx, GoEvent e, Attempts& attempts) {
    const int n = attempts.count();
    CHECK(ctx.attempt() == unsigned(n));
    CHECK(ctx.get<Notes>().n == 0);  // no trace of failed attempts
    ctx.edit<Notes>([](auto& notes) { ++notes.n; });
    if (n <= e.failures) throw Flaky("try " + std::to_string(n));
    return {{}, n, ""};
}
inline constexpr auto patient = workflow("patient", step<flaky>.retry({.attempts = 4, .wait = {1s, 10s, 2, 0}}));
inline constexpr auto short_of_time = workflow("short_of_time",
                                               step<flaky>.retry({.attempts = 100, .elapsed = 5s, .wait = fixed(2s)}));
inline constexpr auto choosy = workflow(
    "choosy", step<flaky>.retry({.attempts = 4, .wait = fixed(1s), .when = on<std::logic_error>}));

struct Timed {
    testing::ManualClock clock;
    World world{clock};
    Attempts attempts{clock, {}};
    void drive() {
        do world.turn();
        while (clock.jump());
    }
};
}

TEST_CASE("a failed step is retried after growing waits, from unedited state") {
    Timed t;
    auto run = t.world.loop.start(patient.with(t.attempts), {.failures = 3});
    t.drive();
    CHECK(run.outcome().attempts == 4);
    CHECK(t.attempts.at == std::vector{0ms, 1000ms, 3000ms, 7000ms});
}
TEST_CASE("a run fails with the number of attempts when no attempt is left") {
    Timed t;
    auto run = t.world.loop.start(patient.with(t.attempts), {.failures = 9});
    std::optional<AnyEvent> last;
    spawn(t.world.io.get_executor(), run.next_event(), [&](auto, auto e) { last = std::move(e); });
    t.drive();
    REQUIRE(last);
    auto* failed = last->get_if<RunFailedEvent>();
    REQUIRE(failed);
    CHECK(failed->step == "flaky");
    CHECK(failed->attempts == 4);
    CHECK(failed->error == "try 4");
    CHECK_THROWS_WITH_AS(run.outcome(), "step flaky failed: try 4", RunError);
}
TEST_CASE("a retry policy begins no attempt later than `elapsed` allows") {
    Timed t;
    auto run = t.world.loop.start(short_of_time.with(t.attempts), {.failures = 99});
    t.drive();
    CHECK_THROWS_AS(run.outcome(), RunError);
    CHECK(t.attempts.at == std::vector{0ms, 2000ms, 4000ms});
}
TEST_CASE("a retry policy retries only the errors that it names") {
    Timed t;
    auto run = t.world.loop.start(choosy.with(t.attempts), {.failures = 1});
    t.drive();
    CHECK_THROWS_AS(run.outcome(), RunError);
    CHECK(t.attempts.at.size() == 1);
}
TEST_CASE("a run waiting for a retry is not idle, holds no worker, and is cancelled immediately") {
    Timed t;
    auto run = t.world.loop.start(patient.with(t.attempts), {.failures = 9});
    t.world.turn();
    CHECK(!run.idle());
    CHECK(core::PrivateAccess::run_of(run).state.lanes[0].free == 4);
    run.cancel();
    t.world.turn();
    CHECK(run.ended());
    CHECK(!t.clock.jump());
}
TEST_CASE("jitter is drawn from the seed: the same seed waits the same") {
    const auto waits = [](std::uint64_t seed) {
        testing::ManualClock clock;
        asio::io_context io{1};
        Loop loop(Runtime{io.get_executor(), &clock}, {.seed = seed});
        Attempts attempts{clock, {}};
        static constexpr auto w = workflow("jittery",
                                           step<flaky>.retry({.attempts = 5, .wait = exponential(1s, 1min)}));
        auto run = loop.start(w.with(attempts), {.failures = 4});
        do {
            io.restart();
            io.run();
        } while (clock.jump());
        CHECK(run.outcome().attempts == 5);
        return attempts.at;
    };
    CHECK(waits(1) == waits(1));
    CHECK(waits(1) != waits(2));
}
TEST_CASE("a retry's wait is bounded, and never negative") {
    const auto wait = exponential(100ms, 2s);
    CHECK(wait.before_retry(1, 0) == 100ms);
    CHECK(wait.before_retry(3, 0) == 400ms);
    CHECK(wait.before_retry(5000, 0) == 2s);
    for (unsigned n = 1; n < 50; ++n)
        for (double r : {0.0, 0.5, 0.999}) CHECK((wait.before_retry(n, r) > 0ns && wait.before_retry(n, r) <= 2s));
}

namespace {
awaitable<EndEvent> slow(Context&, GoEvent e, Attempts& attempts) {
    const int n = attempts.count();
    co_await sleep_for(n <= e.failures ? 1h : 1s);
    co_return EndEvent{.attempts = n};
}
inline constexpr auto timed = workflow("timed", step<slow>.timeout(2s).retry({.attempts = 3, .wait = fixed(0s)}));
}
TEST_CASE("an attempt is cancelled and retried when it takes longer than its timeout") {
    Timed t;
    auto run = t.world.loop.start(timed.with(t.attempts), {.failures = 2});
    t.drive();
    CHECK(run.outcome().attempts == 3);
    CHECK(t.attempts.at == std::vector{0ms, 2000ms, 4000ms});

    Timed u;
    auto never = u.world.loop.start(timed.with(u.attempts), {.failures = 99});
    u.drive();
    try {
        (void)never.outcome();
        FAIL("it did not fail");
    } catch (const RunError& e) {
        CHECK(e.code() == Code::timed_out);
        CHECK(e.what() == doctest::Contains("step slow took longer than its timeout of 2 s"));
    }
}

namespace {
struct WorkEvent {
    int i = 0;
};
struct DoneEvent {
    int i = 0;
};
struct SumEvent : StopEvent {
    std::vector<int> values;
};
struct WidthEvent : StartEvent {
    int n = 0;
};
std::vector<WorkEvent> spread(Context&, WidthEvent e) {
    std::vector<WorkEvent> all;
    for (int i = 0; i < e.n; ++i) all.push_back({i});
    return all;
}
DoneEvent work(Context&, WorkEvent e) {
    if (e.i % 2) throw Flaky("odd " + std::to_string(e.i));
    return {e.i};
}
DoneEvent rescue(Context&, StepFailedEvent e) {
    CHECK(e.step == "work");
    CHECK(e.input == "WorkEvent");
    CHECK(e.code == "step_failed");
    CHECK(e.attempts == 1);
    return {-std::stoi(e.error.substr(4))};
}
SumEvent join(Context&, std::vector<DoneEvent> all) {
    SumEvent sum;
    for (auto& d : all) sum.values.push_back(d.i);
    return sum;
}
inline constexpr auto rescued = workflow("rescued", step<spread>, step<work>, step<rescue>, step<join>);

struct AgainEvent {};
AgainEvent start_again(Context&, WidthEvent) { return {}; }
SumEvent always_fails(Context&, AgainEvent, int& tries) {
    ++tries;
    throw Flaky("always");
}
AgainEvent hope(Context&, StepFailedEvent) { return {}; }
inline constexpr auto hopeless = workflow("hopeless", step<start_again>, step<always_fails>, step<hope>.recoveries(3));
AgainEvent clumsy(Context&, StepFailedEvent) { throw Flaky("clumsy"); }
inline constexpr auto double_fault = workflow("double_fault", step<start_again>, step<always_fails>, step<clumsy>);
}
TEST_CASE("a rescued branch continues in the place of the failed one") {
    CHECK(run(rescued, {.n = 5}).values == std::vector{0, -1, 2, -3, 4});
}
TEST_CASE("a chain of events is rescued as often as its handler allows, then the run fails with the error") {
    World w;
    int tries = 0;
    auto run = w.loop.start(hopeless.with(tries), {});
    w.io.run();
    CHECK_THROWS_WITH_AS(run.outcome(), "step always_fails failed: always", RunError);
    CHECK(tries == 4);
}
TEST_CASE("a run fails by a handler's name when the handler fails") {
    World w;
    int tries = 0;
    auto run = w.loop.start(double_fault.with(tries), {});
    w.io.run();
    CHECK_THROWS_WITH_AS(run.outcome(), "step clumsy failed: clumsy", RunError);
}
