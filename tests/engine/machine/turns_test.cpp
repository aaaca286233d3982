// Runs that share a loop, and the state after failures: events, edits, timers, names.
#include "engine/durable.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/world.hpp"
#include <algorithm>
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

namespace {
struct GoEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(GoEvent, (), (n))
struct EndEvent : StopEvent {
    int n = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (n, text))
struct CountEvent {
    int left = 0;
};
CountEvent begin(Context&, GoEvent e) { return {e.n}; }
std::variant<CountEvent, EndEvent> count(Context&, CountEvent e) {
    if (e.left == 0) return EndEvent{};
    return CountEvent{e.left - 1};
}
inline constexpr auto counting = workflow("counting", step<begin>, step<count>);
EndEvent at_once(Context&, GoEvent e) { return {{}, e.n, ""}; }
inline constexpr auto quick = workflow("quick", step<at_once>);
}
TEST_CASE("a run without waits lets other runs take their turns") {
    World w;
    auto busy = w.loop.start(counting, {.n = 1'000'000});
    w.io.run_one();
    auto other = w.loop.start(quick, {.n = 1});
    for (int turns = 0; turns < 100 && !other.ended(); ++turns) w.io.run_one();
    CHECK(other.ended());
    CHECK(!busy.ended());
    busy.cancel();
    w.turn();
    CHECK(busy.ended());
}
TEST_CASE("a thousand runs on one loop all end, in whatever order they were started and cancelled") {
    World w;
    std::vector<Run<std::remove_const_t<decltype(counting)>>> runs;
    for (int i = 0; i < 1000; ++i) runs.push_back(w.loop.start(counting, {.n = i}));
    for (std::size_t i = 0; i < runs.size(); i += 3) runs[i].cancel();
    w.turn();
    int ended = 0, cancelled = 0;
    for (auto& run : runs) {
        REQUIRE(run.ended());
        try {
            (void)run.outcome();
            ++ended;
        } catch (const RunError& e) { cancelled += e.code() == Code::cancelled; }
    }
    CHECK(cancelled == 334);
    CHECK(ended == 666);
}

// --- the state after failures ---
namespace {
struct PartEvent {
    int i = 0;
};
struct DoneEvent {
    std::shared_ptr<int> load;
};
std::vector<PartEvent> split(Context&, GoEvent e) {
    std::vector<PartEvent> all;
    for (int i = 0; i < e.n; ++i) all.push_back({i});
    return all;
}
struct Loads {
    std::vector<std::weak_ptr<int>> made;
    std::size_t alive() const {
        return std::size_t(std::count_if(made.begin(), made.end(), [](auto& w) { return !w.expired(); }));
    }
};
awaitable<DoneEvent> clash(Context& ctx, PartEvent e, Loads& loads) {
    ctx.edit<Tally>([&](auto& t) { t.n += 1; });
    co_await sleep_for(1s);
    DoneEvent done{std::make_shared<int>(e.i)};
    loads.made.emplace_back(done.load);
    co_return done;
}
EndEvent join(Context& ctx, std::vector<DoneEvent> all, Loads& loads) {
    return {{}, ctx.get<Tally>().n, std::to_string(all.size()) + " of " + std::to_string(loads.alive())};
}
inline constexpr auto clashing = workflow("clashing", step<split>,
                                          step<clash>.retry({.attempts = 9, .wait = fixed(0s)}), step<join>);
}
TEST_CASE("an attempt is retried when its edits are refused, and none of its events is left") {
    Loads loads;
    const auto end = testing::run(clashing.with(loads), {.n = 3});
    CHECK(end.n == 3);  // no update is lost
    CHECK(loads.made.size() == 6);
    CHECK(end.text == "3 of 3");
    CHECK(loads.alive() == 0);
}
namespace {
DoneEvent fine(Context&, PartEvent) { return {}; }
EndEvent fail_to_join(Context&, std::vector<DoneEvent>) { throw std::runtime_error("broken"); }
EndEvent tell(Context&, StepFailedEvent e) {
    return {{}, int(e.attempts), e.step + "(" + e.input + "): " + e.error + ", " + e.code};
}
inline constexpr auto told = workflow("told", step<split>, step<fine>, step<fail_to_join>, step<tell>);
EndEvent fail_typed(Context&, GoEvent) { throw Error(Code::model_failed, "it stammers"); }
inline constexpr auto typed = workflow("typed", step<fail_typed>.retry({.attempts = 2, .wait = fixed(1s)}), step<tell>);
}
TEST_CASE("a failure names the step, the event that it was given, its error, its code and the attempts") {
    CHECK(run(told, {.n = 2}).text == "fail_to_join(DoneEvent): broken, step_failed");
    CHECK(run(told, {.n = 0}).text == "fail_to_join(): broken, step_failed");  // the input is an empty collection
    const auto end = testing::run(typed, {});
    CHECK(end.text == "fail_typed(GoEvent): it stammers, model_failed");
    CHECK(end.n == 2);
}
namespace {
EndEvent never(Context&, GoEvent, std::vector<double>& at, const Clock& clock) {
    at.push_back(std::chrono::duration<double>(clock.now().time_since_epoch()).count());
    throw std::runtime_error("never");
}
inline constexpr auto just_in_time = workflow("just_in_time",
                                              step<never>.retry({.attempts = 99, .elapsed = 4s, .wait = fixed(2s)}));
}
TEST_CASE("an attempt due exactly when `elapsed` ends is still made") {
    testing::ManualClock clock;
    std::vector<double> at;
    CHECK_THROWS_AS(testing::run(just_in_time.with(at, std::as_const(clock)), {}, {.clock = &clock}), RunError);
    REQUIRE(at.size() == 3);
    CHECK(at[2] - at[0] == 4);
}

