// Promises about stored runs: an answer counts only when it is stored, a deadline is a date, and a run is in the store
// also while it waits in the admission queue.
#include "engine/context.hpp"
#include "engine/durable.hpp"
#include "engine/growing.hpp"
#include "engine/json_run.hpp"
#include "engine/once.hpp"
#include "engine/spawn.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/timed.hpp"
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::storage;
using namespace dying;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(GoEvent, (), (n))
struct AskEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(AskEvent, (), ())
struct TellEvent : Answers<AskEvent> {};
BOOST_DESCRIBE_STRUCT(TellEvent, (), ())
struct EndEvent : StopEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (n))

AskEvent ask(Context&, GoEvent) { return {}; }
EndEvent take_answer(Context&, TellEvent) { return {}; }
inline constexpr auto asking = workflow("asking", step<ask>, step<take_answer>);
inline constexpr auto one_at_once = workflow("one_at_once", step<ask>, step<take_answer>).runs_at_once(1);

std::atomic<int> begun = 0;
awaitable<EndEvent> remind(Context&, GoEvent) {
    ++begun;
    co_await sleep_for(10min);
    co_return EndEvent();
}
inline constexpr auto reminding = workflow("reminding", step<remind>);

struct PairEvent {
    bool fails = false;
};
BOOST_DESCRIBE_STRUCT(PairEvent, (), (fails))
struct Pair {
    Duration until_failure{}, until_choice{};
    bool at_most_once = false;
    int choices = 0, sent = 0;
};
std::vector<PairEvent> begin_both(Context&, GoEvent) { return {{.fails = true}, {.fails = false}}; }
awaitable<int> choose(Pair& pair) {
    co_await sleep_for(pair.until_choice);
    co_return ++pair.choices;
}
awaitable<EndEvent> send_or_fail(Context& ctx, PairEvent event, Pair& pair) {
    if (event.fails) {
        co_await sleep_for(pair.until_failure);
        throw Error(Code::step_failed, "no luck");
    }
    auto choosing = choose(pair);
    if (pair.at_most_once) co_await ctx.at_most_once("choice", std::move(choosing));
    else co_await ctx.once("choice", std::move(choosing));
    ++pair.sent;
    co_return EndEvent();
}
inline constexpr auto in_pairs = workflow("in_pairs", step<begin_both>, step<send_or_fail>);

