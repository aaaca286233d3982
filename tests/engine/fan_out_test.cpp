// Fan-outs and their declared collectors, through answers, alternatives and inner fan-outs.
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;

namespace {
struct GoEvent : StartEvent {
    int n = 0;
};
struct ItemEvent {
    int i = 0;
};
struct AskEvent : InputRequiredEvent {
    int i = 0;
};
struct ReplyEvent : Answers<AskEvent> {
    int value = 0;
};
struct DoneEvent {
    int value = 0;
};
struct EndEvent : StopEvent {
    std::vector<int> values;
};

std::vector<ItemEvent> spread(Context&, GoEvent e) {
    std::vector<ItemEvent> items;
    for (int i = 0; i < e.n; ++i) items.push_back({i});
    return items;
}
AskEvent ask(Context&, ItemEvent e) { return {{}, e.i}; }
DoneEvent reply(Context&, ReplyEvent e) { return {e.value}; }
EndEvent join(Context&, std::vector<DoneEvent> all) {
    EndEvent end;
    for (auto& d : all) end.values.push_back(d.value);
    return end;
}
inline constexpr auto survey = workflow("survey", step<spread>, step<ask>, step<reply>, step<join>);

std::vector<AskEvent> ask_all(Context&, GoEvent e) { return std::vector<AskEvent>(std::size_t(e.n)); }
EndEvent join_replies(Context&, std::vector<ReplyEvent> all) {
    EndEvent end;
    for (auto& d : all) end.values.push_back(d.value);
    return end;
}
inline constexpr auto ballot = workflow("ballot", step<ask_all>, step<join_replies>);
}

TEST_CASE("a fan-out waits for all of its humans when its collector is reached through answers") {
    World w;
    auto run = w.loop.start(survey, {.n = 2});
    w.io.run();
    CHECK(run.idle());
    run.send(ReplyEvent{.value = 10});
    run.send(ReplyEvent{.value = 20});
    w.turn();
    CHECK(run.outcome().values == std::vector{10, 20});

    auto none = w.loop.start(survey, {.n = 0});
    w.turn();
    CHECK(none.outcome().values.empty());
}
TEST_CASE("a collector gets the answers of branches that are questions, in the order of the questions") {
    World w;
    auto run = w.loop.start(ballot, {.n = 3});
    std::vector<QuestionId> asked;
    w.spawn([](auto run, auto& asked) -> awaitable<void> {
        while (auto event = co_await run.next_event())
            if (event->question() != QuestionId::none) asked.push_back(event->question());
    }(run, asked));
    w.turn();
    REQUIRE(asked.size() == 3);
    run.send(ReplyEvent{.value = 3}, asked[2]);
    run.send(ReplyEvent{.value = 1}, asked[0]);
    run.send(ReplyEvent{.value = 9}, asked[0]);  // the question is already answered
    w.turn();
    CHECK(!run.ended());
    run.send(ReplyEvent{.value = 2}, asked[1]);
    w.turn();
    CHECK(run.outcome().values == std::vector{1, 2, 3});
}

namespace {
struct LeftEvent {
    int i = 0;
};
struct RightEvent {
    int i = 0;
};
struct LeftDoneEvent {};
struct RightDoneEvent {};
struct WayEvent : StopEvent {
    std::string way;
    std::size_t n = 0;
};
std::variant<std::vector<LeftEvent>, std::vector<RightEvent>> choose(Context&, GoEvent e) {
    if (e.n < 0) return std::vector<LeftEvent>(std::size_t(-e.n));
    return std::vector<RightEvent>(std::size_t(e.n));
}
LeftDoneEvent left(Context&, LeftEvent) { return {}; }
RightDoneEvent right(Context&, RightEvent) { return {}; }
WayEvent join_left(Context&, std::vector<LeftDoneEvent> all) { return {{}, "left", all.size()}; }
WayEvent join_right(Context&, std::vector<RightDoneEvent> all) { return {{}, "right", all.size()}; }
inline constexpr auto crossing = workflow("crossing", step<choose>, step<left>, step<right>, step<join_left>,
                                          step<join_right>);
}
TEST_CASE("only the collectors of the alternative that was returned run") {
    for (int n : {2, -3, 0}) {
        auto end = run(crossing, {.n = n});
        CHECK(end.way == (n < 0 ? "left" : "right"));
        CHECK(end.n == std::size_t(std::abs(n)));
    }
}

