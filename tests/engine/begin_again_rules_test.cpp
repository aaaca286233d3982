// A run begins again only when nothing else of it is at work or open; the step that tries fails with the culprit.
#include "engine/durable.hpp"
#include "engine/run.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include <doctest/doctest.h>
#include <set>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct TurnEvent : StartEvent {
    int n = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(TurnEvent, (), (n, text))
struct OtherTurnEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(OtherTurnEvent, (), ())
struct LeftEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(LeftEvent, (), (n))
struct RightEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(RightEvent, (), (n))
struct WhetherEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(WhetherEvent, (), ())
struct YesEvent : Answers<WhetherEvent> {};
BOOST_DESCRIBE_STRUCT(YesEvent, (), ())
struct TurnedEvent : StopEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(TurnedEvent, (), (n))

TurnEvent turn(int n, std::string text = {}) {
    TurnEvent event;
    event.n = n;
    event.text = std::move(text);
    return event;
}
template <auto& workflow> std::string refusal(const std::string& sentence, TurnEvent event = {}) {
    for (const bool is_stored : {false, true}) {
        CAPTURE(is_stored);
        const Bound<std::remove_cvref_t<decltype(workflow)>> bound(workflow);
        MemoryStore store;
        try {
            is_stored ? testing::run(durable<>(bound), event, {.store = &store}) : testing::run(bound, event);
            FAIL("it was not refused");
        } catch (const RunError& error) { CHECK(std::string(error.what()).find(sentence) != std::string::npos); }
    }
    return sentence;
}

std::variant<LeftEvent, RightEvent> one_of(int n) {
    if (n) return LeftEvent{n};
    return RightEvent{n};
}
std::vector<std::variant<LeftEvent, RightEvent>> split(Context&, TurnEvent) { return {one_of(1), one_of(0)}; }
std::optional<TurnedEvent> again(Context& ctx, LeftEvent) {
    ctx.begin_again(turn(1));
    return {};
}
awaitable<void> linger(Context&, RightEvent) { co_await sleep_for(1h); }
inline constexpr auto lingering = workflow("lingering", step<split>, step<linger>, step<again>);
std::vector<std::variant<LeftEvent, WhetherEvent>> wonder(Context&, TurnEvent) {
    std::vector<std::variant<LeftEvent, WhetherEvent>> all;
    all.emplace_back(WhetherEvent{});
    all.emplace_back(LeftEvent{});
    return all;
}
void hear(Context&, YesEvent) {}
inline constexpr auto wondering = workflow("wondering", step<wonder>, step<hear>, step<again>);
std::optional<TurnedEvent> stray(Context& ctx, TurnEvent) {
    ctx.begin_again(OtherTurnEvent{});
    return {};
}
inline constexpr auto straying = workflow("straying", step<stray>);
std::optional<TurnedEvent> circle(Context& ctx, TurnEvent event) {
    if (event.n == 3) return TurnedEvent{.n = event.n};
    ctx.begin_again(turn(event.n + 1));
    return TurnedEvent{.n = -1};
}
inline constexpr auto circling = workflow("circling", step<circle>);
awaitable<TurnedEvent> delegate(Context& ctx, TurnEvent event) {
    co_return co_await ctx.run(durable<>(circling), std::move(event));
}
inline constexpr auto delegating = workflow("delegating", step<delegate>);
std::optional<TurnedEvent> mumble(Context& ctx, TurnEvent event) {
    ctx.begin_again(turn(1, event.n ? "" : "\xff"));
    if (event.n) return TurnedEvent{};
    return {};
}
inline constexpr auto mumbling = workflow("mumbling", step<mumble>);

// A question in each round, and parts of a join that never meet.
std::variant<WhetherEvent, TurnedEvent> ask(Context&, TurnEvent event) {
    if (event.n == 2) return TurnedEvent{.n = event.n};
    return WhetherEvent{};
}
std::variant<LeftEvent, RightEvent> take(Context& ctx, YesEvent) {
    ctx.begin_again(turn(1));
    return LeftEvent{};
}
void meet(Context&, LeftEvent, RightEvent) {}
inline constexpr auto asking = workflow("asking", step<ask>, step<take>, step<meet>);
}

TEST_CASE("a run does not begin again while another step is at work") {
    refusal<lingering>("step again cannot begin its run again with TurnEvent: step linger is still at work");
}
TEST_CASE("a run does not begin again while a question is open") {
    refusal<wondering>("step again cannot begin its run again with TurnEvent: the question WhetherEvent is open");
}
TEST_CASE("a run does not begin again with the start event of another workflow") {
    refusal<straying>("step stray cannot begin its run again with OtherTurnEvent: the workflow straying begins with "
                      "another event");
}
TEST_CASE("a child run does not begin again") {
    refusal<delegating>("step circle cannot begin its run again with TurnEvent: it is a child run: let its caller run "
                        "it again");
}
TEST_CASE("a stop event does not end the run of a step that has begun it again") {
    CHECK(testing::run(circling, {}).n == 3);
}
TEST_CASE("a stored run fails without a change of its journal when the next start event has no JSON form") {
    MemoryStore store;
    const Bound<std::remove_cvref_t<decltype(mumbling)>> bound(mumbling);
    CHECK_THROWS_AS(testing::run(durable<>(bound), {}, {.store = &store, .run = {.id = "m"}}), RunError);
    store.load(
        "m",
        [](std::exception_ptr, storage::History history) {
            CHECK(history.ticks.size() == 2);
            CHECK(history.run.status == RunStatus::failed);
        },
        0);
}
TEST_CASE("an answer to a question of an earlier round answers no question of a later one") {
    for (const bool is_stored : {false, true}) {
        CAPTURE(is_stored);
        const Bound<std::remove_cvref_t<decltype(asking)>> bound(asking);
        MemoryStore store;
        testing::Recorder seen;
        std::vector<QuestionId> questions;
        const auto answer = [&](auto& run, const AnyEvent& event) {
            if (!event.get_if<WhetherEvent>()) return;
            for (auto earlier : questions) run.send(YesEvent{}, earlier);
            questions.push_back(event.question());
            if (questions.size() < 3) run.send(YesEvent{}, event.question());
            else run.cancel();
        };
        const testing::Setup setup{.recorder = &seen, .store = &store};
        const auto run = [&] {
            is_stored ? testing::run(durable<>(bound), {}, setup, answer) : testing::run(bound, {}, setup, answer);
        };
        CHECK_THROWS_AS(run(), RunError);
        CHECK(questions.size() == 3);
        CHECK(std::set<QuestionId>(questions.begin(), questions.end()).size() == 3);
        CHECK(seen.count<UnhandledEvent>() == 3);
    }
}
