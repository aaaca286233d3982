// The undo step of runs without a store: each kind of end, its own time, failures, children.
#include "engine/error.hpp"
#include "engine/named_step.hpp"
#include "engine/observer.hpp"
#include "engine/run.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
#include <functional>
using namespace weft;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

namespace {
struct TripEvent : StartEvent {
    int stays = 3;           // number of stays to book
    std::string fails = {};  // empty: the last booking waits for ever; else it throws this
};
struct StayEvent {
    int stay = 0, stays = 0;
    std::string fails;
};
struct TripEndEvent : StopEvent {};
struct CheckedEvent {};
struct Stays {
    std::vector<int> booked;
};
BOOST_DESCRIBE_STRUCT(Stays, (), (booked))
/// The events in the world, and the course of the undoing.
struct Desk {
    Names seen;
    std::function<awaitable<void>(unsigned attempt)> undoing;
};
awaitable<void> rest(std::chrono::nanoseconds time) { co_await sleep_for(time); }
StayEvent plan(Context&, TripEvent trip) { return {0, trip.stays, trip.fails}; }
awaitable<std::variant<StayEvent, TripEndEvent>> book(Context& ctx, StayEvent stay, Desk& desk) {
    desk.seen.push_back("book " + std::to_string(stay.stay));
    struct Left {
        Desk& desk;
        ~Left() { desk.seen.emplace_back("left"); }
    };
    if (stay.stay == stay.stays - 1) {
        const Left left{desk};
        ctx.edit<Stays>([](Stays& s) { s.booked.push_back(-1); });  // of an attempt that never ends well
        if (!stay.fails.empty()) throw Error(Code::model_refused, stay.fails);
        co_await sleep_for(1h);
    }
    ctx.edit<Stays>([&](Stays& s) { s.booked.push_back(stay.stay); });
    co_return StayEvent{stay.stay + 1, stay.stays, stay.fails};
}
awaitable<void> undo(Context& ctx, RunEndingEvent ending, Desk& desk) {
    desk.seen.push_back(std::string(name(ending.status)) + ": " + ending.sentence);
    if (desk.undoing) co_await desk.undoing(ctx.attempt());
    for (const auto stays = ctx.get<Stays>().booked; int stay : stays)
        desk.seen.push_back("undo " + std::to_string(stay));
}
inline constexpr auto trip = workflow("trip", step<plan>, step<book>, step<undo>.within(10s));
using TripRun = RunOf<trip>;

struct TimedWorld : World {
    testing::ManualClock& clock;
    explicit TimedWorld(testing::ManualClock& c) : World(c), clock(c) {}
    template <class R> void advance_until_ended(const R& run) {
        for (int i = 0; i < 100 && !run.ended(); ++i) turn(), clock.jump();
        turn();
    }
};
template <class R> std::string error_of(const R& run) {
    try {
        (void)run.outcome();
    } catch (const RunError& error) { return std::string(name(error.code())) + ": " + error.what(); }
    return "none";
}
const Names booked{"book 0", "book 1", "book 2", "left"};
Names after(Names seen, const Names& more) {
    seen.insert(seen.end(), more.begin(), more.end());
    return seen;
}
}

