// Whole runs driven by a test: recorded streams, scripted humans, a jumping clock, and failures instead of hangs.
#include "engine/durable.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/stored_run.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

namespace {
struct RefundEvent : StartEvent {
    std::vector<double> amounts;
};
BOOST_DESCRIBE_STRUCT(RefundEvent, (), (amounts))
struct ClaimEvent {
    double amount;
};
BOOST_DESCRIBE_STRUCT(ClaimEvent, (), (amount))
struct AskEvent : InputRequiredEvent {
    double amount;
};
BOOST_DESCRIBE_STRUCT(AskEvent, (), (amount))
struct ApprovalEvent : Answers<AskEvent> {
    bool granted;
};
BOOST_DESCRIBE_STRUCT(ApprovalEvent, (), (granted))
struct PaidEvent {
    double amount;
};
BOOST_DESCRIBE_STRUCT(PaidEvent, (), (amount))
struct DoneEvent : StopEvent {
    double total;
};
BOOST_DESCRIBE_STRUCT(DoneEvent, (), (total))
struct NoteEvent {
    std::unique_ptr<int> n;  // events of the stream need not be copyable
};
std::vector<ClaimEvent> split(Context& ctx, RefundEvent refund) {
    ctx.stream(NoteEvent{std::make_unique<int>(7)});
    std::vector<ClaimEvent> all;
    for (double a : refund.amounts) all.push_back({a});
    return all;
}
AskEvent review(Context&, ClaimEvent claim) { return {{}, claim.amount}; }
std::optional<PaidEvent> pay(Context&, ApprovalEvent approval) {
    if (!approval.granted) return std::nullopt;
    return PaidEvent{1};
}
DoneEvent add_up(Context&, std::vector<PaidEvent> paid) { return {{}, double(paid.size())}; }
inline constexpr auto refund = workflow("refund", step<split>, step<review>, step<pay>, step<add_up>);

const auto generous = testing::answer<AskEvent>([](const AskEvent& ask) {
    return ApprovalEvent{{}, ask.amount < 100};
});
}

TEST_CASE("a recorded run gets answers from its listeners, and the recorder has the stream with its terminal event") {
    testing::Recorder seen;
    auto done = testing::run(refund, {.amounts = {10, 500, 20}}, {.recorder = &seen}, generous);
    CHECK(done.total == 2);
    CHECK(seen.names() == Names{"NoteEvent", "AskEvent", "AskEvent", "AskEvent", "DoneEvent"});
    CHECK(*seen.only<NoteEvent>().n == 7);
    CHECK(seen.all<AskEvent>()[1].amount == 500);
    CHECK(seen.only<DoneEvent>().total == 2);
    CHECK(seen.count<ApprovalEvent>() == 0);
}
TEST_CASE("the only event of a type is an error when there are others or none, and the message lists them") {
    testing::Recorder seen;
    testing::run(refund, {.amounts = {1, 2}}, {.recorder = &seen}, generous);
    CHECK_THROWS_WITH_AS(seen.only<AskEvent>(),
                         "the stream was expected to hold one AskEvent, but holds 2; it holds: NoteEvent, AskEvent, "
                         "AskEvent, DoneEvent",
                         Error);
    seen.clear();
    CHECK_THROWS_WITH_AS(seen.only<AskEvent>(),
                         "the stream was expected to hold one AskEvent, but holds 0; it holds: nothing", Error);
}
TEST_CASE("an unanswered question is a failure with the run's diagnosis") {
    testing::Recorder seen;
    CHECK_THROWS_WITH_AS(testing::run(refund, {.amounts = {1}}, {.recorder = &seen}),
                         "the run is idle: it waits for an answer to AskEvent (ApprovalEvent, for step pay)", RunError);
    CHECK(seen.names() == Names{"NoteEvent", "AskEvent"});
}