// --- ends ---
namespace {
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
AskEvent ask(Context&, GoEvent) { return {}; }
EndEvent conclude(Context&, ReplyEvent) { return {}; }
inline constexpr auto asking = workflow("asking", step<ask>, step<conclude>);
template <class R> awaitable<void> follow(R run, Names& seen) {
    while (auto event = co_await run.next_event()) {
        seen.emplace_back(event->name());
        if (auto* timed_out = event->template get_if<RunTimedOutEvent>())
            for (auto& step : timed_out->active_steps) seen.push_back(step);
    }
}
}
TEST_CASE("a late reader reads the whole stream, its end included, and then nothing") {
    World w;
    auto run = w.loop.start(asking, {});
    w.turn();
    run.cancel();
    w.turn();
    Names first, second;
    w.spawn(follow(run, first));
    w.turn();
    w.spawn(follow(run, second));
    w.turn();
    CHECK(first == Names{"AskEvent", "RunCancelledEvent"});
    CHECK(second.empty());
}
TEST_CASE("an input after the end of a run changes neither outcome nor stream") {
    testing::ManualClock clock;
    Names seen;
    World w(clock);
    auto run = w.loop.start(asking, {}, {.timeout = 1min});
    w.spawn(follow(run, seen));
    w.turn();
    clock.advance(1min);
    w.turn();
    run.cancel();
    run.send(ReplyEvent{});
    clock.advance(1h);
    w.turn();
    CHECK(seen == Names{"AskEvent", "RunTimedOutEvent"});
    CHECK_THROWS_WITH_AS(run.outcome(), "the run has not ended within 60 s", RunError);
    CHECK(!clock.jump());
}
TEST_CASE("a run cancelled before its first step never begins one") {
    World w;
    Names seen;
    auto run = w.loop.start(quick, {});
    run.cancel();
    w.spawn(follow(run, seen));
    w.turn();
    CHECK(seen == Names{"RunCancelledEvent"});
    CHECK_THROWS_WITH_AS(run.outcome(), "the run was cancelled", RunError);
}
TEST_CASE("a store's failure after the end of a run does not change its outcome") {
    MemoryStore memory;
    FailingStore store(memory);
    store.hold();
    World w(&store);
    auto run = w.loop.start(durable<>(quick), {.n = 3}, {.id = "r"});
    w.turn();
    CHECK(store.release() == 1);  // it has arrived
    w.turn();
    CHECK(store.release() == 1);  // the step has finished
    w.turn();
    REQUIRE(run.ended());
    store.fail(0, FailingStore::FailureMode::from_now_on);
    run.cancel();
    w.turn();
    CHECK(run.outcome().n == 3);
    CHECK(history_of(memory, "r").run.status == RunStatus::done);
}