TEST_CASE("a cancelled run undoes with the slots as committed, once the cancelled step has really ended") {
    testing::ManualClock clock;
    TimedWorld w(clock);
    Desk desk;
    Names events;
    auto run = w.loop.start(trip.with(desk), {});
    w.spawn(record(run, events));
    w.turn();
    run.cancel();
    CHECK_FALSE(run.ended());
    w.turn();
    CHECK(run.ended());
    CHECK(desk.seen == after(booked, {"cancelled: the run was cancelled", "undo 0", "undo 1"}));
    CHECK(error_of(run) == "cancelled: the run was cancelled");
    CHECK(events == Names{"RunEndingEvent", "RunCancelledEvent"});
    CHECK(run.slot<Stays>().booked == std::vector<int>{0, 1});
}
TEST_CASE("a run that passes its deadline undoes without it") {
    testing::ManualClock clock;
    TimedWorld w(clock);
    Desk desk;
    desk.undoing = [](unsigned) { return rest(9s); };
    auto run = w.loop.start(trip.with(desk), {}, {.timeout = 5s});
    w.turn();
    clock.advance(5s);
    w.turn();
    CHECK_FALSE(run.ended());
    CHECK(run.diagnosis() == "the run undoes its work, and then ends as timed_out: step undo has been running for 0 s");
    clock.advance(9s);
    w.turn();
    CHECK(desk.seen == after(booked, {"timed_out: the run has not ended within 5 s", "undo 0", "undo 1"}));
    CHECK(error_of(run) == "timed_out: the run has not ended within 5 s");
}
TEST_CASE("a run whose step fails without a handler undoes, and keeps its error") {
    testing::ManualClock clock;
    TimedWorld w(clock);
    Desk desk;
    auto run = w.loop.start(trip.with(desk), {.fails = "no room"});
    w.turn();
    CHECK(desk.seen == after(booked, {"failed: step book failed: no room", "undo 0", "undo 1"}));
    CHECK(error_of(run) == "model_refused: step book failed: no room");
}
TEST_CASE("a run that succeeds undoes nothing, and neither does one that has begun no step") {
    testing::ManualClock clock;
    TimedWorld w(clock);
    Desk desk;
    auto run = w.loop.start(trip.with(desk), {.stays = 9, .fails = "end"});
    w.turn();
    desk.seen.clear();
    World limited(clock);
    auto first = limited.loop.start(trip.runs_at_once(1).with(desk), {});
    auto second = limited.loop.start(trip.runs_at_once(1).with(desk), {});
    limited.turn();
    desk.seen.clear();
    second.cancel();
    limited.turn();
    CHECK(second.ended());
    CHECK(desk.seen.empty());
    first.cancel();
    limited.turn();
    CHECK(desk.seen.size() == 4);
}
TEST_CASE("a second cancellation ends the undoing at once, and the error tells it") {
    testing::ManualClock clock;
    TimedWorld w(clock);
    Desk desk;
    desk.undoing = [](unsigned) { return rest(9s); };
    auto run = w.loop.start(trip.with(desk), {});
    w.turn();
    run.cancel();
    w.turn();
    CHECK_FALSE(run.ended());
    run.cancel();
    w.turn();
    CHECK(run.ended());
    CHECK(error_of(run) == "cancelled: the run was cancelled; and undoing failed: it was cancelled, too");
    CHECK(desk.seen == after(booked, {"cancelled: the run was cancelled"}));
}
TEST_CASE("an undoing that takes too long, or fails, ends the run with its first reason and both sentences") {
    for (const bool hangs : {false, true}) {
        CAPTURE(hangs);
        testing::ManualClock clock;
        TimedWorld w(clock);
        Desk desk;
        desk.undoing = [=](unsigned) -> awaitable<void> {
            if (!hangs) throw std::runtime_error("the line is dead");
            co_await sleep_for(1h);
        };
        auto run = w.loop.start(trip.with(desk), {.fails = "no room"});
        w.advance_until_ended(run);
        CHECK(error_of(run) == std::string("model_refused: step book failed: no room; and undoing failed: ") +
                                   (hangs ? "it took longer than its limit of 10 s" : "the line is dead"));
        auto cancelled = w.loop.start(trip.with(desk), {});
        w.turn();
        cancelled.cancel();
        w.advance_until_ended(cancelled);
        CHECK(error_of(cancelled).starts_with("cancelled: the run was cancelled; and undoing failed: "));
        auto late = w.loop.start(trip.with(desk), {}, {.timeout = 5s});
        w.advance_until_ended(late);
        CHECK(error_of(late).starts_with("timed_out: the run has not ended within 5 s; and undoing failed: "));
    }
}
TEST_CASE("an undo step is retried as its policy says, and a retry that succeeds leaves no error") {
    static constexpr auto patient = workflow("patient", step<plan>, step<book>,
                                             step<undo>.retry({.attempts = 3, .wait = fixed(1s)}).timeout(2s));
    testing::ManualClock clock;
    TimedWorld w(clock);
    Desk desk;
    desk.undoing = [](unsigned attempt) -> awaitable<void> {
        if (attempt == 1) throw std::runtime_error("not yet");
        if (attempt == 2) co_await sleep_for(1h);
    };
    auto run = w.loop.start(patient.with(desk), {.fails = "no room"});
    w.advance_until_ended(run);
    CHECK(error_of(run) == "model_refused: step book failed: no room");
    CHECK(desk.seen.size() == booked.size() + 5);
}
TEST_CASE("the destruction of a loop ends a run at once, also one that undoes") {
    testing::ManualClock clock;
    Desk desk;
    desk.undoing = [](unsigned) { return rest(9s); };
    std::optional<TripRun> untouched, undoing;
    {
        TimedWorld w(clock);
        untouched = w.loop.start(trip.with(desk), {});
        undoing = w.loop.start(trip.with(desk), {});
        w.turn();
        undoing->cancel();
        w.turn();
        desk.seen.clear();
    }
    CHECK(untouched->ended());
    CHECK(undoing->ended());
    CHECK(desk.seen == Names{"left"});
}

