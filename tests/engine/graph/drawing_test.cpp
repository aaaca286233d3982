// Drawings, letter by letter: a declaration with every kind of node, and graphs with hostile names.
#include "engine/graph.hpp"
#include "engine/run.hpp"
#include <algorithm>
#include <doctest/doctest.h>
using namespace weft;

namespace {
struct GoEvent : StartEvent {};
struct PartEvent {};
struct DoneEvent {};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
struct OpenEvent : InputRequiredEvent {};
struct RemarkEvent : HumanResponseEvent {};
struct EndEvent : StopEvent {};
std::vector<PartEvent> split(Context&, GoEvent) { return {}; }
DoneEvent work(Context&, PartEvent) { return {}; }
std::variant<AskEvent, OpenEvent> join(Context&, std::vector<DoneEvent>) { return AskEvent{}; }
EndEvent reply(Context&, ReplyEvent) { return {}; }
EndEvent remark(Context&, RemarkEvent) { return {}; }
inline constexpr auto all_kinds = workflow("all_kinds", step<split>, step<work>, step<join>, step<reply>, step<remark>);

/// Returns the arrows between names, one per line, in order.
std::string arrows(const Graph& g) {
    std::string text;
    for (auto& a : g.arrows) text += g.nodes[a.from].name + (a.many ? " => " : " -> ") + g.nodes[a.to].name + "\n";
    return text;
}
const Graph small{.name = "a \"b\" \\c",
                  .nodes = {{"Go<\"x\">&", Graph::Kind::start, {}},
                            {"work", Graph::Kind::step, {1, 3}},
                            {"Ask", Graph::Kind::question, {}},
                            {"Reply", Graph::Kind::answer, {}},
                            {"idle", Graph::Kind::step, {}},
                            {"Part", Graph::Kind::event, {}},
                            {"End", Graph::Kind::stop, {}}},
                  .arrows = {{0, 1, false}, {1, 2, false}, {2, 3, false}, {3, 4, false}, {1, 5, true}, {2, 1, true}}};
}

