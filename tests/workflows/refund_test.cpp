#include "engine/run.hpp"
#include "tests/support/world.hpp"
#include "workflows/refund.hpp"
#include <doctest/doctest.h>
#include <limits>
using namespace weft;
using namespace weft::workflows;

namespace {
RefundEvent refund_of(double amount) {
    RefundEvent event;
    event.order = "A-17";
    event.amount = amount;
    return event;
}
}

TEST_CASE("a refund up to the limit is granted immediately, and a larger one asks") {
    Context ctx;
    const auto granted = review(ctx, refund_of(granted_at_once));
    const auto asked = review(ctx, refund_of(granted_at_once + 0.01));

    REQUIRE(std::holds_alternative<DecisionEvent>(granted));
    CHECK(std::get<DecisionEvent>(granted).granted);
    REQUIRE(std::holds_alternative<ApprovalRequestEvent>(asked));
    CHECK(std::get<ApprovalRequestEvent>(asked).question == "Refund 50.01 for order A-17?");
}
TEST_CASE("an invalid refund is refused in a sentence") {
    Context ctx;
    for (const double amount : {0.0, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN()})
        CHECK_THROWS_AS(review(ctx, refund_of(amount)), Error);
    CHECK_THROWS_AS(review(ctx, RefundEvent{}), Error);
}
TEST_CASE("a run is idle between question and answer, and two runs do not share their claims") {
    World w;
    auto first = w.loop.start(workflows::refund, refund_of(100));
    auto second = w.loop.start(workflows::refund, refund_of(200));
    w.turn();
    REQUIRE(first.idle());
    REQUIRE(second.idle());

    ApprovalEvent approval;
    approval.granted = true;
    approval.comment = "it was broken";
    second.send(approval);
    first.send(ApprovalEvent{});
    w.turn();

    CHECK(first.outcome().text == "The refund of 100.00 for order A-17 is refused.");
    CHECK(second.outcome().text == "The refund of 200.00 for order A-17 is granted: it was broken.");
}
