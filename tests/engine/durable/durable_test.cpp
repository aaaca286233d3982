// Runs that outlive their engine: stored work is present again and not repeated, and interrupted work begins again.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/once.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/timed.hpp"
#include <atomic>
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::storage;
using namespace dying;

namespace {
struct OrderEvent : StartEvent {
    std::string item;
    int parts = 3;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (item, parts))
struct PartEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(PartEvent, (), (number))
struct BuiltEvent {
    std::string part;
};
BOOST_DESCRIBE_STRUCT(BuiltEvent, (), (part))
struct MayShipEvent : InputRequiredEvent {
    std::string what;
};
BOOST_DESCRIBE_STRUCT(MayShipEvent, (), (what))
struct ShipEvent : Answers<MayShipEvent> {
    bool yes = false;
};
BOOST_DESCRIBE_STRUCT(ShipEvent, (), (yes))
struct ShippedEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ShippedEvent, (), (text))
struct Item {
    std::string name;
};
BOOST_DESCRIBE_STRUCT(Item, (), (name))
struct Built : Growing<std::string> {};

std::vector<PartEvent> plan(Context& ctx, OrderEvent order) {
    ctx.edit<Item>([&](auto& item) { item.name = order.item; });
    std::vector<PartEvent> parts;
    for (int i = 0; i < order.parts; ++i) parts.push_back({i});
    return parts;
}
awaitable<BuiltEvent> build(Context& ctx, PartEvent part, std::atomic<int>& effects) {
    co_await sleep_for(std::chrono::milliseconds(1 + part.number));
    ++effects;
    const auto name = ctx.get<Item>().name + std::to_string(part.number);
    ctx.edit<Built>([&](auto& built) { built.push_back(name); });
    co_return BuiltEvent{.part = name};
}
MayShipEvent ask(Context&, std::vector<BuiltEvent> built) { return {.what = std::to_string(built.size()) + " parts"}; }
ShippedEvent ship(Context& ctx, ShipEvent answer) {
    std::string text = answer.yes ? "shipped:" : "kept:";
    for (auto& part : ctx.get<Built>()) text += " " + part;
    return {.text = text};
}
inline constexpr auto order = workflow("order", step<plan>, step<build>.workers(1), step<ask>, step<ship>);
auto stored_order(std::atomic<int>& effects) { return durable<Item, Built>(order.with(effects)); }

template <class W> std::string finish(asio::io_context& io, Run<W> run) {
    for (int i = 0; i < 100 && !run.ended(); ++i) {
        io.restart();
        io.run();
        if (run.idle()) run.send(ShipEvent{.yes = true});
    }
    return run.outcome().text;
}
}

TEST_CASE("a durable run ends as any other, and its outcome is in the store") {
    MemoryStore store;
    std::atomic<int> effects = 0;
    Shop shop(store);
    auto run = shop.loop.start(stored_order(effects), {.item = "bike"}, {.key = "A-17"});
    CHECK(run.id() == "order:A-17");
    CHECK(finish(shop.io, run) == "shipped: bike0 bike1 bike2");
    store.list({}, [&](std::exception_ptr, std::vector<RunRow> rows) {
        REQUIRE(rows.size() == 1);
        CHECK(rows[0].status == RunStatus::done);
        CHECK(rows[0].outcome == R"({"data":{"text":"shipped: bike0 bike1 bike2"},"event":"ShippedEvent"})");
    });
}
TEST_CASE("a run resumes after a crash at any place, and builds each part at most once more") {
    for (long calls = 1; calls < 40; ++calls) {
        CAPTURE(calls);
        MemoryStore store;
        std::atomic<int> effects = 0;
        bool done = false;
        {
            Dying dying(store, calls);
            Shop shop(dying);
            auto run = shop.loop.start(stored_order(effects), {.item = "bike"}, {.key = "A"});
            for (int i = 0; i < 20 && !run.ended(); ++i) {
                shop.io.restart();
                shop.io.run();
                if (run.idle()) run.send(ShipEvent{.yes = true});
            }
            done = run.ended();
        }
        free_all(store);
        Shop shop(store);
        auto run = core::PrivateAccess::make<RunOf<order>>(
            core::make_stored(core::PrivateAccess::loop(shop.loop), stored_order(effects).definition, "order:A", {}));
        core::resume_stored(core::CoreRef(&core::PrivateAccess::run_of(run)));
        CHECK(finish(shop.io, run) == "shipped: bike0 bike1 bike2");
        CHECK(effects <= 4);
        if (!done) continue;
        CHECK(calls > 5);
        return;
    }
    FAIL("the run never came to its end");
}

