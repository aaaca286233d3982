// Deadlines of many runs on one loop: each fires at its own time, in the order of times.
#include "engine/engine.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <random>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {};
struct EndEvent : StopEvent {};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
AskEvent ask(Context&, GoEvent) { return {}; }
EndEvent conclude(Context&, ReplyEvent) { return {}; }
inline constexpr auto waiting = workflow("waiting", step<ask>, step<conclude>);
using Waiting = Run<std::remove_const_t<decltype(waiting)>>;

struct Deadlines {
    testing::ManualClock clock;
    World world{clock};
    std::vector<std::pair<int, Waiting>> runs;  // with their deadlines in seconds since the beginning
    std::chrono::steady_clock::time_point begin = clock.now();
    void add(int seconds) {  // from now
        runs.emplace_back(now() + seconds, world.loop.start(waiting, {}, {.timeout = std::chrono::seconds(seconds)}));
        world.turn();
    }
    int now() const { return int(std::chrono::duration_cast<std::chrono::seconds>(clock.now() - begin).count()); }
    /// Jumps from alarm to alarm, and checks that exactly the runs with passed deadlines have ended.
    void run_out() {
        while (clock.jump()) {
            world.turn();
            for (auto& [at, run] : runs) REQUIRE(run.ended() == (at <= now()));
        }
        for (auto& [at, run] : runs) CHECK(run.ended());
    }
};
}

TEST_CASE("deadlines set in any order come in the order of their times") {
    std::vector<int> seconds{1, 2, 3, 4, 5};
    do {
        Deadlines d;
        for (int s : seconds) d.add(s);
        d.run_out();
        REQUIRE(d.now() == 5);
    } while (std::next_permutation(seconds.begin(), seconds.end()));
}
TEST_CASE("an earlier deadline moves the alarm, a later one leaves it") {
    Deadlines d;
    d.add(10);
    d.add(5);
    d.add(20);
    d.clock.advance(5s);
    d.world.turn();
    CHECK(d.runs[1].second.ended());
    CHECK(!d.runs[0].second.ended());
    d.clock.advance(5s);
    d.world.turn();
    CHECK(d.runs[0].second.ended());
    CHECK(!d.runs[2].second.ended());
    d.run_out();
}
TEST_CASE("a deadline removed from among others leaves theirs as they are, whichever it is") {
    for (std::size_t gone = 0; gone < 40; ++gone) {
        std::minstd_rand random(7);
        Deadlines d;
        for (int i = 0; i < 40; ++i) d.add(1 + int(random() % 100));
        d.runs[gone].second.send(ReplyEvent{});
        d.world.turn();
        REQUIRE(d.runs[gone].second.ended());
        d.runs.erase(d.runs.begin() + long(gone));
        d.run_out();
    }
}
TEST_CASE("deadlines come and go at random, and each run ends at its own time") {
    for (unsigned seed = 1; seed < 20; ++seed) {
        std::minstd_rand random(seed);
        Deadlines d;
        for (int round = 0; round < 100; ++round) {
            d.add(1 + int(random() % 60));
            if (random() % 3 == 0) {
                auto i = d.runs.begin() + long(random() % d.runs.size());
                i->second.cancel();
                d.world.turn();
                d.runs.erase(i);
            }
            if (random() % 4 == 0) {
                d.clock.advance(std::chrono::seconds(random() % 10));
                d.world.turn();
                for (auto& [at, run] : d.runs) REQUIRE(run.ended() == (at <= d.now()));
            }
        }
        d.run_out();
    }
}
TEST_CASE("the shortest timeout applies, and an invalid one is ignored") {
    testing::ManualClock clock;
    World w(clock);
    auto run = w.loop.start(waiting, {}, {.timeout = 1ns});
    w.turn();
    CHECK(!run.ended());
    clock.advance(1ns);
    w.turn();
    CHECK(run.ended());
    CHECK_THROWS_AS(w.loop.start(waiting, {}, {.timeout = 0ns}), Error);
}

namespace {
struct PartEvent {
    int n = 0;
};
struct DoneEvent {};
std::vector<PartEvent> split(Context&, GoEvent) { return {{1}, {2}, {3}, {4}}; }
awaitable<DoneEvent> work_on(Context&, PartEvent part) {
    if (part.n == 2) throw std::runtime_error("busy");
    co_await sleep_for(1h);
    co_return DoneEvent{};
}
EndEvent gather(Context&, std::vector<DoneEvent>) { return {}; }
inline constexpr auto parts = workflow(
    "parts", step<split>, step<work_on>.workers(2).retry({.attempts = 3, .wait = fixed(10min)}), step<gather>);
}
TEST_CASE("a working run's diagnosis names running steps, waiting retries and the remaining parts") {
    testing::ManualClock clock;
    World world{clock};
    auto run = world.loop.start(parts, {});
    world.turn();
    clock.advance(90s);
    world.turn();
    CHECK(run.diagnosis() ==
          "the run is at work: step work_on has been running for 90 s; step work_on has been running "
          "for 90 s; step work_on waits 510 s for its attempt 2; step work_on has 1 more to do");
    clock.advance(510s);
    world.turn();
    CHECK(run.diagnosis().find("waits") == std::string::npos);
}
TEST_CASE("a run of an engine names its running step to another thread") {
    Engine engine;
    auto run = engine.start(parts, {});
    std::string text;
    while (text.find("step work_on has been running for ") == std::string::npos) text = run.diagnosis();
    CHECK(text.starts_with("the run is at work: step "));
}
