// A changed program begins a stored run's work again: steps get events that they accept, records are read under their
// stored names, and a child is the recorded one.
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/timeout.hpp"
#include "engine/workflow.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/timed.hpp"
#include <variant>
using namespace weft;
using namespace weft::storage;
using namespace dying;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(GoEvent, (), ())
struct EndEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (text))
EndEvent end_of(std::string text) {
    EndEvent end;
    end.text = std::move(text);
    return end;
}
/// Starts or resumes a run for a time; then its process dies.
template <class W> void lives(MemoryStore& store, testing::ManualClock& clock, const W& workflow, Duration time) {
    {
        Timed world(clock, store);
        auto run = world.loop.start(workflow, {}, {.id = "r"});
        world.run();
        clock.advance(time);
        world.run();
        REQUIRE_FALSE(run.ended());
    }
    free_all(store);
}
template <class W> void is_carried(MemoryStore& store, testing::ManualClock& clock, const W& workflow, Duration time,
                                   const RunOptions& options) {
    {
        Timed world(clock, store);
        auto run = resume_on(world.loop, workflow, "r", options);
        world.run();
        clock.advance(time);
        world.run();
        REQUIRE_FALSE(run.ended());
    }
    free_all(store);
}
/// Checks that the error names the cause, and that the run's records stay unchanged.
template <class W> void is_refused(MemoryStore& store, testing::ManualClock& clock, const W& workflow, const char* why,
                                   const RunOptions& options = {}) {
    const auto before = history_of(store, "r").ticks.size();
    {
        Timed world(clock, store);
        auto run = resume_on(world.loop, workflow, "r", options);
        world.until([&] { return run.ended(); });
        CHECK_THROWS_WITH(run.outcome(), doctest::Contains(why));
    }
    CHECK(history_of(store, "r").ticks.size() == before);
    free_all(store);
}
template <class W> std::string goes_on(MemoryStore& store, testing::ManualClock& clock, const W& workflow,
                                       const RunOptions& options = {}) {
    Timed world(clock, store);
    auto run = resume_on(world.loop, workflow, "r", options);
    world.until([&] { return run.ended(); });
    return run.outcome().text;
}

// --- events of repeatable steps ---
struct MadeEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(MadeEvent, (), (n))
struct NumberEvent {
    int n = 3;
};
BOOST_DESCRIBE_STRUCT(NumberEvent, (), (n))
struct TextEvent {
    std::string text = "a text that is longer than what fits in its place";
};
BOOST_DESCRIBE_STRUCT(TextEvent, (), (text))

awaitable<EndEvent> work(Context&, MadeEvent e) {
    co_await sleep_for(1h);
    co_return end_of("made " + std::to_string(e.n));
}
TextEvent write(Context&, GoEvent) { return {}; }
std::vector<TextEvent> write_two(Context&, GoEvent) { return {{}, {}}; }
std::vector<std::variant<NumberEvent, TextEvent>> write_both(Context&, GoEvent) { return {NumberEvent(), TextEvent()}; }
namespace of_start {
MadeEvent make(Context&, GoEvent) { return {40}; }
}
namespace of_text {
MadeEvent make(Context&, TextEvent e) { return {int(e.text.size())}; }
}
namespace of_list {
MadeEvent make(Context&, std::vector<TextEvent> all) { return {int(all.size())}; }
}
namespace of_both {
MadeEvent make(Context&, NumberEvent number, TextEvent text) { return {number.n + int(text.text.size())}; }
}
namespace of_both_reversed {
MadeEvent make(Context&, TextEvent text, NumberEvent number) { return {number.n + int(text.text.size())}; }
}
namespace failing {
MadeEvent make(Context&, GoEvent) { throw Error(Code::configuration, "the table is empty"); }
}
inline constexpr auto from_start = workflow("making", step<of_start::make>.repeatable(), step<work>);
inline constexpr auto from_text = workflow("making", step<write>, step<of_text::make>.repeatable(), step<work>);
inline constexpr auto from_each = workflow("making", step<write_two>, step<of_text::make>.repeatable(), step<work>);
inline constexpr auto from_list = workflow("making", step<write_two>, step<of_list::make>.repeatable(), step<work>);
inline constexpr auto from_both = workflow("making", step<write_both>, step<of_both::make>.repeatable(), step<work>);
inline constexpr auto reversed = workflow("making", step<write_both>, step<of_both_reversed::make>.repeatable(),
                                          step<work>);