RunRow row_of(Store& store, const std::string& id) {
    RunRow found;
    Filter filter;
    filter.ids = {id};
    store.list(std::move(filter), [&](std::exception_ptr error, std::vector<RunRow> rows) {
        REQUIRE_FALSE(error);
        if (!rows.empty()) found = rows.front();
    });
    return found;
}
/// The outcome of a wait: not ended, or ended, with its error.
struct Heard {
    bool has_ended = false;
    std::exception_ptr error;
    std::string why() const { return error ? sentence_of(error) : ""; }
};
template <class R> std::shared_ptr<Heard> hear_when_stored(Timed& world, const R& run) {
    auto heard = std::make_shared<Heard>();
    auto waiting = run.until_stored();
    spawn(world.io.get_executor(), std::move(waiting), [heard](std::exception_ptr error) {
        heard->has_ended = true;
        heard->error = std::move(error);
    });
    return heard;
}
}
TEST_CASE("a start and an answer are stored when until_stored() returns, which waits while the store is away") {
    testing::ManualClock clock;
    MemoryStore memory;
    FailingStore store(memory);
    Timed world(clock, store);
    store.hold();
    auto run = world.loop.start(durable<>(asking), {}, {.id = "r"});
    const auto started = hear_when_stored(world, run);
    world.run();
    CHECK_FALSE(started->has_ended);
    store.release();
    world.run();
    CHECK(started->has_ended);
    CHECK(started->why() == "");
    CHECK(row_of(memory, "r").id == "r");

    store.hold();
    run.send(TellEvent{});
    const auto answered = hear_when_stored(world, run);
    world.run();
    CHECK_FALSE(answered->has_ended);
    CHECK_FALSE(has_ended(row_of(memory, "r").status));
    while (store.release() > 0) world.run();
    CHECK(answered->has_ended);
    CHECK(answered->why() == "");
    CHECK(row_of(memory, "r").status == RunStatus::done);
}
TEST_CASE("a step goes on behind ctx.once only when the record is stored, also if another step fails the run") {
    for (const bool at_most_once : {false, true})
        for (const auto until_failure : {1s, 3s}) {  // before the choice, or while the store gets it
            CAPTURE(at_most_once);
            CAPTURE(until_failure.count());
            testing::ManualClock clock;
            MemoryStore memory;
            FailingStore store(memory);
            Timed world(clock, store);
            Pair pair{.until_failure = until_failure, .until_choice = 2s, .at_most_once = at_most_once};
            auto run = world.loop.start(durable<>(in_pairs.with(pair)), {}, {.id = "r"});
            world.run();
            store.hold();
            for (int second = 0; second < 4; ++second) {
                clock.advance(1s);
                world.run();
            }
            CHECK(pair.choices == 1);
            CHECK(pair.sent == 0);
            while (store.release() > 0) world.run();
            CHECK(row_of(memory, "r").status == RunStatus::failed);
        }
}
TEST_CASE("an answer is reported as lost when the store does not keep it, and the resumed run asks again") {
    testing::ManualClock clock;
    MemoryStore memory;
    FailingStore store(memory);
    {
        Timed world(clock, store);
        auto run = world.loop.start(durable<>(asking), {}, {.id = "r"});
        world.run();
        store.fail(0, FailingStore::FailureMode::from_now_on);
        run.send(TellEvent{});
        const auto answered = hear_when_stored(world, run);
        world.run();
        CHECK_FALSE(answered->has_ended);  // the call is repeated a few times
        world.until([&] { return answered->has_ended; });
        CHECK(answered->why().find("the store did not keep a tick of the run") == 0);
        const auto later = hear_when_stored(world, run);
        world.until([&] { return later->has_ended; });
        CHECK(later->error);
    }
    store.fail_no_more();
    free_all(memory);
    Timed world(clock, memory);
    auto run = resume_on(world.loop, durable<>(asking), "r");
    world.run();
    CHECK(run.idle());
    run.send(TellEvent{});
    world.until([&] { return run.ended(); });
    CHECK_NOTHROW(run.outcome());
}
TEST_CASE("a start is reported as lost when the store does not keep it") {
    testing::ManualClock clock;
    MemoryStore memory;
    FailingStore store(memory);
    store.fail(0, FailingStore::FailureMode::from_now_on);
    Timed world(clock, store);
    auto run = world.loop.start(durable<>(asking), {}, {.id = "r"});
    const auto started = hear_when_stored(world, run);
    world.until([&] { return started->has_ended; });
    CHECK(started->error);
    CHECK(row_of(memory, "r").id == "");
}
TEST_CASE("until_stored() returns immediately when the run has no store") {
    testing::ManualClock clock;
    MemoryStore store;
    Timed world(clock, store);
    auto run = world.loop.start(asking, {}, {.id = "r"});
    const auto heard = hear_when_stored(world, run);
    world.run();
    CHECK(heard->has_ended);
    CHECK_FALSE(heard->error);
}
TEST_CASE("a deadline that passed without a process ends the run before a step begins again") {
    testing::ManualClock clock;
    MemoryStore store;
    begun = 0;
    {
        Timed world(clock, store);
        world.loop.start(durable<>(reminding), {}, {.timeout = 1h, .id = "r"});
        world.run();
        REQUIRE(begun == 1);
    }
    free_all(store);
    clock.advance(24h);
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(reminding), "r");
    world.run();
    CHECK_THROWS_AS(run.outcome(), RunError);
    CHECK(begun == 1);
    CHECK(row_of(store, "r").status == RunStatus::timed_out);
}
TEST_CASE("a stored run in the admission queue is in the store, and takes a cancel, an answer and its deadline") {
    testing::ManualClock clock;
    MemoryStore store;
    const auto stored = durable<>(one_at_once);
    {
        Timed world(clock, store);
        world.loop.start(stored, {}, {.id = "first"});
        world.run();
        auto second = world.loop.start(stored, {}, {.id = "second"});
        const auto started = hear_when_stored(world, second);
        world.run();
        CHECK(started->has_ended);
        CHECK(row_of(store, "second").id == "second");
        CHECK(second.diagnosis().find("the run has not begun") == 0);
    }
    for (const auto* id : {"cancelled", "late", "answered"}) {
        free_all(store);
        Timed world(clock, store);
        const auto late = id == std::string("late");
        auto run = world.loop.start(stored, {},
                                    {.timeout = late ? std::optional<Duration>(1h) : std::nullopt, .id = id});
        world.run();
        REQUIRE(run.idle());
    }
    free_all(store);
    Timed world(clock, store);
    auto first = resume_on(world.loop, stored, "first");
    world.run();
    auto cancelled = resume_on(world.loop, stored, "cancelled"), late = resume_on(world.loop, stored, "late"),
         answered = resume_on(world.loop, stored, "answered");
    world.run();
    cancelled.cancel();
    answered.send(TellEvent{});
    world.run();
    CHECK(cancelled.ended());
    CHECK_FALSE(answered.ended());  // the answer is stored, and the next step waits for its turn
    CHECK(answered.diagnosis().find("the run has not begun") == 0);
    world.until([&] { return late.ended(); });
    CHECK(row_of(store, "late").status == RunStatus::timed_out);
    first.send(TellEvent{});
    world.until([&] { return answered.ended(); });
    CHECK(row_of(store, "answered").status == RunStatus::done);
}
TEST_CASE("mail with an invalid question id is refused, and the open question stays open") {
    for (const auto* question : {"-1", "0.7", "18446744073709551615", "\"0\"", "true", "null", "[]"}) {
        CAPTURE(question);
        testing::ManualClock clock;
        MemoryStore store;
        {
            Timed world(clock, store);
            world.loop.start(durable<>(asking), {}, {.id = "r"});
            world.run();
        }
        free_all(store);
        const auto body = std::string(R"({"event":"TellEvent","data":{},"question":)") + question + "}";
        store.send({"r", "m1", body}, [](std::exception_ptr error, SendReply) { REQUIRE_FALSE(error); });
        Timed world(clock, store);
        auto run = resume_on(world.loop, durable<>(asking), "r");
        world.run();
        CHECK_FALSE(run.ended());
        CHECK(run.idle());
        run.send(TellEvent{});
        world.until([&] { return run.ended(); });
    }
}
TEST_CASE("a run is not resumed as one of another workflow, also when it has ended") {
    for (const bool ends : {false, true}) {
        testing::ManualClock clock;
        MemoryStore store;
        {
            Timed world(clock, store);
            auto run = world.loop.start(durable<>(asking), {}, {.id = "r"});
            world.run();
            if (ends) run.send(TellEvent{});
            world.run();
        }
        free_all(store);
        Timed world(clock, store);
        auto run = resume_on(world.loop, durable<>(reminding), "r");
        world.until([&] { return run.ended(); });
        CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("is a run of workflow asking"), RunError);
        CHECK(row_of(store, "r").status == (ends ? RunStatus::done : RunStatus::ready));
    }
}

