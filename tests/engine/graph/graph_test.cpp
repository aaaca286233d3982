// Names, and drawings with them.
#include "engine/graph.hpp"
#include "engine/run.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;

namespace shop {
struct Hit {};
template <class T> struct Box {};
}
namespace {
template <class T> struct Scored {};
template <class T> struct Ranked {};
struct Anonymous {
    struct Inner {};
};

struct TopicEvent : StartEvent {
    int n = 2;
};
struct SearchEvent {};
struct HitEvent {};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
struct ReportEvent : StopEvent {};
std::vector<SearchEvent> plan(Context&, TopicEvent t) { return std::vector<SearchEvent>(std::size_t(t.n)); }
HitEvent search(Context&, SearchEvent, int& engine) {
    ++engine;
    return {};
}
AskEvent review(Context&, std::vector<HitEvent>) { return {}; }
ReportEvent report(Context&, ReplyEvent) { return {}; }
inline constexpr auto research = workflow("research", step<plan>, step<search>, step<review>, step<report>);
}

TEST_CASE("names have no namespaces, also within templates") {
    struct Local {};
    CHECK(core::type_name<shop::Hit> == "Hit");
    CHECK(core::type_name<Scored<shop::Hit>> == "Scored<Hit>");
    CHECK(core::type_name<Ranked<shop::Hit>> == "Ranked<Hit>");
    CHECK(core::type_name<shop::Box<int[3]>> == "Box<int[3]>");
    CHECK(core::type_name<Anonymous::Inner> == "Inner");
    CHECK(core::type_name<Local> == "Local");
    CHECK(core::function_name<plan> == "plan");
}
TEST_CASE("a declaration is drawn without its resources: every step, every event, every arrow") {
    const auto g = graph_of(research);
    CHECK(g.nodes.size() == 10);
    CHECK(g.arrows.size() == 9);  // eight of the steps, and one from the question to its answer
    const auto text = mermaid(g);
    for (auto name : {"plan", "search", "review", "report", "TopicEvent", "HitEvent", "AskEvent", "ReplyEvent"})
        CHECK(text.find(std::string("\"") + name + "\"") != text.npos);
    CHECK(text.starts_with("flowchart TD\n"));
    CHECK(text.find("==>|many|") != text.npos);
    CHECK(text.find("-.->") != text.npos);
    CHECK(dot(g).find("digraph \"research\"") == 0);
    CHECK(graph_json(g).find("\"kind\": \"question\"") != std::string::npos);
}
TEST_CASE("a drawing of a run numbers its steps in the order in which they ran") {
    World w;
    int engine = 0;
    Trail trail;
    auto run = w.loop.start(research.with(engine), {.n = 2}, {.observer = &trail});
    w.io.run();
    run.send(ReplyEvent{});
    w.turn();
    REQUIRE(run.ended());
    CHECK(trail.steps() == StepTrail{"plan", "search", "search", "review", "report"});
    const auto text = mermaid(graph_of(research, trail.steps()));
    CHECK(text.find("\"2, 3: search\"") != text.npos);
    CHECK(text.find("\"5: report\"") != text.npos);
}
