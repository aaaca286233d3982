// Tests by stored runs, replayed and forked.
#include "engine/durable.hpp"
#include "engine/fork.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/testing/replays.hpp"
#include <doctest/doctest.h>
using namespace weft;

namespace {
struct RefundEvent : StartEvent {
    std::string order;
};
BOOST_DESCRIBE_STRUCT(RefundEvent, (), (order))
struct ApprovalRequestEvent : InputRequiredEvent {
    std::string question;
};
BOOST_DESCRIBE_STRUCT(ApprovalRequestEvent, (), (question))
struct ApprovalEvent : Answers<ApprovalRequestEvent> {
    bool granted = false;
};
BOOST_DESCRIBE_STRUCT(ApprovalEvent, (), (granted))
struct DecisionEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(DecisionEvent, (), (text))
struct Claimed {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(Claimed, (), (text))
ApprovalRequestEvent review(Context& ctx, RefundEvent refund) {
    ctx.edit<Claimed>([&](Claimed& claimed) { claimed.text = "120 EUR for " + refund.order; });
    return {.question = "Refund " + ctx.get<Claimed>().text + "?"};
}
DecisionEvent conclude(Context& ctx, ApprovalEvent approval) {
    return {.text = (approval.granted ? "refunded: " : "declined: ") + ctx.get<Claimed>().text};
}
inline constexpr auto refund = workflow("refund", step<review>, step<conclude>);
const auto stored = durable(refund);
const auto clerk = testing::answer<ApprovalRequestEvent>(
    [](const ApprovalRequestEvent&) { return ApprovalEvent{.granted = true}; });
}

// [replays]
TEST_CASE("the refunds of last year would be decided in the same way") {
    MemoryStore store;  // in a real program: SqliteStore("tests/last_year.db", {.access = SqliteAccess::visitor})
    testing::run(stored, {.order = "A-17"}, {.store = &store, .run = {.id = "a"}}, clerk);

    CHECK(testing::replays(stored, store, "a"));
    CHECK(testing::replays(stored, store, "a").replayed.steps == 2);
}
// [/replays]
// [fork]
TEST_CASE("a refund takes another answer when it is forked before its answer") {
    MemoryStore store;
    testing::run(stored, {.order = "A-17"}, {.store = &store, .run = {.id = "a"}}, clerk);

    const auto id = fork(store, stored, "a", 1, {.slots = {{"claimed", R"({"text": "1 EUR"})"}}});

    CHECK(history_of(store, id).run.forked_from == "a");
    CHECK_THROWS_WITH_AS(fork(store, stored, "a", 1, {.slots = {{"claim", "{}"}}}),
                         "the workflow refund has no slot claim; it has claimed", Error);
}
// [/fork]