// --- lifetimes ---
namespace {
struct Instances {  // counts moved-from objects too: an event is freed when its cell is empty
    static inline int alive = 0, made = 0;
    Instances() { ++alive, ++made; }
    Instances(const Instances&) { ++alive; }
    Instances& operator=(const Instances&) = default;
    ~Instances() { --alive; }
};
struct LoadEvent {
    Instances load;
};
std::vector<LoadEvent> load(Context&, GoEvent e) { return std::vector<LoadEvent>(std::size_t(e.n)); }
AskEvent unload(Context&, const std::vector<LoadEvent>&) { return {}; }
struct BoxEvent {
    Instances load;
};
BoxEvent pack(Context&, LoadEvent) { return {}; }
AskEvent unpack(Context&, const std::vector<BoxEvent>&) { return {}; }
inline constexpr auto loading = workflow("loading", step<load>, step<unload>, step<conclude>);
void look(Context&, const LoadEvent&) {}
std::optional<AskEvent> look_again(Context&, const LoadEvent&) { return std::nullopt; }
inline constexpr auto shared = workflow("shared", step<load>, step<look>, step<look_again>, step<conclude>);
inline constexpr auto packing = workflow("packing", step<load>, step<pack>, step<unpack>, step<conclude>);
}
TEST_CASE("events are freed as soon as a step or a collector is done with them, not with the run") {
    World w;
    auto loaded = w.loop.start(loading, {.n = 5});
    auto packed = w.loop.start(packing, {.n = 5});
    auto looked_at = w.loop.start(shared, {.n = 5});
    w.turn();
    CHECK(loaded.idle());
    CHECK(packed.idle());
    CHECK(looked_at.idle());
    CHECK(Instances::made >= 20);
    CHECK(Instances::alive == 0);
}
TEST_CASE("a loop may be destroyed while its turn is queued: its context continues without it") {
    asio::io_context io;
    auto loop = std::make_unique<Loop>(io.get_executor());
    auto run = loop->start(quick, {});
    auto timed = loop->start(asking, {}, {.timeout = 1h});
    loop.reset();
    CHECK(io.run() > 0);
    CHECK_THROWS_WITH_AS(run.outcome(), "the run was cancelled", RunError);
    CHECK_THROWS_WITH_AS(timed.outcome(), "the run was cancelled", RunError);
}
namespace {
awaitable<void> give_no_peace(int& tries) {
    for (;;) try {
            ++tries;
            co_await sleep_for(1h);
        } catch (const std::exception&) {}
}
awaitable<EndEvent> guard(Context&, GoEvent, int& tries) {
    auto work = give_no_peace(tries);
    co_await with_timeout(1min, std::move(work));
    co_return EndEvent{};
}
inline constexpr auto guarding = workflow("guarding", step<guard>);
}
TEST_CASE("a loop may be destroyed at any moment while it stops a step that catches its cancellation") {
    for (const bool by_timeout : {false, true})
        for (int moments = 0; moments < 12; ++moments) {
            asio::io_context io;
            testing::ManualClock clock;
            int tries = 0;
            auto loop = std::make_unique<Loop>(Runtime{io.get_executor(), &clock});
            auto run = loop->start(guarding.with(tries), {});
            io.run();
            io.restart();
            if (by_timeout) clock.advance(1min);
            else run.cancel();
            for (int i = 0; i < moments; ++i) io.run_one();
            loop.reset();
            io.restart();
            io.run();
            CHECK_THROWS_AS(run.outcome(), RunError);
            CHECK(tries <= 2);
        }
}