namespace {
struct XEvent {};
struct YEvent {};
struct ZEvent {};
struct SumEvent {
    int n = 0;
};
struct TotalEvent : StopEvent {
    int n = 0;
};
std::vector<XEvent> make_x(Context&, GoEvent e) { return std::vector<XEvent>(std::size_t(e.n)); }
std::vector<YEvent> make_y(Context&, XEvent) { return std::vector<YEvent>(2); }
std::vector<ZEvent> make_z(Context&, std::vector<YEvent> all) { return std::vector<ZEvent>(all.size() * 3); }
SumEvent sum(Context&, std::vector<ZEvent> all) { return {int(all.size())}; }
TotalEvent total(Context&, std::vector<SumEvent> all) {
    TotalEvent t;
    for (auto& s : all) t.n += s.n;
    return t;
}
inline constexpr auto tower = workflow("tower", step<make_x>, step<make_y>, step<make_z>, step<sum>, step<total>);
}
TEST_CASE("a fan-out emitted by a collector reaches the outer collector") {
    CHECK(run(tower, {.n = 4}).n == 24);
    CHECK(run(tower, {.n = 0}).n == 0);
}

namespace {
struct DeepEvent {
    int depth = 0;
};
struct LeafEvent {};
struct BottomEvent : StopEvent {
    std::size_t leaves = 0;
};
DeepEvent dive(Context&, GoEvent e) { return {e.n}; }
std::variant<std::vector<DeepEvent>, std::vector<LeafEvent>> fall(Context&, DeepEvent e) {
    if (e.depth == 0) return std::vector<LeafEvent>{};
    return std::vector<DeepEvent>{{e.depth - 1}};
}
BottomEvent land(Context&, std::vector<LeafEvent> all) { return {{}, all.size()}; }
inline constexpr auto shaft = workflow("shaft", step<dive>, step<fall>, step<land>);
}
TEST_CASE("a million nested fan-outs unwind on a flat stack") { CHECK(run(shaft, {.n = 1'000'000}).leaves == 0); }

namespace {
struct CallEvent {
    std::string name;
};
struct AnswerEvent : StopEvent {
    std::string text;
};
struct PrepEvent {};
std::variant<std::vector<CallEvent>, PrepEvent, AnswerEvent> decide(Context& ctx, PrepEvent) {
    int turn = 0;
    ctx.edit<Tally>([&](auto& t) { turn = t.n++; });
    if (turn == 0) return PrepEvent{};
    if (turn == 1) return std::vector<CallEvent>{{"a"}, {"b"}};
    return AnswerEvent{.text = "after " + std::to_string(turn)};
}
struct ResultEvent {
    std::string name;
};
ResultEvent call(Context&, CallEvent e) { return {e.name + "!"}; }
PrepEvent observe(Context& ctx, std::vector<ResultEvent> all) {
    ctx.edit<Tally>([&](auto& t) { t.n += int(all.size()); });
    return {};
}
PrepEvent begin(Context&, GoEvent) { return {}; }
inline constexpr auto agent = workflow("agent", step<begin>, step<decide>, step<call>, step<observe>);
}
TEST_CASE("one variant expresses alternatives, a fan-out and a loop: all decisions of an agent's turn") {
    CHECK(run(agent, {}).text == "after 4");
}
namespace {
DoneEvent one(Context&, GoEvent e) { return {e.n}; }
inline constexpr auto single = workflow("single", step<one>, step<join>);
}
TEST_CASE("an event for a collector outside of any fan-out is collected alone") {
    CHECK(run(single, {.n = 7}).values == std::vector{7});
}

namespace {
struct RoundEvent {
    int left = 0;
};
RoundEvent first_round(Context&, GoEvent e) { return {e.n}; }
std::variant<std::vector<ItemEvent>, EndEvent> next_round(Context& ctx, RoundEvent e) {
    ctx.edit<Tally>([&](auto& t) { t.n = e.left; });
    if (e.left == 0) return EndEvent{};
    return std::vector<ItemEvent>{{0}, {1}, {2}};
}
std::optional<DoneEvent> work(Context&, ItemEvent e) {
    if (e.i == 1) return std::nullopt;
    return DoneEvent{e.i};
}
AskEvent ask_on(Context&, std::vector<DoneEvent>) { return {}; }
RoundEvent go_on(Context& ctx, ReplyEvent) { return {ctx.get<Tally>().n - 1}; }
inline constexpr auto rounds = workflow("rounds", step<first_round>, step<next_round>, step<work>, step<ask_on>,
                                        step<go_on>);
}
TEST_CASE("a run does not grow when it fans out, collects and asks a thousand times") {
    World w;
    auto run = w.loop.start(rounds, {.n = 1000});
    w.turn();
    const auto tokens = core::PrivateAccess::run_of(run).state.tokens.size();
    const auto groups = core::PrivateAccess::run_of(run).state.groups.size();
    for (int i = 0; i < 1000; ++i) {
        REQUIRE(run.idle());
        run.send(ReplyEvent{});
        w.turn();
    }
    REQUIRE(run.ended());
    CHECK(core::PrivateAccess::run_of(run).state.tokens.size() == tokens);
    CHECK(core::PrivateAccess::run_of(run).state.groups.size() == groups);
}