namespace {
struct CancelsAtEnd : Observer {
    std::optional<TripRun> run;
    void step_ended(const StepInfo& step, bool) noexcept override {
        if (run && step.name == "book") std::exchange(run, {})->cancel();
    }
};
}
TEST_CASE("a run that is cancelled at the end of a step drops the result of the step, and undoes") {
    testing::ManualClock clock;
    TimedWorld w(clock);
    Desk desk;
    CancelsAtEnd observer;
    auto run = w.loop.start(trip.with(desk), {}, {.observer = &observer});
    observer.run = run;
    w.turn();
    CHECK(run.ended());
    CHECK(desk.seen == Names{"book 0", "cancelled: the run was cancelled"});
}
TEST_CASE("an undo step cannot begin its run again") {
    static constexpr auto restless = workflow(
        "restless", step<plan>, step<book>,
        named_step<"rerun">([](Context& ctx, RunEndingEvent) { ctx.begin_again(TripEvent{}); }));
    testing::ManualClock clock;
    TimedWorld w(clock);
    Desk desk;
    auto run = w.loop.start(restless.with(desk), {.fails = "no room"});
    w.turn();
    CHECK(error_of(run) == "model_refused: step book failed: no room; and undoing failed: step rerun cannot begin its "
                           "run again with TripEvent: it undoes its work, and then ends");
}

