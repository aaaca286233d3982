// Steps that ask a human: small refunds are granted immediately, all others after an approval.
//
// Between the question and its answer the run is idle, without a time limit.
#pragma once
#include "engine/context.hpp"
#include "engine/describe.hpp"
#include "engine/event.hpp"
#include <variant>

namespace weft::workflows {
/// A customer's claim.
struct RefundEvent : StartEvent {
    std::string order;                                                 // the order's number; not empty
    double amount = 0;                                                 // more than 0, at most 1e9
    std::string reason;                                                // the customer's; may be empty
    static constexpr std::string_view optional_fields[] = {"reason"};  // may be missing in JSON
};
BOOST_DESCRIBE_STRUCT(RefundEvent, (), (order, amount, reason))

/// Asks a person whether to grant a refund.
struct ApprovalRequestEvent : InputRequiredEvent {
    std::string question;
};
BOOST_DESCRIBE_STRUCT(ApprovalRequestEvent, (), (question))

/// The person's answer.
struct ApprovalEvent : Answers<ApprovalRequestEvent> {
    bool granted = false;
    std::string comment;  // the person's, for the decision's text; may be empty
    static constexpr std::string_view optional_fields[] = {"comment"};  // may be missing in JSON
};
BOOST_DESCRIBE_STRUCT(ApprovalEvent, (), (granted, comment))

/// The decision on a claim, which ends the run.
struct DecisionEvent : StopEvent {
    bool granted = false;
    std::string text;  // the decision in a sentence
};
BOOST_DESCRIBE_STRUCT(DecisionEvent, (), (granted, text))

/// The slot of the claim, for the decision, because the answer comes in a separate event, perhaps days later.
struct Claim {
    std::string text;  // "12.50 for order 7"
};
BOOST_DESCRIBE_STRUCT(Claim, (), (text))

inline constexpr double granted_at_once = 50;  // maximum amount without an approval

/// Throws Error{usage} for an amount that is not positive or above 1e9, and for a refund without an order.
std::variant<ApprovalRequestEvent, DecisionEvent> review(Context&, RefundEvent);
/// Words the decision, from the answer and the slot of the claim.
DecisionEvent conclude(Context&, ApprovalEvent);
}
