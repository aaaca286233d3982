// A join: a step that accepts two events, and runs when both have arrived.
#include "engine/run.hpp"
#include "engine/timeout.hpp"
#include <iostream>
using namespace weft;
using namespace std::chrono_literals;

// [events]
struct OrderEvent : StartEvent {
    std::string item;
    int price = 0;
};
struct PackedEvent {
    std::string box;
};
struct PaidEvent {
    int amount = 0;
};
struct ShippedEvent : StopEvent {
    std::string text;
};
// [/events]

// [steps]
PackedEvent pack(Context&, OrderEvent order) { return {"a box with a " + order.item}; }
awaitable<std::optional<PaidEvent>> charge(Context&, OrderEvent order) {
    co_await sleep_for(1ms);                         // the bank is slow
    if (order.price > 1000) co_return std::nullopt;  // more than the account has
    co_return PaidEvent{order.price};
}
ShippedEvent ship(Context&, PackedEvent packed, PaidEvent paid) {
    return {.text = packed.box + " for " + std::to_string(paid.amount)};
}
inline constexpr auto order = workflow("order", step<pack>, step<charge>, step<ship>);
// [/steps]

int main() {
    // [run]
    std::cout << run(order, {.item = "lamp", .price = 40}).text << '\n';
    try {
        run(order, {.item = "yacht", .price = 90'000});
    } catch (const RunError& error) { std::cout << error.what() << '\n'; }
    // [/run]
}
// prints:
// a box with a lamp for 40
// the run is idle: step ship waits for PaidEvent, and has PackedEvent
