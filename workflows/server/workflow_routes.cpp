// Routes that describe the workflows: names, schemas, graphs.
#include "engine/error.hpp"
#include "engine/graph.hpp"
#include "engine/text/utf8.hpp"
#include "workflows/catalog/stored/queue_view.hpp"
#include "workflows/server/openapi.hpp"
#include "workflows/server/runs/envelope.hpp"
#include "workflows/server/service.hpp"
#include <algorithm>

namespace weft::server {
namespace {
using nlohmann::json;

/// The roles of an event, by the names of LlamaIndex's base classes.
std::vector<std::string> roles_of(const Definition& d, const EventType& type) {
    const auto& of = d.plan.events[std::size_t(&type - d.events.data())];
    if (type.is_start) return {"StartEvent"};
    if (of.role == core::EventRole::stop) return {"StopEvent"};
    if (of.role == core::EventRole::request) return {"InputRequiredEvent"};
    if (of.answers != core::no_type) return {"HumanResponseEvent"};
    return {};
}
using nlohmann::ordered_json;
ordered_json schema_or_nothing(const EventType& type) {
    if (!type.shape) return {{"title", type.name}, {"type", "object"}, {"properties", json::object()}};
    return titled_schema(type);
}
awaitable<void> get_health(Service&, RouteCall& call) {
    if (call.exchange.stopping()) return reply(call, 503, json{{"status", "unhealthy"}});
    return reply(call, 200, json{{"status", "healthy"}});
}
awaitable<void> get_workflows(Service& service, RouteCall& call) {
    json names = json::array(), descriptions = json::object();
    for (const auto& workflow : service.runs->workflows()) {
        names.push_back(workflow.name);
        descriptions[workflow.name] = workflow.description;
    }
    return reply(call, 200,
                 json{{"workflows", std::move(names)},
                      {"descriptions", std::move(descriptions)},
                      {"has_store", service.options.store != nullptr}});
}
awaitable<void> get_schema(Service& service, RouteCall& call) {
    const auto& d = *service.runs->workflow(call.part(0)).definition;
    return reply(
        call, 200,
        ordered_json{{"start", schema_or_nothing(start_event(d))}, {"stop", schema_or_nothing(stop_event(d))}});
}
awaitable<void> get_event_schemas(Service& service, RouteCall& call) {
    auto events = ordered_json::array();
    const auto& d = *service.runs->workflow(call.part(0)).definition;
    for (const auto& type : d.events) events.push_back(schema_or_nothing(type));
    for (const auto& child : d.children)  // questions of child runs, and their answers
        for (const auto& question : questions(*child)) {
            if (find_event(d, question.asks->name)) continue;
            events.push_back(schema_or_nothing(*question.asks));
            for (const auto* answer : question.answers) events.push_back(schema_or_nothing(*answer));
        }
    return reply(call, 200, ordered_json{{"events", std::move(events)}});
}
awaitable<void> get_questions(Service& service, RouteCall& call) {
    json all = json::array();
    for (const auto& question : questions(*service.runs->workflow(call.part(0)).definition)) {
        json answers = json::array();
        for (const auto* answer : question.answers) answers.push_back(answer->name);
        all.push_back({{"type", question.asks->name}, {"answers", std::move(answers)}});
    }
    return reply(call, 200, json{{"questions", std::move(all)}});
}
/// The graph as LlamaIndex's server draws it. Only questions and answers have edges to the outside.
json drawn_graph(const ServedWorkflow& workflow) {
    const auto& d = *workflow.definition;
    json nodes = json::array(), edges = json::array();
    const auto edge = [&](std::string_view from, std::string_view to) {
        json one = {{"source", from}, {"target", to}, {"label", nullptr}};
        if (std::find(edges.begin(), edges.end(), one) == edges.end()) edges.push_back(std::move(one));
    };
    for (const auto& step : step_names(d))
        nodes.push_back({{"id", step}, {"label", step}, {"node_type", "step"}, {"description", nullptr}});
    for (const auto& type : d.events) {
        auto types = roles_of(d, type);
        types.insert(types.begin(), std::string(type.name));
        nodes.push_back({{"id", type.name},
                         {"label", type.name},
                         {"node_type", "event"},
                         {"event_type", type.name},
                         {"event_types", types},
                         {"event_schema", json(schema_or_nothing(type))},
                         {"produced_by", json::array()}});
    }
    for (const auto& each : d.edges) each.emits ? edge(each.step, each.event) : edge(each.event, each.step);
    auto asked = questions(d);
    std::erase_if(asked,
                  [&](const auto& question) { return !find_event(d, question.asks->name); });  // questions of children
    if (!asked.empty())
        nodes.push_back({{"id", "external_step"}, {"label", "external_step"}, {"node_type", "external"}});
    for (const auto& question : asked) {
        edge(question.asks->name, "external_step");
        for (const auto* answer : question.answers) edge("external_step", answer->name);
    }
    return {{"name", workflow.name},
            {"description", workflow.description.empty() ? json() : json(workflow.description)},
            {"nodes", std::move(nodes)},
            {"edges", std::move(edges)}};
}
awaitable<void> get_representation(Service& service, RouteCall& call) {
    return reply(call, 200, json{{"graph", drawn_graph(service.runs->workflow(call.part(0)))}});
}
awaitable<void> get_openapi(Service& service, RouteCall& call) { return reply(call, 200, openapi(service)); }
awaitable<void> get_metrics(Service& service, RouteCall& call) {
    if (!service.options.metrics) throw Problem(404, "Not Found");
    auto text = service.options.metrics() + service.request_metrics();
    if (service.options.store) {
        auto gathering = catalog::store_metrics(*service.options.store);
        text += co_await std::move(gathering);
    }
    auto answering = reply_text(call, 200, "text/plain; version=0.0.4; charset=utf-8", std::move(text));
    co_await std::move(answering);
}
constexpr Route workflow_table[] = {
    {"GET", "/health", Access::anybody, get_health},
    {"GET", "/openapi.json", Access::token, get_openapi},
    {"GET", "/metrics", Access::token, get_metrics},
    {"GET", "/workflows", Access::token, get_workflows},
    {"GET", "/workflows/{}/schema", Access::token, get_schema},
    {"GET", "/workflows/{}/events", Access::token, get_event_schemas},
    {"GET", "/workflows/{}/questions", Access::token, get_questions},
    {"GET", "/workflows/{}/representation", Access::token, get_representation},
};
}
std::vector<std::string_view> step_names(const Definition& d) {
    std::vector<std::string_view> names;
    for (const auto& edge : d.edges)
        if (std::ranges::find(names, edge.step) == names.end()) names.push_back(edge.step);
    return names;
}
std::span<const Route> workflow_routes() { return workflow_table; }
}
