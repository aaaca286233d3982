// A workflow as a step of another: the child inherits stream, deadline and cancel, and its questions go through.
#include "engine/engine.hpp"
#include <iostream>
using namespace weft;

struct RefundEvent : StartEvent {
    double amount;
    std::string reason;
};
struct ApprovalRequestEvent : InputRequiredEvent {
    double amount;
};
struct ApprovalEvent : Answers<ApprovalRequestEvent> {
    bool granted;
};
struct DecisionEvent : StopEvent {
    bool paid;
};
ApprovalRequestEvent review(Context&, RefundEvent refund) { return {{}, refund.amount}; }
DecisionEvent conclude(Context&, ApprovalEvent approval) { return {.paid = approval.granted}; }
inline constexpr auto refund = workflow("refund", step<review>, step<conclude>);

struct ComplaintEvent : StartEvent {
    double amount;
};
struct LetterEvent : StopEvent {
    std::string text;
};
// [parent]
awaitable<LetterEvent> settle(Context& ctx, ComplaintEvent complaint) {
    RefundEvent request{.amount = complaint.amount, .reason = "a complaint"};
    auto decision = co_await ctx.run(refund, std::move(request));
    co_return LetterEvent{.text = decision.paid ? "We are sorry; here is your money." : "We are sorry."};
}
inline constexpr auto complaints = workflow("complaints", step<settle>);
// [/parent]

// [answer]
awaitable<void> clerk(RunOf<complaints> run) {
    while (auto event = co_await run.next_event())
        if (auto* ask = event->get_if<ApprovalRequestEvent>())
            run.send_to_child(ApprovalEvent{.granted = ask->amount < 100}, event->question());
}
// [/answer]

int main() {
    // [main]
    Engine engine;
    auto run = engine.start(complaints, {.amount = 80});
    engine.wait(clerk(run));
    std::cout << engine.wait(run.result()).text << '\n';
    // [/main]
}
// prints:
// We are sorry; here is your money.
