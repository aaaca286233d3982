// Two parallel steps change a slot that cannot be merged: the later one fails, and no change is lost.
#include "engine/run.hpp"
#include "engine/timeout.hpp"
#include <iostream>
using namespace weft;
using namespace std::chrono_literals;

struct GoEvent : StartEvent {};
struct BidEvent {
    int amount;
};
struct PlacedEvent {};
struct SoldEvent : StopEvent {
    int price;
};
// [slot]
struct Price {
    int amount = 0;  // no merge: two changes contradict each other
};
// [/slot]
std::vector<BidEvent> call_for_bids(Context&, GoEvent) { return {{10}, {20}}; }
// [bid]
awaitable<PlacedEvent> bid(Context& ctx, BidEvent event) {
    ctx.edit<Price>([&](auto& price) { price.amount = event.amount; });
    co_await sleep_for(1ms);  // meanwhile the other step commits
    co_return PlacedEvent();
}
// [/bid]
SoldEvent award(Context& ctx, std::vector<PlacedEvent>) { return {.price = ctx.get<Price>().amount}; }

// [workflows]
inline constexpr auto strict = workflow("strict", step<call_for_bids>, step<bid>, step<award>);
inline constexpr auto patient = workflow("patient", step<call_for_bids>,
                                         step<bid>.retry({.attempts = 2, .wait = {}, .when = on<EditConflict>}),
                                         step<award>);
inline constexpr auto in_turn = workflow("in_turn", step<call_for_bids>, step<bid>.workers(1), step<award>);
// [/workflows]

int main() {
    try {
        run(strict, {});
    } catch (const RunError& error) { std::cout << name(error.code()) << '\n'; }
    std::cout << run(patient, {}).price << '\n';
    std::cout << run(in_turn, {}).price << '\n';
}
// prints:
// edit_conflict
// 20
// 20
