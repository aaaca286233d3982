// describe() words the amount and the order once, for the question and for the decision.
#include "workflows/refund_steps.hpp"
#include "engine/error.hpp"
#include <cstdio>

namespace weft::workflows {
namespace {
std::string describe(const RefundEvent& refund) {
    char amount[64];
    std::snprintf(amount, sizeof amount, "%.2f", refund.amount);
    return std::string(amount) + " for order " + refund.order;
}
}

std::variant<ApprovalRequestEvent, DecisionEvent> review(Context& ctx, RefundEvent refund) {
    if (refund.order.empty()) throw Error(Code::usage, "a refund needs an order");
    if (!(refund.amount > 0) || refund.amount > 1e9)
        throw Error(Code::usage, "the amount of a refund must be more than 0 and at most 1000000000");
    const auto claim = describe(refund);
    if (refund.amount <= granted_at_once)
        return DecisionEvent{.granted = true, .text = "The refund of " + claim + " is granted."};
    ctx.edit<Claim>([&claim](auto& slot) { slot.text = claim; });
    return ApprovalRequestEvent{.question = "Refund " + claim +
                                            (refund.reason.empty() ? "" : " (" + refund.reason + ")") + "?"};
}
DecisionEvent conclude(Context& ctx, ApprovalEvent approval) {
    auto text = "The refund of " + ctx.get<Claim>().text + " is " + (approval.granted ? "granted" : "refused");
    if (!approval.comment.empty()) text += ": " + approval.comment;
    return {.granted = approval.granted, .text = text + "."};
}
}
