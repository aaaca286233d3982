// Stored runs with values that a program cannot read or write lose no data; and failed recorded work has its failure
// recorded.
#include "engine/context.hpp"
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/spawn.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/timed.hpp"
#include <boost/asio/detached.hpp>
#include <limits>
using namespace weft;
using namespace weft::storage;
using namespace dying;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(GoEvent, (), ())
struct AskEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(AskEvent, (), ())
AskEvent ask(Context&, GoEvent) { return {}; }

/// Starts a run with the id "r", and ends its process when no work is left.
template <class W, class Act>
void begin(MemoryStore& store, testing::ManualClock& clock, const W& stored, Act act, RunOptions options = {}) {
    options.id = "r";
    {
        Timed world(clock, store);
        auto run = world.loop.start(stored, {}, options);
        world.run();
        act(run);
        world.run();
    }
    free_all(store);
}
RunRow row_of(Store& store) {
    RunRow found;
    store.list({}, [&](std::exception_ptr error, std::vector<RunRow> rows) {
        REQUIRE_FALSE(error);
        if (!rows.empty()) found = rows.front();
    });
    return found;
}

namespace before {
struct EndEvent : StopEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (n))
struct TellEvent : Answers<AskEvent> {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(TellEvent, (), (n))
EndEvent end(Context&, TellEvent e) { return {{}, e.n}; }
inline constexpr auto asking = workflow("asking", step<ask>, step<end>);
}
namespace with_a_member {
struct EndEvent : StopEvent {
    int n = 0;
    std::optional<int> more;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (n, more))
EndEvent end(Context&, before::TellEvent e) { return {{}, e.n, {}}; }
inline constexpr auto asking = workflow("asking", step<ask>, step<end>);
}
namespace of_text {
struct EndEvent : StopEvent {
    std::string n;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (n))
EndEvent end(Context&, before::TellEvent) { return {}; }
inline constexpr auto asking = workflow("asking", step<ask>, step<end>);
}
namespace renamed {
struct DoneEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(DoneEvent, (), ())
DoneEvent end(Context&, before::TellEvent) { return {}; }
inline constexpr auto asking = workflow("asking", step<ask>, step<end>);
}
/// Checks that the run ends for this program with Error{journal}, and stays unchanged for the former program.
template <class W> void is_refused(const W& stored) {
    testing::ManualClock clock;
    MemoryStore store;
    begin(store, clock, durable<>(before::asking), [](auto& run) { run.send(before::TellEvent{{}, 7}); });
    REQUIRE(row_of(store).status == RunStatus::done);
    {
        Timed world(clock, store);
        auto run = resume_on(world.loop, stored, "r");
        world.until([&] { return run.ended(); });
        try {
            (void)run.outcome();
            FAIL("it has an outcome");
        } catch (const RunError& error) { CHECK(error.code() == Code::journal); }
    }
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(before::asking), "r");
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().n == 7);
}
}
TEST_CASE("an ended run is refused when its stop event cannot be read any more") {
    is_refused(durable<>(of_text::asking));
    is_refused(durable<>(renamed::asking));
}
TEST_CASE("an ended run is read when its stop event is renamed and the program says so") {
    testing::ManualClock clock;
    MemoryStore store;
    begin(store, clock, durable<>(before::asking), [](auto& run) { run.send(before::TellEvent{{}, 7}); });
    {
        Timed world(clock, store);
        auto run = resume_on(world.loop, durable<>(renamed::asking), "r");
        world.until([&] { return run.ended(); });
        CHECK_THROWS_WITH_AS(run.outcome(),
                             doctest::Contains("does not have the event EndEvent any more: declare it again, or give "
                                               "its present name in RunOptions::renames"),
                             RunError);
    }
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(renamed::asking), "r", {.renames = {{"EndEvent", "DoneEvent"}}});
    world.until([&] { return run.ended(); });
    CHECK_NOTHROW(run.outcome());
}
TEST_CASE("an ended run is read when its stop event has a new optional member") {
    testing::ManualClock clock;
    MemoryStore store;
    begin(store, clock, durable<>(before::asking), [](auto& run) { run.send(before::TellEvent{{}, 7}); });
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(with_a_member::asking), "r");
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().n == 7);
    CHECK_FALSE(run.outcome().more);
}

