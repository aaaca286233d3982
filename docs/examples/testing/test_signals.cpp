// A run that takes a signal while it sleeps, in virtual time.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
// [declare]
struct OrderEvent : StartEvent {
    std::string street;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (street))
struct MovedEvent : SignalEvent {
    std::string street;
};
BOOST_DESCRIBE_STRUCT(MovedEvent, (), (street))
struct SentEvent : StopEvent {
    std::string street;
};
BOOST_DESCRIBE_STRUCT(SentEvent, (), (street))
struct NewAddress {
    std::string street;
};
BOOST_DESCRIBE_STRUCT(NewAddress, (), (street))
awaitable<SentEvent> send_parcel(Context& ctx, OrderEvent order) {
    co_await ctx.sleep(3 * 24h);
    const auto street = ctx.get<NewAddress>().street;
    co_return SentEvent{.street = street.empty() ? order.street : street};
}
void change_address(Context& ctx, MovedEvent moved) {
    ctx.edit<NewAddress>([&](auto& address) { address.street = moved.street; });
}
inline constexpr auto parcel = workflow("parcel", step<send_parcel>, step<change_address>);
// [/declare]
}

// [test]
TEST_CASE("a parcel goes to the new address") {
    asio::io_context io;
    testing::ManualClock clock;
    MemoryStore store;
    Loop loop({io.get_executor(), &clock}, {.store = &store});

    auto run = loop.start(durable<NewAddress>(parcel), {.street = "Old Road"});
    run.send(MovedEvent{.street = "New Road"});
    testing::drive(io, clock);

    CHECK(run.outcome().street == "New Road");
}
// [/test]
// [engine]
bool tell_new_address(Engine& engine, const std::string& run, const std::string& letter) {
    const auto workflow = durable<NewAddress>(parcel);
    return engine.signal(workflow, run, MovedEvent{.street = "New Road"}, letter);  // false: the store had the letter
}
std::string known_address(Engine& engine, const std::string& run) {
    return engine.slot<NewAddress>(durable<NewAddress>(parcel), run).street;
}
// [/engine]

TEST_CASE("an engine sends signals to stored runs, and reads their slots") {
    MemoryStore store;
    Engine engine({.store = &store});
    const auto id = engine.enqueue(durable<NewAddress>(parcel), {.street = "Old Road"});
    CHECK(tell_new_address(engine, id, "letter 1"));
    CHECK_FALSE(tell_new_address(engine, id, "letter 1"));
    CHECK(known_address(engine, id).empty());
}
