// Writes one graph in three notations.
#include "engine/graph.hpp"
#include <algorithm>
#include <map>

namespace weft {
namespace {
using Kind = Graph::Kind;

Kind kind_of(const Definition& d, std::size_t type) {
    const core::EventPlan& plan = d.plan.events[type];
    if (plan.role == core::EventRole::stop) return Kind::stop;
    if (plan.role == core::EventRole::request) return Kind::question;
    if (plan.answers == core::signals) return Kind::signal;
    if (plan.answers != core::no_type) return Kind::answer;
    return d.events[type].is_start ? Kind::start : Kind::event;
}
std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}
// Mermaid accepts its own special characters only as entities.
std::string mermaid_text(std::string_view text) {
    std::string out;
    for (char c : text) switch (c) {
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '&': out += "&amp;"; break;
        default: out += c;
        }
    return out;
}
std::string label(const Graph::Node& node) {
    std::string text;
    for (std::size_t i = 0; i < node.ran.size() && i < 12; ++i) {
        if (i) text += ", ";
        text += std::to_string(node.ran[i]);
    }
    if (node.ran.size() > 12) text += ", ... " + std::to_string(node.ran.back());
    return text.empty() ? node.name : text + ": " + node.name;
}
std::string arrow_text(const Graph::Arrow& a) {
    if (a.first) return "first " + std::to_string(a.first);
    return a.many ? "many" : a.joins ? "and" : a.fails ? "fails" : "";
}
bool is_dashed(const Graph& g, const Graph::Arrow& a) {  // leaves the workflow, or is a failure
    return a.fails || (g.nodes[a.from].kind == Kind::question && g.nodes[a.to].kind != Kind::step);
}
std::string kind_name(Kind kind) {
    constexpr const char* names[] = {"step", "start", "stop", "event", "question", "answer", "signal"};
    return names[std::size_t(kind)];
}
}

Graph graph_of(const Definition& d, const StepTrail& trail) {
    Graph g{.name = std::string(d.name), .nodes = {}, .arrows = {}};
    std::map<std::string_view, std::size_t> events, steps;
    for (std::size_t e = 0; e < d.events.size(); ++e) {
        events[d.events[e].name] = g.nodes.size();
        g.nodes.push_back({std::string(d.events[e].name), kind_of(d, e), {}});
    }
    for (auto& edge : d.edges)
        if (steps.try_emplace(edge.step, g.nodes.size()).second)
            g.nodes.push_back({std::string(edge.step), Kind::step, {}});
    for (auto& edge : d.edges) {
        const auto step = steps[edge.step], event = events[edge.event];
        if (edge.emits) g.arrows.push_back({.from = step, .to = event, .many = edge.many, .fails = edge.fails});
        else g.arrows.push_back({event, step, edge.many, edge.joins, false, edge.first});
    }
    // A question is answered outside of the workflow: draws an arrow from the question to its answers.
    for (std::size_t a = 0; a < d.events.size(); ++a)
        for (std::size_t q = 0; q < d.events.size(); ++q) {
            const auto answers = d.plan.events[a].answers;
            const bool any = answers == core::any_question && d.plan.events[q].role == core::EventRole::request &&
                             !d.plan.events[q].paired;
            if (answers == q || any) g.arrows.push_back({q, a, false});
        }
    for (std::size_t i = 0; i < trail.size(); ++i)
        if (auto s = steps.find(trail[i]); s != steps.end()) g.nodes[s->second].ran.push_back(i + 1);
    return g;
}
std::string mermaid(const Graph& g) {
    std::string out = "flowchart TD\n";
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const auto& n = g.nodes[i];
        const bool step = n.kind == Kind::step;
        out += "    n" + std::to_string(i) + (step ? "[\"" : "([\"") + mermaid_text(label(n)) + (step ? "\"]" : "\"])");
        out += ":::" + kind_name(n.kind) + (n.ran.empty() ? "" : "_ran") + "\n";
    }
    for (auto& a : g.arrows) {
        const auto text = arrow_text(a);
        out += "    n" + std::to_string(a.from) + (is_dashed(g, a) ? " -.->" : a.many ? " ==>" : " -->");
        out += (text.empty() ? " n" : "|" + text + "| n") + std::to_string(a.to) + "\n";
    }
    out += "    classDef step fill:#dbe9f6,stroke:#3b6ea5,color:#123\n"
           "    classDef step_ran fill:#3b6ea5,stroke:#123,color:#fff\n"
           "    classDef start fill:#d9f2e0,stroke:#2e7d4f,color:#123\n"
           "    classDef stop fill:#f6dada,stroke:#a53b3b,color:#123\n"
           "    classDef event fill:#f5f5f0,stroke:#888,color:#123\n"
           "    classDef question fill:#fdf0cf,stroke:#b58a1b,color:#123\n"
           "    classDef answer fill:#fdf0cf,stroke:#b58a1b,color:#123\n";
    if (std::ranges::find(g.nodes, Kind::signal, &Graph::Node::kind) != g.nodes.end())
        out += "    classDef signal fill:#ece2f7,stroke:#6b4a9c,color:#123\n";
    return out;
}
std::string dot(const Graph& g) {
    std::string out = "digraph " + in_quotes(g.name) + " {\n    node [fontname=\"sans-serif\"]\n";
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const auto& n = g.nodes[i];
        out += "    n" + std::to_string(i) + " [label=" + in_quotes(label(n)) +
               (n.kind == Kind::step ? ", shape=box" : ", shape=box, style=rounded");
        if (n.kind == Kind::start || n.kind == Kind::stop) out += ", peripheries=2";
        if (!n.ran.empty()) out += ", penwidth=2";
        out += "]\n";
    }
    for (auto& a : g.arrows) {
        out += "    n" + std::to_string(a.from) + " -> n" + std::to_string(a.to);
        const auto text = arrow_text(a);
        const std::string style = is_dashed(g, a) ? "style=dashed" : a.many ? "style=bold" : "";
        const std::string label = text.empty() ? "" : "label=\"" + text + "\"";
        if (!style.empty() || !label.empty())
            out += " [" + style + (style.empty() || label.empty() ? "" : ", ") + label + "]";
        out += "\n";
    }
    return out + "}\n";
}
std::string graph_json(const Graph& g) {
    std::string out = "{\"name\": " + in_quotes(g.name) + ",\n \"nodes\": [";
    for (std::size_t i = 0; i < g.nodes.size(); ++i) {
        const auto& n = g.nodes[i];
        out += std::string(i ? "," : "") + "\n  {\"id\": " + std::to_string(i) + ", \"name\": " + in_quotes(n.name) +
               ", \"kind\": \"" + kind_name(n.kind) + "\"";
        if (!n.ran.empty()) {
            out += ", \"ran\": [";
            for (std::size_t k = 0; k < n.ran.size(); ++k) out += (k ? ", " : "") + std::to_string(n.ran[k]);
            out += "]";
        }
        out += "}";
    }
    out += "\n ],\n \"edges\": [";
    for (std::size_t i = 0; i < g.arrows.size(); ++i) {
        const auto& a = g.arrows[i];
        out += std::string(i ? "," : "") + "\n  {\"from\": " + std::to_string(a.from) +
               ", \"to\": " + std::to_string(a.to) + ", \"many\": " + (a.many ? "true" : "false");
        if (a.joins) out += ", \"joins\": true";
        if (a.fails) out += ", \"fails\": true";
        if (a.first) out += ", \"first\": " + std::to_string(a.first);
        out += "}";
    }
    return out + "\n ]}\n";
}
}
