// Policies: a step that waits, fails, is retried, and finally rescued.
#include "engine/run.hpp"
#include "engine/timeout.hpp"
#include <iostream>
using namespace weft;
using namespace std::chrono_literals;

struct ParcelEvent : StartEvent {
    std::string to;
};
struct LabelEvent : StopEvent {
    std::string text;
};
struct Busy : std::runtime_error {
    using runtime_error::runtime_error;
};

// [waits]
awaitable<LabelEvent> book(Context& ctx, ParcelEvent parcel) {
    std::cout << "attempt " << ctx.attempt() << '\n';
    if (parcel.to == "moon") co_await sleep_for(1h);
    if (parcel.to == "mars" || ctx.attempt() < 3) throw Busy("the carrier is busy");
    co_return LabelEvent{.text = "to " + parcel.to};
}
// [/waits]
// [rescue]
LabelEvent send_by_post(Context&, StepFailedEvent failure) {
    return {.text = "by post, because " + failure.step + " failed: " + failure.error};
}
// [/rescue]

// [policy]
inline constexpr auto shipping = workflow(
    "shipping", step<book>.workers(8).timeout(20ms).retry({.attempts = 3, .wait = fixed(1ms), .when = on<Busy>}),
    step<send_by_post>);
// [/policy]

int main() {
    for (auto* to : {"Rome", "mars", "moon"}) std::cout << run(shipping, {.to = to}).text << '\n';
}
// prints:
// attempt 1
// attempt 2
// attempt 3
// to Rome
// attempt 1
// attempt 2
// attempt 3
// by post, because book failed: the carrier is busy
// attempt 1
// by post, because book failed: step book took longer than its timeout of 0.02 s