namespace {
struct TripEvent : StartEvent {
    int legs = 2;
};
BOOST_DESCRIBE_STRUCT(TripEvent, (), (legs))
struct LongTextEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(LongTextEvent, (), (text))
struct LegEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(LegEvent, (), (left))
struct HomeEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(HomeEvent, (), (text))
struct Diary : Growing<std::string> {};
struct Agency {  // outside of the engine: the actual work
    std::vector<std::string> booked, keys;
    int repeats = 0;
};
LegEvent set_out(Context&, TripEvent trip) { return {.left = trip.legs}; }
LongTextEvent prepare(Context& ctx, LegEvent leg, Agency& agency) {
    ++agency.repeats;
    std::string text = std::to_string(leg.left);
    for (auto& page : ctx.get<Diary>()) text += "," + page;
    return {.text = text};
}
awaitable<std::string> book(Agency& agency, std::string what) {
    co_await sleep_for(std::chrono::milliseconds(1));
    agency.booked.push_back(what);
    co_return what;
}
awaitable<std::variant<LegEvent, HomeEvent>> travel(Context& ctx, LongTextEvent event, Agency& agency) {
    const auto left = std::stoi(event.text);
    agency.keys.push_back(ctx.key());
    auto train = book(agency, "train " + std::to_string(left));
    const auto first = co_await ctx.once("train", std::move(train));
    auto hotel = book(agency, "hotel " + std::to_string(left));
    const auto second = co_await ctx.once("hotel", std::move(hotel));
    ctx.edit<Diary>([&](auto& diary) { diary.push_back(first + "+" + second); });
    if (left > 1) co_return LegEvent{.left = left - 1};
    HomeEvent home;
    home.text = event.text;
    co_return home;
}
inline constexpr auto trip = workflow("trip", step<set_out>, step<prepare>.repeatable(), step<travel>);
}
TEST_CASE("ctx.once does not repeat recorded work, and the key of an invocation stays the same") {
    std::size_t most = 0;
    for (long calls = 1; calls < 40; ++calls) {
        CAPTURE(calls);
        MemoryStore store;
        Agency agency;
        bool done = false;
        {
            Dying dying(store, calls);
            Shop shop(dying);
            auto run = shop.loop.start(durable<Diary>(trip.with(agency)), {.legs = 3}, {.id = "t"});
            shop.io.run();
            done = run.ended();
        }
        free_all(store);
        Shop shop(store);
        const auto repeats = agency.repeats;
        auto run = resume_on(shop.loop, durable<Diary>(trip.with(agency)), "t");
        shop.io.run();
        CHECK(run.outcome().text == "1,train 3+hotel 3,train 2+hotel 2");
        CHECK(agency.booked.size() <= 7);  // at most one of the six is unrecorded
        CHECK(agency.repeats - repeats <= 4);
        for (std::size_t i = 1; i < agency.keys.size(); ++i) most += agency.keys[i] == agency.keys[i - 1];
        if (!done) continue;
        CHECK(agency.booked.size() == 6);
        CHECK(most > 3);  // repeated attempts have the same key
        return;
    }
    FAIL("the run never came to its end");
}
TEST_CASE("a repeatable step's event is not stored, and the next step does not wait for the disk") {
    MemoryStore store;
    Agency agency;
    Shop shop(store);
    auto run = shop.loop.start(durable<Diary>(trip.with(agency)), {.legs = 1}, {.id = "t"});
    shop.io.poll();
    store.load(
        "t",
        [](std::exception_ptr, History history) {
            REQUIRE(history.ticks.size() >= 3);  // more if a booking times out on a slow machine
            CHECK(history.ticks[2].body.find("LongTextEvent") != std::string::npos);
            CHECK(history.ticks[2].body.find("data") == std::string::npos);
        },
        0);
}
namespace {
struct HurryEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(HurryEvent, (), ())
struct HurriedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(HurriedEvent, (), ())
awaitable<int> tidied() { co_return 1; }
awaitable<void> tidy_up(Context& ctx) {  // goes on when its time is over
    try {
        co_await sleep_for(std::chrono::hours(1));
    } catch (const std::exception&) {}
    auto tidying = tidied();
    co_await ctx.once("tidied", std::move(tidying));
}
awaitable<HurriedEvent> hurry(Context& ctx, HurryEvent, bool& is_late) {
    auto tidying = tidy_up(ctx);
    try {
        co_await with_timeout(std::chrono::seconds(1), std::move(tidying));
    } catch (const Error& error) { is_late = error.code() == Code::timed_out; }
    co_return HurriedEvent();
}
inline constexpr auto hurrying = workflow("hurrying", step<hurry>);
}
TEST_CASE("a step whose time is over does not wait for the record of its work when the store gives no answer") {
    testing::ManualClock clock;
    MemoryStore memory;
    FailingStore store(memory);
    Timed world(clock, store);
    bool is_late = false;
    auto run = world.loop.start(durable(hurrying.with(is_late)), {}, {.id = "r"});
    world.run();
    store.hold();

    clock.advance(std::chrono::seconds(1));
    world.run();

    CHECK(is_late);
    store.release();
    world.until([&] { return store.release(), run.ended(); });
}