inline constexpr auto from_nothing = workflow("making", step<failing::make>.repeatable(), step<work>);

template <class Before, class Now>
void stays_with(const Before& before, const Now& now, const char* why, const char* end) {
    CAPTURE(why);
    testing::ManualClock clock;
    MemoryStore store;
    lives(store, clock, durable<>(before), 1s);
    is_refused(store, clock, durable<>(now), why);
    CHECK(goes_on(store, clock, durable<>(before)) == end);
}
}
TEST_CASE("a repeatable step is not called again when it accepts another event now, and the run stays as it is") {
    const auto* other_form = "step make cannot be called again: it has been given its events in another form";
    stays_with(from_start, from_text, "step make cannot be called again: it has been given GoEvent, which it does not",
               "made 40");
    stays_with(from_start, from_list, other_form, "made 40");
    stays_with(from_list, from_each, other_form, "made 2");
    stays_with(from_list, from_start, other_form, "made 2");
    stays_with(from_both, reversed, "it has been given NumberEvent at a position where it takes another", "made 52");
    stays_with(reversed, from_both, "it has been given TextEvent at a position where it takes another", "made 52");
    stays_with(from_both, from_list,
               "making does not have the event NumberEvent any more: declare it again, or give its", "made 52");
}
TEST_CASE("a repeatable step is named when it fails to make its event again, and the run stays as it is") {
    stays_with(from_start, from_nothing,
               "step make has made MadeEvent before, and fails now that it makes it again: the table is empty",
               "made 40");
}

// --- reused names ---
namespace {
namespace first {
struct DraftEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(DraftEvent, (), (n))
DraftEvent draft(Context&, GoEvent) { return {5}; }
awaitable<EndEvent> finish(Context&, DraftEvent) {
    co_await sleep_for(1h);
    co_return end_of("the former one");
}
inline constexpr auto drafting = workflow("drafting", step<draft>, step<finish>);

MadeEvent make(Context&, GoEvent) { return {5}; }
inline constexpr auto making = workflow("making", step<make>.repeatable(), step<work>);
}
namespace second {
struct FinalEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(FinalEvent, (), (n))
struct DraftEvent {
    int n = 0;
    std::string text = "a text that is longer than what fits in its place";
};
BOOST_DESCRIBE_STRUCT(DraftEvent, (), (n, text))
FinalEvent draft(Context&, GoEvent) { return {5}; }
awaitable<DraftEvent> finish(Context&, FinalEvent e) {
    co_await sleep_for(1h);
    co_return DraftEvent{.n = e.n + 1};
}
awaitable<EndEvent> polish(Context&, DraftEvent e) {
    co_await sleep_for(1h);
    co_return end_of(std::to_string(e.n) + ", " + std::to_string(e.text.size()));
}
inline constexpr auto drafting = workflow("drafting", step<draft>, step<finish>, step<polish>);

struct LastEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(LastEvent, (), (n))
MadeEvent make_first(Context&, GoEvent) { return {5}; }
awaitable<TextEvent> work(Context&, MadeEvent) {
    co_await sleep_for(1h);
    co_return TextEvent();
}
LastEvent make(Context&, TextEvent e) { return {int(e.text.size())}; }
awaitable<EndEvent> conclude(Context&, LastEvent e) {
    co_await sleep_for(1h);
    co_return end_of(std::to_string(e.n));
}
inline constexpr auto making = workflow("making", step<make_first>.repeatable(), step<work>, step<make>.repeatable(),
                                        step<conclude>);
}
}
TEST_CASE("an event is read under its own name when that name was renamed before it was stored") {
    testing::ManualClock clock;
    MemoryStore store;
    lives(store, clock, durable<>(first::drafting), 1s);
    is_carried(store, clock, durable<>(second::drafting), 90min, {.renames = {{"DraftEvent", "FinalEvent"}}});
    CHECK(goes_on(store, clock, durable<>(second::drafting)) == "6, 49");
}
TEST_CASE("a repeatable step is called again under its own name when that name was renamed before it ran") {
    testing::ManualClock clock;
    MemoryStore store;
    lives(store, clock, durable<>(first::making), 1s);
    is_carried(store, clock, durable<>(second::making), 90min, {.renames = {{"make", "make_first"}}});
    CHECK(goes_on(store, clock, durable<>(second::making)) == "49");
}