// --- answers without a JSON form ---
namespace {
struct EndEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (text))
EndEvent end_of(std::string text) {
    EndEvent end;
    end.text = std::move(text);
    return end;
}
struct PriceEvent : Answers<AskEvent> {
    double price = 0;
};
BOOST_DESCRIBE_STRUCT(PriceEvent, (), (price))
EndEvent pay(Context&, PriceEvent e) { return end_of(std::to_string(int(e.price))); }
inline constexpr auto paying = workflow("paying", step<ask>, step<pay>);
}
TEST_CASE("an answer is unhandled, and its question stays open, when the answer cannot be stored") {
    testing::ManualClock clock;
    MemoryStore store;
    Timed world(clock, store);
    auto run = world.loop.start(durable<>(paying), {}, {.id = "r"});
    world.run();
    run.send(PriceEvent{{}, std::numeric_limits<double>::quiet_NaN()});
    world.run();
    CHECK_FALSE(run.ended());
    CHECK(run.idle());
    run.send(PriceEvent{{}, 12});
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().text == "12");
}
namespace {
awaitable<EndEvent> let_child_pay(Context& ctx, GoEvent go) {
    auto end = co_await ctx.run(durable<>(paying), std::move(go));
    co_return end;
}
inline constexpr auto having_paid = workflow("having_paid", step<let_child_pay>);
}
TEST_CASE("the question of a child stays open when its answer cannot be stored") {
    testing::ManualClock clock;
    MemoryStore store;
    Timed world(clock, store);
    auto run = world.loop.start(durable<>(having_paid), {}, {.id = "r"});
    auto question = QuestionId::none;
    auto read = [&]() -> awaitable<void> {
        while (auto event = co_await run.next_event())
            if (event->get_if<AskEvent>()) question = event->question();
    };
    spawn(world.io.get_executor(), read(), asio::detached);
    world.run();
    REQUIRE(question != QuestionId::none);
    run.send_to_child(PriceEvent{{}, std::numeric_limits<double>::quiet_NaN()}, question);
    world.run();
    CHECK_FALSE(run.ended());
    run.send_to_child(PriceEvent{{}, 12}, question);
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().text == "12");
}
TEST_CASE("a run with the longest time limit has the same limit after a restart") {
    testing::ManualClock clock;
    MemoryStore store;
    begin(store, clock, durable<>(paying), [](auto&) {}, {.timeout = Duration::max()});
    clock.advance(24h);
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(paying), "r");
    world.run();
    REQUIRE_FALSE(run.ended());
    run.send(PriceEvent{{}, 12});
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().text == "12");
}

