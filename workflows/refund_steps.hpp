// Steps that ask a human: small refunds are granted immediately, all others after an approval.
//
// Between the question and its answer the run is idle, without a time limit.
#pragma once
#include "engine/context.hpp"
#include "engine/describe.hpp"
#include "engine/event.hpp"
#include <variant>

namespace weft::workflows {
struct RefundEvent : StartEvent {
    std::string order;
    double amount = 0;
    std::string reason;
    static constexpr std::string_view optional_fields[] = {"reason"};
};
BOOST_DESCRIBE_STRUCT(RefundEvent, (), (order, amount, reason))

struct ApprovalRequestEvent : InputRequiredEvent {
    std::string question;
};
BOOST_DESCRIBE_STRUCT(ApprovalRequestEvent, (), (question))

struct ApprovalEvent : Answers<ApprovalRequestEvent> {
    bool granted = false;
    std::string comment;
    static constexpr std::string_view optional_fields[] = {"comment"};
};
BOOST_DESCRIBE_STRUCT(ApprovalEvent, (), (granted, comment))

struct DecisionEvent : StopEvent {
    bool granted = false;
    std::string text;
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
DecisionEvent conclude(Context&, ApprovalEvent);
}
