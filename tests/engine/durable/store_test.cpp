// A tick takes effect after it is stored, each consequence waits for its own tick, and a store may fail.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/world.hpp"
#include <algorithm>
#include <deque>
#include <thread>
using namespace weft;
using namespace std::chrono_literals;
using FailureMode = FailingStore::FailureMode;
using Names = std::vector<std::string>;

namespace {
struct GoEvent : StartEvent {
    int n = 3;
};
BOOST_DESCRIBE_STRUCT(GoEvent, (), (n))
struct StepEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(StepEvent, (), (left))
struct EndEvent : StopEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (n))
StepEvent go(Context&, GoEvent e) { return {e.n}; }
std::variant<StepEvent, EndEvent> countdown(Context& ctx, StepEvent e) {
    ctx.edit<Tally>([](auto& t) { ++t.n; });
    if (e.left == 0) return EndEvent{.n = ctx.get<Tally>().n};
    return StepEvent{e.left - 1};
}
inline constexpr auto counting = workflow("counting", step<go>, step<countdown>);

struct Flawed {  // a world whose store may fail, late or immediately
    testing::ManualClock clock;
    MemoryStore memory;
    FailingStore store{memory};
    std::deque<Names> streams = {};  // the readers' streams, which outlive the readers
    World world{clock, &store};
    template <class Done> bool until(Done done) {
        for (int i = 0; i < 10'000; ++i) {
            world.turn();
            if (done()) return true;
            world.io.restart();  // pending answers precede the clock
            if (world.io.poll() == 0 && store.release() == 0 && !clock.jump()) return false;
        }
        return false;
    }
};
Code code_of_outcome(auto& run) {
    try {
        (void)run.outcome();
    } catch (const RunError& error) { return error.code(); }
    FAIL("the run has an outcome");
    return Code::usage;
}
}

