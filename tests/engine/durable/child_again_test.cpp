// A child run that a step begins after a snapshot goes on after a crash.
#include "engine/durable.hpp"
#include "tests/support/mortal_process.hpp"
using namespace weft;
using namespace weft::storage;
using namespace std::chrono_literals;
using testing::ManualClock;

namespace {
struct OrderEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), ())
struct HurryEvent : SignalEvent {};
BOOST_DESCRIBE_STRUCT(HurryEvent, (), ())
struct OrderedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(OrderedEvent, (), ())
struct PackEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(PackEvent, (), ())
struct BoxEvent {};
BOOST_DESCRIBE_STRUCT(BoxEvent, (), ())
struct PackedEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(PackedEvent, (), ())
BoxEvent pack(Context&, PackEvent, int& packed) {
    ++packed;
    return {};
}
awaitable<PackedEvent> wait_for_the_van(Context& ctx, BoxEvent) {
    co_await ctx.sleep(1h);
    co_return PackedEvent();
}
inline constexpr auto packing = workflow("packing", step<pack>, step<wait_for_the_van>);
using Packing = Bound<std::remove_cvref_t<decltype(packing)>>;
awaitable<OrderedEvent> order(Context& ctx, OrderEvent, const Packing& child) {
    co_await ctx.sleep(10min);
    auto running = ctx.run(child, PackEvent());
    co_await std::move(running);
    co_return OrderedEvent();
}
void hurry(Context&, HurryEvent) {}
inline constexpr auto ordering = workflow("ordering", step<order>, step<hurry>);
}

TEST_CASE("a child of the first step goes on after a crash when a snapshot was stored before its begin") {
    for (const std::uint32_t snapshot_every : {0u, 1u}) {
        CAPTURE(snapshot_every);
        ManualClock clock;
        MemoryStore store{[&] { return clock.wall().time_since_epoch().count(); }};
        int packed = 0;
        const Packing child = durable(packing.with(packed));
        dying::MortalProcess process(store, clock, durable(ordering.with(child)), snapshot_every);
        process.start(OrderEvent{}, {.id = "t"});
        process.run->send(HurryEvent());  // its ticks bring a snapshot
        process.world->run();
        process.pass(15);
        REQUIRE(packed == 1);

        process.die_and_resume(0h);
        process.pass(120);

        CHECK(process.run->ended());
        CHECK(packed == 1);
    }
}