// --- kept values ---
namespace {
struct Bytes {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(Bytes, (), (text))
awaitable<std::string> download() { co_return std::string("\x89PNG"); }
awaitable<EndEvent> record_bytes(Context& ctx, GoEvent) {
    auto work = download();
    co_await ctx.once("download", std::move(work));
    co_return EndEvent();
}
EndEvent edit_bytes(Context& ctx, GoEvent) {
    ctx.edit<Bytes>([](auto& bytes) { bytes.text = "\xff"; });
    return {};
}
awaitable<EndEvent> run_plain(Context& ctx, GoEvent event) { co_return co_await ctx.run(reminding, std::move(event)); }
inline constexpr auto recording = workflow("recording", step<record_bytes>);
inline constexpr auto editing = workflow("editing", step<edit_bytes>);
inline constexpr auto of_plain = workflow("of_plain", step<run_plain>);

template <class W> void refuses(const W& workflow, const char* why) {
    testing::ManualClock clock;
    MemoryStore store;
    Timed world(clock, store);
    auto run = world.loop.start(workflow, {}, {.id = "r"});
    world.until([&] { return run.ended(); });
    CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains(why), RunError);
}
}
TEST_CASE("a value that would be read back changed is refused when it is first kept") {
    refuses(durable<>(recording), "download: this text is not UTF-8");
    refuses(durable<Bytes>(editing), "Bytes.text: this text is not UTF-8");
}
TEST_CASE("a durable run refuses a child whose runs are not stored") {
    refuses(durable<>(of_plain), "has run reminding, whose runs are not: wrap it in durable()");
}

// --- lists ---
namespace {
struct Item {
    int i = 0;
};
std::size_t copies = 0;
struct Counted {
    int i = 0;
    Counted(int n) : i(n) {}
    Counted(Counted&&) = default;
    Counted(const Counted& o) : i(o.i) { ++copies; }
    Counted& operator=(const Counted&) = default;
};
struct Counts : Growing<Counted> {
    static constexpr bool memory_only = true;
};
std::vector<Item> spread(Context&, GoEvent event) {
    std::vector<Item> all;
    for (int i = 0; i < event.n; ++i) all.push_back({i});
    return all;
}
struct Done {};
awaitable<Done> note(Context& ctx, Item item) {
    ctx.edit<Counts>([&](auto& counts) { counts.push_back(item.i); });
    co_await sleep_for(1ms);
    co_return Done();
}
EndEvent gather(Context& ctx, std::vector<Done>) {
    EndEvent end;
    end.n = int(ctx.get<Counts>().size());
    return end;
}
inline constexpr auto noting = workflow("noting", step<spread>, step<note>.workers(64), step<gather>);
}
TEST_CASE("parallel steps that append to a list and wait copy a few items each, whatever its length") {
    for (const int n : {100, 10'000}) {
        testing::ManualClock clock;
        MemoryStore store;
        Timed world(clock, store);
        copies = 0;
        GoEvent go;
        go.n = n;
        auto run = world.loop.start(noting, go, {});
        world.until([&] { return run.ended(); });
        CHECK(run.outcome().n == n);
        CHECK(copies <= 4u * unsigned(n));
    }
}