TEST_CASE("a graph has each event and step once, of its kind, and an arrow for each use") {
    using Kind = Graph::Kind;
    const auto g = graph_of(all_kinds);
    CHECK(g.name == "all_kinds");
    std::vector<std::pair<std::string, Kind>> nodes;
    for (auto& n : g.nodes) nodes.emplace_back(n.name, n.kind);
    for (const auto& node : std::vector<std::pair<std::string, Kind>>{{"GoEvent", Kind::start},
                                                                      {"PartEvent", Kind::event},
                                                                      {"DoneEvent", Kind::event},
                                                                      {"AskEvent", Kind::question},
                                                                      {"ReplyEvent", Kind::answer},
                                                                      {"OpenEvent", Kind::question},
                                                                      {"RemarkEvent", Kind::answer},
                                                                      {"EndEvent", Kind::stop},
                                                                      {"split", Kind::step},
                                                                      {"work", Kind::step},
                                                                      {"join", Kind::step},
                                                                      {"reply", Kind::step},
                                                                      {"remark", Kind::step}}) {
        CAPTURE(node.first);
        CHECK(std::count(nodes.begin(), nodes.end(), node) == 1);
    }
    CHECK(nodes.size() == 13);
    auto text = arrows(g);
    CHECK(std::count(text.begin(), text.end(), '\n') == 13);
    for (const char* arrow : {"GoEvent -> split\n", "split => PartEvent\n", "PartEvent -> work\n",
                              "work -> DoneEvent\n", "DoneEvent => join\n", "join -> AskEvent\n", "join -> OpenEvent\n",
                              "ReplyEvent -> reply\n", "reply -> EndEvent\n", "RemarkEvent -> remark\n",
                              "remark -> EndEvent\n", "AskEvent -> ReplyEvent\n", "OpenEvent -> RemarkEvent\n"}) {
        CAPTURE(arrow);
        CHECK(text.find(arrow) != text.npos);
    }
}
TEST_CASE("steps of a trail are numbered from 1, and steps of another workflow are left out") {
    const auto g = graph_of(all_kinds, {"split", "work", "elsewhere", "work", "join"});
    for (auto& n : g.nodes) {
        const auto expected = n.name == "split"  ? std::vector<std::uint64_t>{1}
                              : n.name == "work" ? std::vector<std::uint64_t>{2, 4}
                              : n.name == "join" ? std::vector<std::uint64_t>{5}
                                                 : std::vector<std::uint64_t>{};
        CHECK(n.ran == expected);
    }
}
TEST_CASE("a Mermaid drawing has the expected text, letter by letter") {
    CHECK(mermaid(small) == R"(flowchart TD
    n0(["Go&lt;&quot;x&quot;&gt;&amp;"]):::start
    n1["1, 3: work"]:::step_ran
    n2(["Ask"]):::question
    n3(["Reply"]):::answer
    n4["idle"]:::step
    n5(["Part"]):::event
    n6(["End"]):::stop
    n0 --> n1
    n1 --> n2
    n2 -.-> n3
    n3 --> n4
    n1 ==>|many| n5
    n2 ==>|many| n1
    classDef step fill:#dbe9f6,stroke:#3b6ea5,color:#123
    classDef step_ran fill:#3b6ea5,stroke:#123,color:#fff
    classDef start fill:#d9f2e0,stroke:#2e7d4f,color:#123
    classDef stop fill:#f6dada,stroke:#a53b3b,color:#123
    classDef event fill:#f5f5f0,stroke:#888,color:#123
    classDef question fill:#fdf0cf,stroke:#b58a1b,color:#123
    classDef answer fill:#fdf0cf,stroke:#b58a1b,color:#123
)");
}
TEST_CASE("a DOT drawing has the expected text, letter by letter") {
    CHECK(dot(small) == R"(digraph "a \"b\" \\c" {
    node [fontname="sans-serif"]
    n0 [label="Go<\"x\">&", shape=box, style=rounded, peripheries=2]
    n1 [label="1, 3: work", shape=box, penwidth=2]
    n2 [label="Ask", shape=box, style=rounded]
    n3 [label="Reply", shape=box, style=rounded]
    n4 [label="idle", shape=box]
    n5 [label="Part", shape=box, style=rounded]
    n6 [label="End", shape=box, style=rounded, peripheries=2]
    n0 -> n1
    n1 -> n2
    n2 -> n3 [style=dashed]
    n3 -> n4
    n1 -> n5 [style=bold, label="many"]
    n2 -> n1 [style=bold, label="many"]
}
)");
}
TEST_CASE("a JSON drawing has the expected text, letter by letter") {
    CHECK(graph_json(small) == R"({"name": "a \"b\" \\c",
 "nodes": [
  {"id": 0, "name": "Go<\"x\">&", "kind": "start"},
  {"id": 1, "name": "work", "kind": "step", "ran": [1, 3]},
  {"id": 2, "name": "Ask", "kind": "question"},
  {"id": 3, "name": "Reply", "kind": "answer"},
  {"id": 4, "name": "idle", "kind": "step"},
  {"id": 5, "name": "Part", "kind": "event"},
  {"id": 6, "name": "End", "kind": "stop"}
 ],
 "edges": [
  {"from": 0, "to": 1, "many": false},
  {"from": 1, "to": 2, "many": false},
  {"from": 2, "to": 3, "many": false},
  {"from": 3, "to": 4, "many": false},
  {"from": 1, "to": 5, "many": true},
  {"from": 2, "to": 1, "many": true}
 ]}
)");
}
TEST_CASE("a drawing shows the first twelve numbers and the last one of a step with many attempts") {
    const auto label = [](std::uint64_t times) {
        Graph g{.name = "g", .nodes = {{"work", Graph::Kind::step, {}}}, .arrows = {}};
        for (std::uint64_t i = 1; i <= times; ++i) g.nodes[0].ran.push_back(i * 2);
        const auto text = dot(g);
        const auto begin = text.find("label=\"") + 7;
        return text.substr(begin, text.find('"', begin) - begin);
    };
    CHECK(label(12) == "2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24: work");
    CHECK(label(13) == "2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, ... 26: work");
    CHECK(label(99) == "2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, ... 198: work");
}
