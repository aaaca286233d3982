// A step's unit test is a call, without an engine or a workflow.
#include "engine/context.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "engine/workflow.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct AskEvent {
    std::string question;
};
struct ReplyEvent : StopEvent {
    std::string text;
};
struct Calls {
    int n = 0;
};
// [interface]
struct Oracle {
    virtual ~Oracle() = default;
    virtual awaitable<std::string> ask(std::string question) = 0;
};
awaitable<ReplyEvent> consult(Context& ctx, AskEvent event, Oracle& oracle) {
    ctx.edit<Calls>([](auto& calls) { ++calls.n; });
    auto work = oracle.ask(event.question);
    auto text = co_await with_timeout(10min, std::move(work));
    co_return ReplyEvent{.text = text};
}
// [/interface]

// [double]
struct SlowOracle : Oracle {
    Duration delay;
    explicit SlowOracle(Duration d) : delay(d) {}
    awaitable<std::string> ask(std::string question) override {
        co_await sleep_for(delay);
        co_return "yes to " + question;
    }
};
// [/double]
}

// [test]
TEST_CASE("consult passes the question on, and counts the call") {
    Context ctx;
    SlowOracle oracle{0s};

    auto reply = testing::await(consult(ctx, AskEvent{"rain?"}, oracle));

    CHECK(reply.text == "yes to rain?");
    CHECK(ctx.get<Calls>().n == 1);
}
// [/test]
// [clock]
TEST_CASE("consult gives an oracle ten minutes") {
    Context ctx;
    testing::ManualClock clock;
    SlowOracle patient{9min}, lost{11min};

    CHECK(testing::await(consult(ctx, AskEvent{"rain?"}, patient), clock).text == "yes to rain?");
    CHECK_THROWS_AS(testing::await(consult(ctx, AskEvent{"rain?"}, lost), clock), Error);
}
// [/clock]
