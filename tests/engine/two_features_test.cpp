// Pairs of features: retries, rescues, fan-outs, questions, timeouts and ends.
#include "engine/asio.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <boost/asio/post.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;
using Names = std::vector<std::string>;

namespace {
struct GoEvent : StartEvent {
    int n = 0;
};
struct EndEvent : StopEvent {
    int n = 0;
    std::vector<double> values;
};
struct PartEvent {
    int i = 0;
};
struct DoneEvent {
    int i = 0;
};
struct NoteEvent {
    std::string text;
};
std::runtime_error broken() { return std::runtime_error("broken"); }
std::vector<PartEvent> split(Context&, GoEvent e) {
    std::vector<PartEvent> all;
    for (int i = 0; i < e.n; ++i) all.push_back({i});
    return all;
}
EndEvent join(Context&, std::vector<DoneEvent> all) {
    EndEvent end;
    for (auto& d : all) end.values.push_back(d.i);
    return end;
}
}

// --- ends and streams ---
namespace {
awaitable<EndEvent> talk_on(Context& ctx, PartEvent e, bool& talked) {
    if (e.i == 0) {
        try {
            co_await sleep_for(1h);
        } catch (const std::exception&) {}
        ctx.stream(NoteEvent{"too late"});
        talked = true;
        co_return EndEvent{.n = 2};
    }
    co_await sleep_for(1s);
    ctx.stream(NoteEvent{"in time"});
    co_return EndEvent{.n = 1};
}
inline constexpr auto talking = workflow("talking", step<split>, step<talk_on>);
}
TEST_CASE("a later stop event does not count, and the stream has no event of the steps that the first one cancels") {
    testing::Recorder seen;
    bool talked = false;
    CHECK(testing::run(talking.with(talked), {.n = 2}, {.recorder = &seen}).n == 1);
    CHECK(talked);
    CHECK(seen.names() == Names{"NoteEvent", "EndEvent"});
    CHECK(seen.only<NoteEvent>().text == "in time");
}
TEST_CASE("the stream has no events that steps and children emit after a cancel or a timeout") {
    for (const bool by_timeout : {false, true}) {
        testing::ManualClock clock;
        Names seen;
        bool talked = false;
        World w(clock);
        auto run = w.loop.start(talking.with(talked), {.n = 1}, {.timeout = 1min});
        w.spawn(record(run, seen));
        w.turn();
        if (by_timeout) clock.advance(1min);
        else run.cancel();
        w.turn();
        CHECK(talked);
        CHECK(seen == Names{by_timeout ? "RunTimedOutEvent" : "RunCancelledEvent"});
    }
}
namespace {
std::vector<EndEvent> stop_often(Context&, GoEvent e) {
    std::vector<EndEvent> all;
    for (int i = 1; i <= e.n; ++i) all.push_back({.n = i});
    return all;
}
inline constexpr auto stopping = workflow("stopping", step<stop_often>);
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
std::vector<std::variant<PartEvent, AskEvent, EndEvent>> stop_and_ask(Context&, GoEvent) {
    return {AskEvent{}, EndEvent{.n = 1}, AskEvent{}, PartEvent{}, EndEvent{.n = 2}};
}
DoneEvent work(Context& ctx, PartEvent e) {
    ctx.stream(NoteEvent{"work"});
    return {e.i};
}
DoneEvent reply(Context&, ReplyEvent) { return {}; }
inline constexpr auto stop_within = workflow("stop_within", step<stop_and_ask>, step<work>, step<reply>, step<join>);
}
TEST_CASE("the first of several stop events in one list wins, and later elements are dropped") {
    CHECK(run(stopping, {.n = 3}).n == 1);
    testing::Recorder seen;
    CHECK(testing::run(stop_within, {}, {.recorder = &seen}).n == 1);
    CHECK(seen.names() == Names{"EndEvent"});  // the end precedes the question, which has no answer any more
}

