// A whole run in a test: recorded stream, scripted human, manual clock, journal in memory.
#include "engine/store/memory_journal.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct LoanEvent : StartEvent {
    int amount = 0;
};
struct QuestionEvent : InputRequiredEvent {
    int amount = 0;
};
struct VerdictEvent : Answers<QuestionEvent> {
    bool granted = false;
};
struct ClosedEvent : StopEvent {
    std::string text;
};
QuestionEvent ask(Context&, LoanEvent loan) { return {{}, loan.amount}; }
awaitable<ClosedEvent> settle(Context&, VerdictEvent verdict) {
    co_await sleep_for(72h);  // the law wants it
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
TEST_CASE("a loan that nobody decides on waits, and says for what") {
    CHECK_THROWS_WITH_AS(testing::run(loan, {.amount = 500}),
                         "the run is idle: it waits for an answer to QuestionEvent (VerdictEvent, for step settle)",
                         RunError);
}
// [/idle]
// [journal]
TEST_CASE("a run fails, and no other does, when the journal refuses its third tick") {
    auto banker = testing::answer<QuestionEvent>([](const QuestionEvent&) { return VerdictEvent(); });
    MemoryJournal journal;
    journal.fail_after(2);

    CHECK_THROWS_AS(testing::run(loan, {}, {.journal = &journal, .run = {.id = "a"}}, banker), RunError);
    CHECK(testing::run(loan, {}, {.journal = &journal, .run = {.id = "b"}}, banker).text == "declined");

    CHECK(journal.runs() == std::vector<std::string>{"a", "b"});
}
// [/journal]