namespace {
struct GoEvent : StartEvent {
    int n = 0;
};
struct EndEvent : StopEvent {
    std::vector<std::chrono::nanoseconds> at;
    std::string id;
};
awaitable<EndEvent> wait_long(Context& ctx, GoEvent) {
    auto& clock = co_await this_clock();
    const auto begin = clock.now();
    co_await sleep_for(std::chrono::hours(24 * 365));
    EndEvent end;
    end.at.push_back(clock.now() - begin);
    end.id = ctx.run_id();
    co_return end;
}
inline constexpr auto patient = workflow("patient", step<wait_long>);

struct AgainEvent {};
AgainEvent begin(Context&, GoEvent) { return {}; }
std::variant<AgainEvent, EndEvent> again(Context&, AgainEvent) { return AgainEvent(); }
inline constexpr auto endless = workflow("endless", step<begin>, step<again>);

struct Never {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<>) {}
    void await_resume() {}
};
awaitable<EndEvent> hang(Context&, GoEvent) {
    co_await Never();
    co_return EndEvent();
}
inline constexpr auto hanging = workflow("hanging", step<hang>);
}
TEST_CASE("a recorded run waits a year in no real time, and the same seed gives the same id") {
    const auto a = testing::run(patient, {}, {.seed = 5}), b = testing::run(patient, {}, {.seed = 5});
    CHECK(a.at[0] == 24h * 365);
    CHECK(a.id == b.id);
    CHECK(a.id != testing::run(patient, {}, {.seed = 6}).id);
    CHECK(testing::run(patient, {}, {.run = {.id = "mine"}}).id == "mine");
}
TEST_CASE("a test may own the clock, and a deadline of the run ends it by that clock") {
    testing::ManualClock clock;
    const auto begin = clock.now();
    testing::Recorder seen;
    CHECK_THROWS_AS(testing::run(patient, {}, {.recorder = &seen, .clock = &clock, .run = {.timeout = 2h}}), RunError);
    CHECK(clock.now() - begin == 2h);
    CHECK(seen.only<RunTimedOutEvent>().active_steps == Names{"wait_long"});
}
TEST_CASE("an endless run is stopped after its limit of real time, and names the work in progress") {
    CHECK_THROWS_WITH_AS(testing::run(endless, {}, {.at_most = 10ms}),
                         "the run has not ended within 0.01 s of real time; at work: again", Error);
}
TEST_CASE("a step waiting for an impossible event is a deadlock with the step's name") {
    CHECK_THROWS_WITH_AS(testing::run(hanging, {}), "nothing is left to do, but the run has not ended; at work: hang",
                         Error);
}
TEST_CASE("a listener's exception is thrown by the run, and a listener may cancel") {
    const auto angry = [](auto&, const AnyEvent& event) {
        if (event.get_if<AskEvent>()) throw std::logic_error("no");
    };
    CHECK_THROWS_WITH_AS(testing::run(refund, {.amounts = {1}}, {}, angry), "no", std::logic_error);

    testing::Recorder seen;
    const auto impatient = [](auto& run, const AnyEvent& event) {
        if (event.get_if<AskEvent>()) run.cancel();
    };
    CHECK_THROWS_WITH_AS(testing::run(refund, {.amounts = {1}}, {.recorder = &seen}, impatient),
                         "the run was cancelled", RunError);
    CHECK(seen.names() == Names{"NoteEvent", "AskEvent", "RunCancelledEvent"});
}
TEST_CASE("a recorded run writes to the store that the test gives, and waits for a broken one by the test's clock") {
    MemoryStore store;
    testing::run(durable<>(refund), {.amounts = {1, 2}}, {.store = &store, .run = {.id = "kept"}}, generous);
    CHECK(history_of(store, "kept").run.status == RunStatus::done);
    CHECK(ticks_of(store, "kept").size() > 4);

    testing::ManualClock clock;
    const auto begin = clock.now();
    FailingStore broken(store);
    broken.fail(2, FailingStore::FailureMode::from_now_on);
    const testing::Setup setup{.clock = &clock, .store = &broken};
    CHECK_THROWS_AS(testing::run(durable<>(refund), {.amounts = {1, 2}}, setup, generous), RunError);
    CHECK(clock.now() - begin > 10s);
}

namespace {
struct OuterEvent : StartEvent {};
struct OuterDoneEvent : StopEvent {
    double total;
};
awaitable<OuterDoneEvent> delegate(Context& ctx, OuterEvent) {
    RefundEvent start;
    start.amounts = {1, 2, 3};
    Bound<std::remove_const_t<decltype(refund)>> child = refund;
    auto done = co_await ctx.run(std::move(child), std::move(start));
    co_return OuterDoneEvent{.total = done.total};
}
inline constexpr auto outer = workflow("outer", step<delegate>);
}
TEST_CASE("questions of a child run are answered by the same listeners") {
    testing::Recorder seen;
    CHECK(testing::run(outer, {}, {.recorder = &seen}, generous).total == 3);
    CHECK(seen.count<AskEvent>() == 3);
}

namespace {
struct Spent {
    static constexpr bool memory_only = true;
    double amount = 0;
};
DoneEvent spend(Context& ctx, RefundEvent refund) {
    ctx.edit<Spent>([&](auto& spent) { spent.amount += refund.amounts.front(); });
    return {{}, ctx.get<Spent>().amount};
}
inline constexpr auto spending = workflow("spending", step<spend>);
}
TEST_CASE("a recorded run begins with given slots, and the test reads its final slots") {
    SlotValues left;
    testing::run(spending, {.amounts = {1}}, {.run = {.slots = slots(Spent{5})}, .left = &left});
    CHECK(left.get<Spent>().amount == 6);
    CHECK(testing::run(spending, {.amounts = {1}}, {.run = {.slots = left}}).total == 7);
}