// --- waits for the store ---
TEST_CASE("a run acts on a record only after it is stored") {
    Flawed flawed;
    flawed.store.hold();
    World& w = flawed.world;
    auto run = w.loop.start(durable<Tally>(counting), {.n = 2}, {.id = "r1"});
    for (std::size_t ticks = 1; !run.ended(); ++ticks) {
        w.turn();
        CHECK(ticks_of(flawed.memory, "r1").size() == ticks);  // one at a time: each waits for the one before
        CHECK(flawed.store.release() == 1);
        w.turn();
    }
    CHECK(run.outcome().n == 3);
    const auto ticks = ticks_of(flawed.memory, "r1");
    REQUIRE(ticks.size() == 5);  // arrived; go, and three countdowns finished
    CHECK(ticks.back()["events"][0]["event"] == "EndEvent");
    CHECK(ticks.back()["slots"]["tally"]["n"] == 3);
    CHECK(history_of(flawed.memory, "r1").run.status == RunStatus::done);
}
TEST_CASE("a store's answer within the call counts immediately: the run continues in the same turn") {
    MemoryStore store;
    World w(&store);
    auto run = w.loop.start(durable<Tally>(counting), {.n = 20});
    w.io.run_one();
    CHECK(run.ended());
}
TEST_CASE("a run without a store keeps no records: it takes no more memory when it is long or durable") {
    World w;
    auto run = w.loop.start(counting, {.n = 100'000});
    auto stored = w.loop.start(durable<Tally>(counting), {.n = 100'000});
    w.io.run();
    for (auto* r : {&core::PrivateAccess::run_of(run), &core::PrivateAccess::run_of(stored)}) {
        CHECK(r->extras == nullptr);
        CHECK(r->state.tokens.size() == 1);
    }
    CHECK(run.outcome().n == 100'001);
    CHECK(stored.outcome().n == 100'001);
}
TEST_CASE("a run without durability leaves nothing in the store of its engine") {
    Flawed flawed;
    auto run = flawed.world.loop.start(counting, {.n = 9});
    flawed.world.turn();
    CHECK(run.outcome().n == 10);
    CHECK(flawed.store.calls() == 0);
}

namespace {
struct PartEvent {
    int i = 0;
};
BOOST_DESCRIBE_STRUCT(PartEvent, (), (i))
struct DoneEvent {
    int i = 0;
};
BOOST_DESCRIBE_STRUCT(DoneEvent, (), (i))
struct CheckedEvent {};
BOOST_DESCRIBE_STRUCT(CheckedEvent, (), ())
struct AskEvent : InputRequiredEvent {
    int parts = 0;
};
BOOST_DESCRIBE_STRUCT(AskEvent, (), (parts))
struct ReplyEvent : Answers<AskEvent> {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(ReplyEvent, (), (n))
struct Log : Growing<int> {};
using Begun = std::vector<int>;

std::vector<PartEvent> split(Context&, GoEvent e) {
    std::vector<PartEvent> all;
    for (int i = 0; i < e.n; ++i) all.push_back({i});
    return all;
}
awaitable<DoneEvent> work(Context& ctx, PartEvent e) {
    co_await sleep_for(std::chrono::seconds(1 + e.i));
    ctx.edit<Log>([&](auto& log) { log.push_back(e.i); });
    co_return DoneEvent{e.i};
}
awaitable<CheckedEvent> check(Context&, DoneEvent e, Begun& begun) {
    begun.push_back(e.i);
    co_await sleep_for(1h);
    co_return CheckedEvent{};
}
EndEvent count(Context&, std::vector<CheckedEvent> all) { return {{}, int(all.size())}; }
inline constexpr auto side_by_side = workflow("side_by_side", step<split>, step<work>, step<check>, step<count>);

StepEvent prepare(Context&, GoEvent e) { return {e.n}; }
awaitable<EndEvent> act(Context&, StepEvent e, Begun& begun) {
    begun.push_back(e.left);
    co_await sleep_for(1s);
    co_return EndEvent{.n = e.left};
}
inline constexpr auto acting = workflow("acting", step<prepare>, step<act>);
inline constexpr auto acting_at_once = workflow("acting", step<prepare>.repeatable(), step<act>);
}
TEST_CASE("a step begins when its event is stored, although a later record of a branch beside it is not") {
    Flawed flawed;
    Begun begun;
    World& w = flawed.world;
    auto run = w.loop.start(durable<Log>(side_by_side.with(begun)), {.n = 2}, {.id = "r"});
    w.turn();
    flawed.store.hold();
    for (int i = 0; i < 2; ++i) {  // each of the two parts is done
        flawed.clock.advance(1s);
        w.turn();
    }
    CHECK(flawed.store.held() == 2);  // both are pending
    CHECK(begun.empty());
    CHECK(flawed.store.release(1) == 1);
    w.turn();
    CHECK(begun == Begun{0});
    CHECK(flawed.store.held() == 1);
    CHECK(flawed.store.release(1) == 1);
    w.turn();
    CHECK(begun == Begun{0, 1});
    REQUIRE(flawed.until([&] { return run.ended(); }));
    CHECK(run.outcome().n == 2);
}
TEST_CASE("the step after a repeatable one begins immediately, and later steps wait for both records") {
    for (const bool repeatable : {false, true}) {
        Flawed flawed;
        Begun begun;
        World& w = flawed.world;
        const auto& picture = repeatable ? acting_at_once : acting;
        flawed.store.hold();
        auto run = w.loop.start(durable<>(picture.with(begun)), {.n = 7}, {.id = "r"});
        w.turn();
        CHECK(begun.empty());  // the start event itself is not stored yet
        CHECK(flawed.store.release(1) == 1);
        w.turn();
        CHECK(begun.size() == (repeatable ? 1 : 0));
        CHECK(flawed.store.held() == 1);
        flawed.clock.advance(1s);
        w.turn();
        CHECK_FALSE(run.ended());
        CHECK(flawed.store.held() == (repeatable ? 2 : 1));
        CHECK(flawed.store.release(1) == 1);
        w.turn();
        CHECK_FALSE(run.ended());
        REQUIRE(flawed.until([&] { return run.ended(); }));
        CHECK(run.outcome().n == 7);
        CHECK(begun == Begun{7});
    }
}

// --- failing stores ---
namespace {
AskEvent ask(Context&, std::vector<DoneEvent> all) { return {{}, int(all.size())}; }
EndEvent conclude(Context& ctx, ReplyEvent reply) { return {{}, int(ctx.get<Log>().size()) * 100 + reply.n}; }
inline constexpr auto tour = workflow("tour", step<split>, step<work>, step<ask>, step<conclude>);

struct Trip {  // a tour with a reader that answers
    RunOf<tour> run;
    Names& seen;
    std::size_t answered = 0;
    bool goes_on() {
        const auto asked = std::size_t(std::count(seen.begin(), seen.end(), "AskEvent"));
        if (answered < asked) run.send(ReplyEvent{.n = 5}), ++answered;
        return !run.ended();
    }
};
struct Told {
    Names stream, ticks;
    int n = 0;
    std::size_t failures = 0;
};
Told tour_with(bool late, std::size_t failing, FailureMode how) {
    Flawed flawed;
    if (late) flawed.store.hold();
    flawed.store.fail(failing, how);
    Trip trip{flawed.world.loop.start(durable<Log>(tour), {.n = 3}, {.id = "r"}), flawed.streams.emplace_back()};
    flawed.world.spawn(record(trip.run, trip.seen));
    REQUIRE(flawed.until([&] { return !trip.goes_on(); }));
    flawed.until([] { return false; });
    Told told{.stream = trip.seen, .ticks = {}, .n = trip.run.outcome().n, .failures = flawed.store.failures()};
    for (auto& tick : ticks_of(flawed.memory, "r")) {
        tick.erase("at");
        told.ticks.push_back(tick.dump());
    }
    CHECK(history_of(flawed.memory, "r").run.status == RunStatus::done);
    return told;
}
void survives_each_failure(FailureMode how) {
    for (const bool late : {false, true}) {
        const auto whole = tour_with(late, 10'000, how);
        REQUIRE(whole.failures == 0);
        REQUIRE(whole.n == 305);
        for (std::size_t n = 0;; ++n) {
            CAPTURE(n);
            const auto told = tour_with(late, n, how);
            CHECK(told.n == whole.n);
            CHECK(told.stream == whole.stream);
            CHECK(told.ticks == whole.ticks);
            if (told.failures > 0) continue;
            CHECK(n >= whole.ticks.size());
            break;
        }
    }
}
}
TEST_CASE("a run survives any one failure of its store, which its user does not see") {
    survives_each_failure(FailureMode::not_stored);
}
TEST_CASE("a record that is stored although the store reported failure is not stored twice") {
    survives_each_failure(FailureMode::stored);
}

TEST_CASE("a run leaves memory when its store fails for ever, reports only stored work, and resumes from there") {
    for (std::size_t n = 1;; ++n) {
        CAPTURE(n);
        Flawed flawed;
        flawed.store.fail(n, FailureMode::from_now_on);
        {
            Trip trip{flawed.world.loop.start(durable<Log>(tour), {.n = 3}, {.id = "r"}),
                      flawed.streams.emplace_back()};
            flawed.world.spawn(record(trip.run, trip.seen));
            REQUIRE(flawed.until([&] { return !trip.goes_on(); }));
            if (flawed.store.failures() == 0) {
                CHECK(n > 7);
                return;
            }
            CHECK(code_of_outcome(trip.run) == Code::journal);
            CHECK_THROWS_WITH_AS(
                trip.run.outcome(),
                doctest::Contains("continues from there when it is resumed: the store was told to fail"), RunError);
            Names told;
            for (auto& tick : ticks_of(flawed.memory, "r"))
                for (auto& question : tick.value("asked", nlohmann::json::array())) told.push_back(question["event"]);
            told.push_back("RunFailedEvent");
            CHECK(std::count(trip.seen.begin(), trip.seen.end(), "EndEvent") == 0);
            CHECK(std::includes(told.begin(), told.end(), trip.seen.begin(), trip.seen.end()));
            CHECK(trip.seen.back() == "RunFailedEvent");
        }
        CHECK(history_of(flawed.memory, "r").run.status == RunStatus::running);
        flawed.store.fail_no_more();
        dying::free_all(flawed.memory);
        Trip trip{dying::resume_on(flawed.world.loop, durable<Log>(tour), "r"), flawed.streams.emplace_back()};
        flawed.world.spawn(record(trip.run, trip.seen));
        REQUIRE(flawed.until([&] { return !trip.goes_on(); }));
        CHECK(trip.run.outcome().n == 305);
        int done = 0;
        for (auto& tick : ticks_of(flawed.memory, "r")) done += tick["tick"] == "finished" && tick["step"] == "work";
        CHECK(done == 3);
    }
}
TEST_CASE("a run unknown to its store cannot be resumed") {
    Flawed flawed;
    flawed.store.fail(0, FailureMode::from_now_on);
    auto run = flawed.world.loop.start(durable<Tally>(counting), {.n = 2}, {.id = "r"});
    REQUIRE(flawed.until([&] { return run.ended(); }));
    CHECK(code_of_outcome(run) == Code::journal);
    CHECK_THROWS_WITH_AS(history_of(flawed.memory, "r"), "the store has no run r", Error);
}
TEST_CASE("a store call is repeated eight times, with growing waits") {
    for (std::size_t stored = 0; stored < 5; ++stored) {
        CAPTURE(stored);
        Flawed flawed;
        flawed.store.fail(stored, FailureMode::from_now_on);
        const auto begin = flawed.clock.now();
        auto run = flawed.world.loop.start(durable<Tally>(counting), {.n = 3}, {.id = "r"});
        REQUIRE(flawed.until([&] { return run.ended(); }));
        CHECK(flawed.store.failures() == 9);
        CHECK(flawed.clock.now() - begin == 50ms * 255);
        flawed.until([] { return false; });
        CHECK(flawed.store.failures() == 9);
    }
}
TEST_CASE("a store that fails for ever ends one run, and the loop and its other runs continue") {
    Flawed flawed;
    auto run = flawed.world.loop.start(durable<Tally>(counting), {.n = 2}, {.id = "r"});
    auto other = flawed.world.loop.start(counting, {.n = 7});
    flawed.store.fail(0, FailureMode::from_now_on);
    REQUIRE(flawed.until([&] { return run.ended(); }));
    CHECK(code_of_outcome(run) == Code::journal);
    CHECK(other.outcome().n == 8);
    flawed.store.fail_no_more();
    auto after = flawed.world.loop.start(durable<Tally>(counting), {.n = 1}, {.id = "after"});
    flawed.world.turn();
    CHECK(after.outcome().n == 2);
}
TEST_CASE("a store's answer for later records counts only when the earlier ones are stored") {
    Flawed flawed;
    flawed.store.hold();
    flawed.store.fail(0);
    auto run = flawed.world.loop.start(durable<Tally>(counting), {.n = 3}, {.id = "r"});
    run.cancel();
    flawed.world.turn();
    CHECK(flawed.store.held() == 2);  // the first call failed, and the second found no run
    REQUIRE(flawed.until([&] { return run.ended(); }));
    CHECK(code_of_outcome(run) == Code::cancelled);
    CHECK(ticks_of(flawed.memory, "r").size() == 2);
    CHECK(history_of(flawed.memory, "r").run.status == RunStatus::cancelled);
}

TEST_SUITE_BEGIN("threads");
TEST_CASE("a store may answer from any thread") {
    MemoryStore memory;
    FailingStore store(memory);
    store.hold();
    std::jthread answering([&](const std::stop_token& stop) {
        while (!stop.stop_requested())
            if (store.release() == 0) std::this_thread::yield();
    });
    Engine engine({.loops = 2, .store = &store});
    const auto stored = durable<Tally>(counting);
    std::vector<decltype(engine.start(stored, {}))> runs;
    for (int i = 0; i < 20; ++i) runs.push_back(engine.start(stored, {.n = i}));
    for (int i = 0; i < 20; ++i) CHECK(engine.wait(runs[std::size_t(i)].result()).n == i + 1);
}
TEST_SUITE_END();
