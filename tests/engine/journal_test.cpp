// Ticks are stored before they are acted upon.
#include "engine/engine.hpp"
#include "engine/store/memory_journal.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>
#include <thread>
using namespace weft;

namespace {
struct GoEvent : StartEvent {
    int n = 3;
};
struct StepEvent {
    int left = 0;
};
struct EndEvent : StopEvent {
    int n = 0;
};
StepEvent go(Context&, GoEvent e) { return {e.n}; }
std::variant<StepEvent, EndEvent> countdown(Context& ctx, StepEvent e) {
    ctx.edit<Tally>([](auto& t) { ++t.n; });
    if (e.left == 0) return EndEvent{.n = ctx.get<Tally>().n};
    return StepEvent{e.left - 1};
}
inline constexpr auto counting = workflow("counting", step<go>, step<countdown>);
}

TEST_CASE("nothing is acted upon before its tick is stored") {
    MemoryJournal journal;
    journal.hold();
    World w(&journal);
    auto run = w.loop.start(counting, {.n = 2}, {.id = "r1"});
    for (std::size_t ticks = 1; !run.ended(); ++ticks) {
        w.turn();
        CHECK(journal.ticks("r1").size() == ticks);  // one at a time: the next waits for the last
        CHECK(journal.acknowledge() == 1);
        w.turn();
    }
    CHECK(run.outcome().n == 3);
    CHECK(journal.ticks("r1").size() == 5);  // arrived; go, and three countdowns finished
    CHECK(journal.ticks("r1").back().event_names == std::vector<std::string>{"EndEvent"});
    CHECK(journal.ticks("r1").back().slots == std::vector<std::string>{"Tally"});
    CHECK(journal.fold("r1") == core::Inside::run_of(run).state);
}
TEST_CASE("a journal that throws fails that run only; the loop and its other runs go on") {
    for (std::size_t n = 0; n < 5; ++n) {
        MemoryJournal journal;
        World w(&journal);
        journal.fail_after(n);
        auto run = w.loop.start(counting, {.n = 2});
        auto other = w.loop.start(counting, {.n = 7});
        w.io.run();
        REQUIRE(run.ended());
        REQUIRE(other.ended());
        int failed = 0;
        for (auto* r : {&run, &other}) try {
                (void)r->outcome();
            } catch (const RunError& e) {
                CHECK(e.code() == Code::journal);
                CHECK(e.what() == doctest::Contains("the journal was told to fail"));
                ++failed;
            }
        CHECK(failed == 1);
        auto after = w.loop.start(counting, {.n = 1});
        w.turn();
        CHECK(after.outcome().n == 2);
    }
}
TEST_CASE("a tick that the store could not keep fails the run before its consequences") {
    MemoryJournal journal;
    journal.hold();
    World w(&journal);
    auto run = w.loop.start(counting, {.n = 2});
    w.turn();
    journal.acknowledge(1, std::make_exception_ptr(std::runtime_error("disk full")));
    w.turn();
    CHECK_THROWS_WITH_AS(run.outcome(), "the run failed: the journal did not store a tick: disk full", RunError);
}
TEST_CASE("without a journal no tick is kept: a long run costs no memory") {
    World w;
    auto run = w.loop.start(counting, {.n = 100'000});
    w.io.run();
    CHECK(run.outcome().n == 100'001);
    CHECK(core::Inside::run_of(run).extras == nullptr);
    CHECK(core::Inside::run_of(run).state.tokens.size() == 1);
}

namespace {
struct Refusing : Journal {  // stores so many ticks, then refuses all
    std::size_t left = 0, refused = 0;
    void append(const Record&, Stored stored) override {
        if (left-- == 0) {
            ++refused;
            left = 0;
            throw std::runtime_error("no room");
        }
        stored();
    }
};
struct PartEvent {
    int i = 0;
};
struct DoneEvent {};
std::vector<PartEvent> split(Context&, GoEvent e) {
    std::vector<PartEvent> all;
    for (int i = 0; i < e.n; ++i) all.push_back({i});
    return all;
}
awaitable<DoneEvent> work(Context&, PartEvent e) {
    co_await sleep_for(std::chrono::seconds(1 + e.i));
    co_return DoneEvent{};
}
EndEvent join(Context&, std::vector<DoneEvent> all) { return {{}, int(all.size())}; }
inline constexpr auto side_by_side = workflow("side_by_side", step<split>, step<work>, step<join>);
}
TEST_CASE("a call inside of append counts at once: the run goes on in the same turn") {
    MemoryJournal journal;
    World w(&journal);
    auto run = w.loop.start(counting, {.n = 20});
    w.io.run_one();
    CHECK(run.ended());
}
TEST_CASE("a journal that has refused a tick of a run is not asked again for that run") {
    for (std::size_t stored = 0; stored < 5; ++stored) {
        Refusing journal;
        journal.left = stored;
        CHECK_THROWS_WITH_AS(testing::run(side_by_side, {.n = 3}, {.journal = &journal}),
                             "the run failed: the journal did not store a tick: no room", RunError);
        CHECK(journal.refused == 1);
    }
}

TEST_SUITE_BEGIN("threads");
namespace {
struct Elsewhere : Journal {  // stores on a thread of its own
    asio::io_context io;
    decltype(asio::make_work_guard(io)) work = asio::make_work_guard(io);
    std::jthread thread{[this] { io.run(); }};
    void append(const Record&, Stored stored) override {
        asio::post(io, [stored = std::move(stored)] { stored(); });
    }
    ~Elsewhere() override { work.reset(); }
};
}
TEST_CASE("a journal may say from any thread that a tick is stored") {
    Elsewhere journal;
    Engine engine({.loops = 2, .journal = &journal});
    std::vector<decltype(engine.start(counting, {}))> runs;
    for (int i = 0; i < 20; ++i) runs.push_back(engine.start(counting, {.n = i}));
    for (int i = 0; i < 20; ++i) CHECK(engine.wait(runs[std::size_t(i)].result()).n == i + 1);
}
TEST_SUITE_END();

TEST_CASE("a run whose journal has failed ends, whatever the journal says of later ticks") {
    MemoryJournal journal;
    journal.hold();
    World w(&journal);
    auto run = w.loop.start(counting, {.n = 3});
    run.cancel();
    journal.acknowledge(1, std::make_exception_ptr(std::runtime_error("disk full")));
    journal.acknowledge(1);
    w.turn();
    REQUIRE(run.ended());
    CHECK_THROWS_AS(run.outcome(), RunError);
}
