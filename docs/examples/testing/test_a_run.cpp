// A whole run in a test: recorded stream, scripted human, manual clock, a store that fails.
#include "engine/durable.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct LoanEvent : StartEvent {
    int amount = 0;
};
BOOST_DESCRIBE_STRUCT(LoanEvent, (), (amount))
struct QuestionEvent : InputRequiredEvent {
    int amount = 0;
};
BOOST_DESCRIBE_STRUCT(QuestionEvent, (), (amount))
struct VerdictEvent : Answers<QuestionEvent> {
    bool granted = false;
};
BOOST_DESCRIBE_STRUCT(VerdictEvent, (), (granted))
struct ClosedEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ClosedEvent, (), (text))
QuestionEvent ask(Context&, LoanEvent loan) { return {{}, loan.amount}; }
awaitable<ClosedEvent> settle(Context&, VerdictEvent verdict) {
    co_await sleep_for(72h);  // required by law
    co_return ClosedEvent{.text = verdict.granted ? "granted" : "declined"};
}
inline constexpr auto loan = workflow("loan", step<ask>, step<settle>);
}

// [recorder]
TEST_CASE("a small loan is granted after three days") {
    testing::Recorder seen;
    testing::ManualClock clock;
    const auto begin = clock.now();
    auto banker = testing::answer<QuestionEvent>(
        [](const QuestionEvent& question) { return VerdictEvent{.granted = question.amount < 1000}; });

    auto closed = testing::run(loan, {.amount = 500}, {.recorder = &seen, .clock = &clock}, banker);

    CHECK(closed.text == "granted");
    CHECK(seen.names() == std::vector<std::string>{"QuestionEvent", "ClosedEvent"});
    CHECK(seen.only<QuestionEvent>().amount == 500);
    CHECK(clock.now() - begin == 72h);
}
// [/recorder]
// [idle]
TEST_CASE("an undecided loan waits, and its diagnosis names the missing decision") {
    CHECK_THROWS_WITH_AS(testing::run(loan, {.amount = 500}),
                         "the run is idle: it waits for an answer to QuestionEvent (VerdictEvent, for step settle)",
                         RunError);
}
// [/idle]
// [store]
TEST_CASE("a loan survives one failure of its store; if the store stays away, its run ends, and resumes later") {
    auto banker = testing::answer<QuestionEvent>([](const QuestionEvent&) { return VerdictEvent(); });
    MemoryStore memory;
    FailingStore store(memory);

    store.fail(1);  // the second call
    CHECK(testing::run(durable(loan), {}, {.store = &store, .run = {.id = "a"}}, banker).text == "declined");

    store.fail(1, FailingStore::FailureMode::from_now_on);
    CHECK_THROWS_AS(testing::run(durable(loan), {}, {.store = &store, .run = {.id = "b"}}, banker), RunError);
    CHECK(store.failures() == 10);  // one failure, then one with eight retries
}
// [/store]