// --- fan-outs, joins, quorums, questions ---
namespace {
struct LegEvent {
    int leg = 0;
};
struct LegDoneEvent {
    int leg = 0;
};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
std::vector<std::variant<LegEvent, AskEvent>> spread(Context&, TripEvent trip) {
    std::vector<std::variant<LegEvent, AskEvent>> all;
    for (int i = 0; i < trip.stays; ++i) all.emplace_back(LegEvent{i});
    all.emplace_back(AskEvent{});
    return all;
}
awaitable<LegDoneEvent> ride(Context& ctx, LegEvent leg, Desk& desk) {
    desk.seen.push_back("ride " + std::to_string(leg.leg));
    if (leg.leg > 0) co_await sleep_for(1h);
    ctx.edit<Stays>([&](Stays& s) { s.booked.push_back(leg.leg); });
    co_return LegDoneEvent{leg.leg};
}
LegDoneEvent reply(Context&, ReplyEvent) { return {}; }
TripEndEvent arrive(Context&, std::vector<LegDoneEvent>) { return {}; }
struct UndoneEvent {
    int i = 0;
};
struct UndoneAllEvent {};
std::vector<UndoneEvent> undo_all(Context& ctx, RunEndingEvent, Desk& desk) {
    desk.seen.push_back("undo " + std::to_string(ctx.get<Stays>().booked.size()));
    return {{1}, {2}};
}
UndoneAllEvent undo_one(Context&, UndoneEvent e, Desk& desk) {
    desk.seen.push_back("undone " + std::to_string(e.i));
    return {};
}
std::optional<TripEndEvent> finish_undo(Context&, std::vector<UndoneAllEvent> all, Desk& desk) {
    desk.seen.push_back("undone all " + std::to_string(all.size()));
    return TripEndEvent{};
}
constexpr auto riding(bool has_quorum) {
    auto last = step<arrive>;
    if (has_quorum) last = last.first(2);
    return workflow("riding", step<spread>, step<ride>.workers(2), step<reply>, last, step<undo_all>, step<undo_one>,
                    step<finish_undo>);
}
}
TEST_CASE("an ending drops queued events, open questions and fan-outs, and the undo step's events go their own way") {
    for (const bool has_quorum : {false, true}) {
        CAPTURE(has_quorum);
        testing::ManualClock clock;
        TimedWorld w(clock);
        Desk desk;
        Names events;
        const auto bound = riding(has_quorum).with(desk);
        auto run = w.loop.start(bound, {.stays = 5});
        w.spawn(record(run, events));
        w.turn();
        run.cancel();
        run.send(ReplyEvent{});
        w.turn();
        CHECK(run.ended());
        CHECK(desk.seen == Names{"ride 0", "ride 1", "ride 2", "undo 1", "undone 1", "undone 2", "undone all 2"});
        CHECK(error_of(run) == "cancelled: the run was cancelled");
        CHECK(events == Names{"AskEvent", "RunEndingEvent", "UnhandledEvent", "RunCancelledEvent"});
    }
}
TEST_CASE("an idle run that is cancelled undoes") {
    testing::ManualClock clock;
    TimedWorld w(clock);
    Desk desk;
    auto run = w.loop.start(riding(false).with(desk), {.stays = 1});
    w.turn();
    CHECK(run.idle());
    run.cancel();
    w.turn();
    CHECK(desk.seen == Names{"ride 0", "undo 1", "undone 1", "undone 2", "undone all 2"});
}

// --- children ---
namespace {
struct CallEvent : StartEvent {};
struct CalledEvent : StopEvent {};
awaitable<CalledEvent> call(Context& ctx, CallEvent, Bound<std::remove_cvref_t<decltype(trip)>>& inner) {
    TripEvent start;
    co_await ctx.run(inner, std::move(start));
    co_return CalledEvent{};
}
void undo_call(Context&, RunEndingEvent, Desk& desk) { desk.seen.emplace_back("parent undoes"); }
inline constexpr auto caller = workflow("caller", step<call>, step<undo_call>);
inline constexpr auto simple_caller = workflow("simple_caller", step<call>);
}
TEST_CASE("a child undoes before its parent's undo step begins, and before a parent without one has ended") {
    testing::ManualClock clock;
    TimedWorld w(clock);
    for (const bool with_undo : {false, true}) {
        CAPTURE(with_undo);
        Desk desk;
        desk.undoing = [](unsigned) { return rest(5s); };
        auto inner = trip.with(desk);
        const auto test = [&](auto run) {
            w.turn();
            run.cancel();
            w.turn();
            CHECK(desk.seen == after(booked, {"cancelled: the run was cancelled"}));
            CHECK_FALSE(run.ended());
            clock.advance(5s);
            w.turn();
            CHECK(run.ended());
            CHECK(error_of(run) == "cancelled: the run was cancelled");
        };
        if (with_undo) test(w.loop.start(caller.with(inner, desk), {}));
        else test(w.loop.start(simple_caller.with(inner), {}));
        Names all = after(booked, {"cancelled: the run was cancelled", "undo 0", "undo 1"});
        if (with_undo) all.emplace_back("parent undoes");
        CHECK(desk.seen == all);
    }
}
TEST_CASE("a second cancellation of a parent ends the undoing of its child, too") {
    testing::ManualClock clock;
    TimedWorld w(clock);
    Desk desk;
    desk.undoing = [](unsigned) { return rest(5s); };
    auto inner = trip.with(desk);
    auto run = w.loop.start(caller.with(inner, desk), {});
    w.turn();
    run.cancel();
    w.turn();
    run.cancel();
    w.turn();
    CHECK(run.ended());
    CHECK(desk.seen == after(booked, {"cancelled: the run was cancelled"}));
}