// --- retries ---
namespace {
struct Trace {
    const Clock& clock;
    int fails = 0;  // this part, at its first attempt
    Clock::Time begin = clock.now();
    std::vector<std::pair<int, double>> at = {};  // the part and its time
    void note(int i) { at.emplace_back(i, std::chrono::duration<double>(clock.now() - begin).count()); }
};
DoneEvent fail_once(Context& ctx, PartEvent e, Trace& trace) {
    trace.note(e.i);
    if (e.i == trace.fails && ctx.attempt() == 1) throw broken();
    return {e.i};
}
inline constexpr auto lined_up = workflow(
    "lined_up", step<split>, step<fail_once>.workers(1).retry({.attempts = 2, .wait = fixed(10s)}), step<join>);
}
TEST_CASE("an attempt leaves its worker to the queue while it waits for a retry, and the collector waits for it") {
    testing::ManualClock clock;
    Trace trace{clock};
    CHECK(testing::run(lined_up.with(trace), {.n = 4}, {.clock = &clock}).values == std::vector<double>{0, 1, 2, 3});
    CHECK(trace.at == std::vector<std::pair<int, double>>{{0, 0}, {1, 0}, {2, 0}, {3, 0}, {0, 10}});
}
namespace {
awaitable<DoneEvent> slow_then(Context& ctx, PartEvent e, Trace& trace) {
    trace.note(e.i);
    if (e.i == trace.fails && ctx.attempt() == 1) throw broken();
    co_await sleep_for(4s);
    co_return DoneEvent{e.i};
}
awaitable<EndEvent> join_later(Context&, std::vector<DoneEvent> all) {
    co_await sleep_for(1min);  // lets all other waits in the queue end
    EndEvent end;
    for (auto& d : all) end.values.push_back(d.i);
    co_return end;
}
inline constexpr auto busy_line = workflow(
    "busy_line", step<split>, step<slow_then>.workers(1).retry({.attempts = 2, .wait = fixed(6s)}), step<join_later>);
}
TEST_CASE("an attempt due while its workers are busy waits at the end of the queue") {
    const auto trace_of = [](int fails) {
        testing::ManualClock clock;
        Trace trace{clock, fails};
        const auto end = testing::run(busy_line.with(trace), {.n = 5}, {.clock = &clock});
        CHECK(end.values == std::vector<double>{0, 1, 2, 3, 4});
        return trace.at;
    };
    using At = std::vector<std::pair<int, double>>;
    CHECK(trace_of(0) == At{{0, 0}, {1, 0}, {2, 4}, {3, 8}, {4, 12}, {0, 16}});
    CHECK(trace_of(1) == At{{0, 0}, {1, 4}, {2, 4}, {3, 8}, {4, 12}, {1, 16}});  // was earlier in the queue
    CHECK(trace_of(3) == At{{0, 0}, {1, 4}, {2, 8}, {3, 12}, {4, 12}, {3, 18}});
}
namespace {
bool cannot_tell(const std::exception_ptr&) { throw std::logic_error("the predicate"); }
EndEvent refuse(Context&, GoEvent) { throw broken(); }
inline constexpr auto undecided = workflow("undecided",
                                           step<refuse>.retry({.attempts = 5, .wait = fixed(1s), .when = cannot_tell}));
}
TEST_CASE("a throwing predicate means no retry, and the step fails with its own error") {
    testing::Recorder seen;
    CHECK_THROWS_WITH_AS(testing::run(undecided, {}, {.recorder = &seen}), "step refuse failed: broken", RunError);
    CHECK(seen.only<RunFailedEvent>().attempts == 1);
}
namespace {
DoneEvent always(Context&, PartEvent) { throw broken(); }
inline constexpr auto patient = workflow("patient", step<split>, step<always>.retry({.attempts = 9, .wait = fixed(1h)}),
                                         step<join>);
}
TEST_CASE("a run names exactly the steps that waited for their retry when it times out") {
    testing::Recorder seen;
    CHECK_THROWS_AS(testing::run(patient, {.n = 2}, {.recorder = &seen, .run = {.timeout = 30min}}), RunError);
    CHECK(seen.only<RunTimedOutEvent>().active_steps == Names{"always"});
}
namespace {
awaitable<DoneEvent> too_slow(Context&, PartEvent) {
    co_await sleep_for(1h);
    co_return DoneEvent{};
}
EndEvent tell_elapsed(Context&, StepFailedEvent e) { return {{}, int(e.attempts), {e.elapsed}}; }
inline constexpr auto retried = workflow("retried", step<split>, step<always>.retry({.attempts = 3, .wait = fixed(2s)}),
                                         step<tell_elapsed>, step<join>);
inline constexpr auto slow_and_retried = workflow("slow_and_retried", step<split>,
                                                  step<too_slow>.timeout(3s).retry({.attempts = 3, .wait = fixed(2s)}),
                                                  step<tell_elapsed>, step<join>);
inline constexpr auto untimed = workflow("untimed", step<split>, step<always>, step<tell_elapsed>, step<join>);
}
TEST_CASE("a failure has the time since its first attempt began, waits included; none for steps without a policy") {
    auto end = testing::run(retried, {.n = 1});
    CHECK(end.n == 3);
    CHECK(end.values == std::vector{4.0});
    end = testing::run(slow_and_retried, {.n = 1});
    CHECK(end.n == 3);
    CHECK(end.values == std::vector{13.0});
    CHECK(testing::run(untimed, {.n = 1}).values == std::vector{0.0});
}