// --- children ---
namespace {
int charged = 0, shipped = 0;
awaitable<EndEvent> charge_card(Context&, GoEvent) {
    ++charged;
    co_return end_of("receipt");
}
awaitable<EndEvent> send_parcel(Context&, GoEvent) {
    ++shipped;
    co_return end_of("parcel");
}
inline constexpr auto charge = workflow("charge", step<charge_card>);
inline constexpr auto bill = workflow("bill", step<charge_card>.workers(2));
inline constexpr auto ship = workflow("ship", step<send_parcel>);
template <class First, class Second> awaitable<EndEvent> order_from(Context& ctx, First one, Second other) {
    GoEvent go, again;
    auto first = co_await ctx.run(std::move(one), std::move(go));
    co_await sleep_for(1h);
    auto second = co_await ctx.run(std::move(other), std::move(again));
    co_return end_of(first.text + ", " + second.text);
}
namespace charging {
awaitable<EndEvent> order(Context& ctx, GoEvent) { return order_from(ctx, durable<>(charge), durable<>(ship)); }
inline constexpr auto orders = workflow("orders", step<order>);
}
namespace shipping {
awaitable<EndEvent> order(Context& ctx, GoEvent) { return order_from(ctx, durable<>(ship), durable<>(charge)); }
inline constexpr auto orders = workflow("orders", step<order>);
}
namespace billing {
awaitable<EndEvent> order(Context& ctx, GoEvent) { return order_from(ctx, durable<>(bill), durable<>(ship)); }
inline constexpr auto orders = workflow("orders", step<order>);
}
}
TEST_CASE("a resumed step is refused when it runs another child, and the run stays as it is") {
    charged = shipped = 0;
    testing::ManualClock clock;
    MemoryStore store;
    lives(store, clock, durable<>(charging::orders), 1s);
    is_refused(store, clock, durable<>(shipping::orders), "runs ship where it has run charge");
    is_refused(store, clock, durable<>(billing::orders),
               "If charge is called bill now, list it in RunOptions::renames");
    CHECK(goes_on(store, clock, durable<>(charging::orders)) == "receipt, parcel");
    CHECK(charged == 1);
    CHECK(shipped == 1);
}
TEST_CASE("a resumed step continues with a renamed child when the new name is given") {
    charged = shipped = 0;
    testing::ManualClock clock;
    MemoryStore store;
    lives(store, clock, durable<>(charging::orders), 1s);
    CHECK(goes_on(store, clock, durable<>(billing::orders), {.renames = {{"charge", "bill"}}}) == "receipt, parcel");
    CHECK(charged == 1);
}

