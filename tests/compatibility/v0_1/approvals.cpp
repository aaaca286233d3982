// Human in the loop: the run asks, sleeps, and goes on with the answer.
#include "engine/engine.hpp"
#include <iostream>
using namespace weft;

// [events]
struct RefundEvent : StartEvent {
    double amount;
};
struct ApprovalRequestEvent : InputRequiredEvent {
    std::string question;
};
struct ApprovalEvent : Answers<ApprovalRequestEvent> {
    bool granted;
};
struct DecisionEvent : StopEvent {
    std::string text;
};
// [/events]

// [steps]
std::variant<ApprovalRequestEvent, DecisionEvent> review(Context&, RefundEvent refund) {
    if (refund.amount < 50) return DecisionEvent{.text = "refunded without asking"};
    return ApprovalRequestEvent{.question = "Refund " + std::to_string(int(refund.amount)) + "?"};
}
DecisionEvent conclude(Context&, ApprovalEvent approval) {
    return {.text = approval.granted ? "refunded" : "declined"};
}
inline constexpr auto refund = workflow("refund", step<review>, step<conclude>);
// [/steps]

// [clerk]
awaitable<std::string> clerk(RunOf<refund> run) {
    while (auto event = co_await run.next_event()) {
        if (auto* ask = event->get_if<ApprovalRequestEvent>()) {
            std::cout << ask->question << '\n';
            run.send(ApprovalEvent{.granted = true}, event->question());
        }
    }
    auto decision = co_await run.result();
    co_return decision.text;
}
// [/clerk]

int main() {
    // [engine]
    Engine engine;
    auto run = engine.start(refund, {.amount = 80});
    std::cout << engine.wait(clerk(run)) << '\n';
    std::cout << engine.wait(engine.start(refund, {.amount = 20}).result()).text << '\n';
    // [/engine]
}
// prints:
// Refund 80?
// refunded
// refunded without asking
