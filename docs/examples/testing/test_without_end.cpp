// A run that begins again each day, for a year of virtual time.
#include "engine/durable.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/recorder.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct Market {
    int falls_on = 365;  // day
    int price(int day) const { return day < falls_on ? 100 : 60; }
};
// [declare]
struct WatchEvent : StartEvent {
    int most = 0, day = 0;
};
BOOST_DESCRIBE_STRUCT(WatchEvent, (), (most, day))
struct BoughtEvent : StopEvent {
    int day = 0;
};
BOOST_DESCRIBE_STRUCT(BoughtEvent, (), (day))
awaitable<std::optional<BoughtEvent>> watch(Context& ctx, WatchEvent today, const Market& market) {
    if (market.price(today.day) <= today.most) co_return BoughtEvent{.day = today.day};
    co_await ctx.sleep(24h);
    ++today.day;
    ctx.begin_again(today);
    co_return std::nullopt;
}
inline constexpr auto watching = workflow("watching", step<watch>);
// [/declare]
}

// [test]
TEST_CASE("a step begins its run again for the next day") {
    Context ctx;
    const Market market;
    testing::ManualClock clock;

    auto bought = testing::await(watch(ctx, {.most = 70, .day = 7}, market), clock);

    CHECK_FALSE(bought);
    CHECK(ctx.next_start<WatchEvent>()->day == 8);
}
// [/test]
TEST_CASE("a run that begins again each day has a journal of one day after a year") {
    const Market market;
    MemoryStore store;
    const auto bought = testing::run(durable(watching.with(market)), {.most = 70}, {.store = &store});
    CHECK(bought.day == 365);
}