// --- names in both parent and child ---
namespace {
namespace fetching {
awaitable<EndEvent> fetch(Context&, GoEvent) {
    co_await sleep_for(1h);
    co_return end_of("fetched");
}
inline constexpr auto child = workflow("child", step<fetch>);
inline constexpr auto changed = workflow("child", step<fetch>.workers(2));
inline constexpr auto changed_again = workflow("child", step<fetch>.workers(3));
}
namespace between {
awaitable<EndEvent> fetch(Context& ctx, GoEvent go) {
    auto child = durable<>(fetching::changed);
    auto end = co_await ctx.run(std::move(child), std::move(go));
    co_return end;
}
inline constexpr auto parent = workflow("parent", step<fetch>);
}
namespace last {
awaitable<EndEvent> fetch(Context& ctx, GoEvent go) {
    auto child = durable<>(fetching::changed_again);
    auto end = co_await ctx.run(std::move(child), std::move(go));
    co_return end;
}
inline constexpr auto parent = workflow("parent", step<fetch>);
}
namespace former {
awaitable<EndEvent> fetch(Context& ctx, GoEvent go) {
    auto child = durable<>(fetching::child);
    auto end = co_await ctx.run(std::move(child), std::move(go));
    co_return end;
}
inline constexpr auto parent = workflow("parent", step<fetch>);
}
namespace present {
awaitable<EndEvent> load(Context& ctx, GoEvent go) {
    auto child = durable<>(fetching::changed);
    auto end = co_await ctx.run(std::move(child), std::move(go));
    end.text += ", loaded";
    co_return end;
}
inline constexpr auto parent = workflow("parent", step<load>);
}
}
TEST_CASE("a child continues with a step that is renamed in its parent only") {
    testing::ManualClock clock;
    MemoryStore store;
    lives(store, clock, durable<>(former::parent), 1s);
    CHECK(goes_on(store, clock, durable<>(present::parent), {.renames = {{"fetch", "load"}}}) == "fetched, loaded");
}

TEST_CASE("a child continues when its declaration changes once more after it was carried over") {
    testing::ManualClock clock;
    MemoryStore store;
    lives(store, clock, durable<>(former::parent), 1s);
    is_carried(store, clock, durable<>(between::parent), 1s, {});
    CHECK(goes_on(store, clock, durable<>(last::parent)) == "fetched");
}

// --- recorded work, now recorded in another way ---
namespace {
int paid = 0;
awaitable<int> pay() {
    ++paid;
    co_return 7;
}
namespace by_once {
awaitable<EndEvent> settle(Context& ctx, GoEvent) {
    auto paying = pay();
    const int n = co_await ctx.once("pay", std::move(paying));
    co_await sleep_for(1h);
    co_return end_of(std::to_string(n));
}
inline constexpr auto settling = workflow("settling", step<settle>);
}
namespace by_at_most_once {
awaitable<EndEvent> settle(Context& ctx, GoEvent) {
    auto paying = pay();
    const auto n = co_await ctx.at_most_once("pay", std::move(paying));
    co_await sleep_for(1h);
    co_return end_of(std::to_string(n.value_or(0)));
}
inline constexpr auto settling = workflow("settling", step<settle>);
}
namespace by_both {
awaitable<EndEvent> settle(Context& ctx, GoEvent) {
    auto paying = pay(), again = pay();
    const auto n = co_await ctx.at_most_once("pay", std::move(paying));
    const int m = co_await ctx.once("pay", std::move(again));
    co_await sleep_for(1h);
    co_return end_of(std::to_string(n.value_or(0) + m));
}
inline constexpr auto settling = workflow("settling", step<settle>);
}
}
TEST_CASE("recorded work is not done a second time when its step records it in another way now") {
    paid = 0;
    testing::ManualClock clock;
    MemoryStore store;
    lives(store, clock, durable<>(by_once::settling), 1s);
    is_refused(store, clock, durable<>(by_at_most_once::settling),
               "asks for 'pay' by ctx.at_most_once, but has recorded it by ctx.once");
    CHECK(goes_on(store, clock, durable<>(by_once::settling)) == "7");
    CHECK(paid == 1);
    MemoryStore other;
    lives(other, clock, durable<>(by_at_most_once::settling), 1s);
    is_refused(other, clock, durable<>(by_once::settling),
               "asks for 'pay' by ctx.once, but has begun it by ctx.at_most_once");
    CHECK(goes_on(other, clock, durable<>(by_at_most_once::settling)) == "7");
    CHECK(paid == 2);
}
TEST_CASE("a resumed step continues when it has recorded two things by one name in both ways") {
    paid = 0;
    testing::ManualClock clock;
    MemoryStore store;
    lives(store, clock, durable<>(by_both::settling), 1s);
    CHECK(goes_on(store, clock, durable<>(by_both::settling)) == "14");
    CHECK(paid == 2);
}