// --- several steps for one event ---
namespace {
awaitable<DoneEvent> whole(Context&, PartEvent e) {
    co_await sleep_for(std::chrono::seconds(10 - e.i));  // later branches end first
    co_return DoneEvent{e.i};
}
awaitable<DoneEvent> half(Context&, PartEvent e) {
    co_await sleep_for(std::chrono::seconds(10 - e.i) + 1ms);
    co_return DoneEvent{-e.i};
}
inline constexpr auto in_pairs = workflow("in_pairs", step<split>, step<whole>.workers(9), step<half>.workers(9),
                                          step<join>);
}
TEST_CASE("a collector gets events that several steps make of one branch in their place and order") {
    CHECK(testing::run(in_pairs, {.n = 4}).values == std::vector<double>{0, 0, 1, -1, 2, -2, 3, -3});
}

// --- rescues ---
namespace {
struct Rescues {
    int n = 0;
    std::vector<std::string> of;
};
DoneEvent rescue(Context&, StepFailedEvent e, Rescues& r) {
    r.of.push_back(e.step);
    return {-1};
}
EndEvent fail_to_join(Context&, std::vector<DoneEvent>) { throw broken(); }
inline constexpr auto rescued_then_joined = workflow("rescued_then_joined", step<split>, step<always>, step<rescue>,
                                                     step<fail_to_join>);
std::variant<PartEvent, DoneEvent> either(Context&, GoEvent e) {
    if (e.n) return PartEvent{};
    return DoneEvent{};
}
inline constexpr auto rescued_alone = workflow("rescued_alone", step<either>, step<always>, step<rescue>,
                                               step<fail_to_join>);
}
TEST_CASE("a collection of rescued events counts as rescued: its collector's failure is not rescued again") {
    for (const int n : {1, 3}) {
        Rescues r;
        CHECK_THROWS_WITH_AS(testing::run(rescued_then_joined.with(r), {.n = n}), "step fail_to_join failed: broken",
                             RunError);
        CHECK(r.of == Names(std::size_t(n), "always"));
    }
    Rescues alone;  // outside of any fan-out
    CHECK_THROWS_AS(testing::run(rescued_alone.with(alone), {.n = 1}), RunError);
    CHECK(alone.of == Names{"always"});
}
namespace {
AskEvent ask_instead(Context&, StepFailedEvent e, Rescues& r) {
    r.of.push_back(e.step);
    return {};
}
EndEvent fail_to_reply(Context&, ReplyEvent) { throw broken(); }
EndEvent fail_first(Context&, GoEvent) { throw broken(); }
inline constexpr auto rescued_then_asked = workflow("rescued_then_asked", step<fail_first>, step<ask_instead>,
                                                    step<fail_to_reply>);
}
TEST_CASE("an answer counts the rescues of its question: its events are not rescued again") {
    Rescues r;
    const auto answer = testing::answer<AskEvent>([](const AskEvent&) { return ReplyEvent{}; });
    CHECK_THROWS_WITH_AS(testing::run(rescued_then_asked.with(r), {}, {}, answer), "step fail_to_reply failed: broken",
                         RunError);
    CHECK(r.of == Names{"fail_first"});
}
namespace {
EndEvent clumsy(Context&, StepFailedEvent, Rescues& r) {
    ++r.n;
    throw std::runtime_error("clumsy");
}
inline constexpr auto clumsily = workflow("clumsily", step<fail_first>, step<clumsy>.recoveries(3));
}
TEST_CASE("a handler is never given its own failure, however many rescues are left") {
    Rescues r;
    CHECK_THROWS_WITH_AS(testing::run(clumsily.with(r), {}), "step clumsy failed: clumsy", RunError);
    CHECK(r.n == 1);
}

// --- cancelling ---
namespace {
struct Told {
    bool second = false;
    int aborted = 0, on = 0;
};
awaitable<EndEvent> hard_to_cancel(Context&, GoEvent, Told& told) {
    auto& executor = co_await this_executor();
    co_await asio::post(executor, asio::deferred);
    told.second = true;
    co_await asio::post(executor, asio::deferred);  // cannot be cancelled: completes although its run was cancelled
    ++told.on;
    for (;;) {
        try {
            co_await sleep_for(1s);
        } catch (const boost::system::system_error& e) { told.aborted += e.code() == asio::error::operation_aborted; }
    }
}
inline constexpr auto stubborn = workflow("stubborn", step<hard_to_cancel>);
}
TEST_CASE("work that ends despite its cancellation continues, and throws once, at its next wait") {
    testing::ManualClock clock;
    World w(clock);
    Told told;
    auto run = w.loop.start(stubborn.with(told), {});
    w.io.run_one();  // the step begins, and waits for the first post
    run.cancel();    // between the first post and the second
    w.turn();
    CHECK(told.second);
    CHECK(told.on == 1);
    CHECK(told.aborted == 1);
    CHECK(run.ended());
    CHECK(!clock.jump());
}