// --- failing recorded work ---
namespace {
int first_calls = 0;
awaitable<std::string> fail_first() {
    ++first_calls;
    throw Error(Code::configuration, "the first source is away");
    co_return std::string();
}
awaitable<std::string> be_slow() {
    ++first_calls;
    co_await sleep_for(1h);
    co_return "slow";
}
awaitable<std::string> second() { co_return "second"; }
awaitable<EndEvent> fall_back(Context& ctx, GoEvent) {
    std::string text, why;
    try {
        auto trying = fail_first();
        text = co_await ctx.once("first", std::move(trying));
    } catch (const Error& error) { why = error.what(); }
    if (!why.empty()) {
        auto other = second();
        text = co_await ctx.once("second", std::move(other));
    }
    co_await sleep_for(24h);
    co_return end_of(text + ", as " + why);
}
awaitable<EndEvent> limit(Context& ctx, GoEvent) {
    std::string text;
    try {
        auto trying = be_slow();
        auto recording = ctx.once("slow", std::move(trying));
        text = co_await with_timeout(1min, std::move(recording));
    } catch (const Error&) { text = "late"; }
    auto other = second();
    text += ", " + co_await ctx.once("second", std::move(other));
    co_await sleep_for(24h);
    co_return end_of(text);
}
inline constexpr auto falling_back = workflow("falling_back", step<fall_back>);
inline constexpr auto limiting = workflow("limiting", step<limit>);

/// Returns the outcome of a run whose process dies twice after this time.
template <class W> std::string outcome_after(Duration wait, const W& stored) {
    testing::ManualClock clock;
    MemoryStore store;
    first_calls = 0;
    {
        Timed world(clock, store);
        auto run = world.loop.start(stored, {}, {.id = "r"});
        world.run();
        clock.advance(wait);
        world.run();
    }
    for (const bool again : {true, false}) {
        free_all(store);
        Timed world(clock, store);
        auto run = resume_on(world.loop, stored, "r");
        world.run();
        clock.advance(wait);
        world.run();
        if (again) continue;
        world.until([&] { return run.ended(); });
        return run.outcome().text;
    }
    return {};
}
}
TEST_CASE("failed recorded work fails again, and is not done again, when its step begins again") {
    CHECK(outcome_after(1s, durable<>(falling_back)) == "second, as the first source is away");
    CHECK(first_calls == 1);
}
TEST_CASE("recorded work ended by a time limit is ended by it again when its step begins again") {
    CHECK(outcome_after(2min, durable<>(limiting)) == "late, second");
    CHECK(first_calls == 1);
}
namespace {
namespace of_number {
awaitable<int> seven() { co_return 7; }
awaitable<EndEvent> record(Context& ctx, GoEvent) {
    auto work = seven();
    const int n = co_await ctx.once("n", std::move(work));
    co_await sleep_for(1h);
    co_return end_of(std::to_string(n));
}
inline constexpr auto recording = workflow("recording", step<record>);
}
namespace as_text {
awaitable<EndEvent> record(Context& ctx, GoEvent) {
    auto work = second();
    auto text = co_await ctx.once("n", std::move(work));
    co_await sleep_for(1h);
    co_return end_of(std::move(text));
}
inline constexpr auto recording = workflow("recording", step<record>);
}
}
TEST_CASE("a step leaves the run in the store when it records another type now") {
    testing::ManualClock clock;
    MemoryStore store;
    begin(store, clock, durable<>(of_number::recording), [](auto&) {});
    {
        Timed world(clock, store);
        auto run = resume_on(world.loop, durable<>(as_text::recording), "r");
        world.until([&] { return run.ended(); });
        CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("cannot read its record: n: expected a string"),
                             RunError);
    }
    free_all(store);
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(of_number::recording), "r");
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().text == "7");
}

// --- a repeated handler of failures ---
namespace {
awaitable<EndEvent> decline(Context&, GoEvent) {
    throw Error(Code::configuration, "the card has expired");
    co_return EndEvent();
}
template <class Failure> awaitable<EndEvent> tell_cause(Context&, Failure failure) {
    co_await sleep_for(24h);
    std::string text = "nothing";
    try {
        std::rethrow_exception(failure.cause);
    } catch (const Error& error) { text = std::string(name(error.code())) + ": " + error.what(); }
    co_return end_of(std::move(text));
}
inline constexpr auto declining = workflow("declining", step<decline>, step<tell_cause<StepFailedEvent>>);
inline constexpr auto declining_typed = workflow("declining_typed", step<decline>,
                                                 step<tell_cause<FailedEvent<GoEvent>>>);
}
TEST_CASE("a handler of failures gets an exception of the same code and sentence when it begins again") {
    CHECK(outcome_after(1h, durable<>(declining)) == "configuration: the card has expired");
    CHECK(outcome_after(1h, durable<>(declining_typed)) == "configuration: the card has expired");
}
namespace {
awaitable<EndEvent> sleep_long(Context&, GoEvent) {
    co_await sleep_for(24h);
    co_return end_of("slept");
}
inline constexpr auto sleeping = workflow("sleeping", step<sleep_long>);
awaitable<EndEvent> limit_child(Context& ctx, GoEvent go) {
    std::string text;
    try {
        auto child = ctx.run(durable<>(sleeping), std::move(go));
        auto end = co_await with_timeout(1min, std::move(child));
        text = end.text;
    } catch (const Error& error) { text = name(error.code()); }
    co_await sleep_for(24h);
    co_return end_of(std::move(text));
}
inline constexpr auto limiting_a_child = workflow("limiting_a_child", step<limit_child>);
}
TEST_CASE("a time limit ends a child again when its step begins again") {
    CHECK(outcome_after(2min, durable<>(limiting_a_child)) == "timed_out");
}
