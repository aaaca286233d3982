// Written by hand for the shapes that all workflows share; the start and stop events of each come from their tables.
#include "workflows/server/openapi.hpp"
#include "workflows/server/envelope.hpp"
#include "workflows/server/service.hpp"

namespace weft::server {
namespace {
using nlohmann::json;

json reference(const char* name) { return {{"$ref", std::string("#/components/schemas/") + name}}; }
json content(json schema, const char* type = "application/json") { return {{type, {{"schema", std::move(schema)}}}}; }
json answer(const char* what, json schema) { return {{"description", what}, {"content", content(std::move(schema))}}; }
json error(const char* what) { return answer(what, reference("Error")); }
json object(json properties, json required = json::array()) {
    json schema = {{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
}
json text() { return {{"type", "string"}}; }
json list_of(json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
json nullable(json schema) { return {{"anyOf", json::array({std::move(schema), {{"type", "null"}}})}}; }
json parameter(const char* in, const char* name, json schema, const char* what) {
    return {{"in", in},
            {"name", name},
            {"required", std::string(in) == "path"},
            {"schema", std::move(schema)},
            {"description", what}};
}
json operation(const char* id, const char* what, json answers, json parameters = json::array()) {
    json one = {{"operationId", id}, {"summary", what}, {"responses", std::move(answers)}};
    if (!parameters.empty()) one["parameters"] = std::move(parameters);
    return one;
}
json body_of(json schema) { return {{"required", false}, {"content", content(std::move(schema))}}; }

json components() {
    const json state = {{"type", "string"}, {"enum", {"running", "completed", "failed", "cancelled"}}};
    return {{"Error", object({{"detail", text()}}, {"detail"})},
            {"Event", object({{"value", {{"type", "object"}}},
                              {"type", text()},
                              {"types", nullable(list_of(text()))},
                              {"qualified_name", nullable(text())},
                              {"question", text()}},
                             {"value", "type", "types"})},
            {"Handler", object({{"handler_id", text()},
                                {"workflow_name", text()},
                                {"run_id", nullable(text())},
                                {"status", state},
                                {"result", nullable(reference("Event"))},
                                {"error", nullable(text())},
                                {"started_at", {{"type", "string"}, {"format", "date-time"}}},
                                {"updated_at", nullable({{"type", "string"}, {"format", "date-time"}})},
                                {"completed_at", nullable({{"type", "string"}, {"format", "date-time"}})}},
                               {"handler_id", "workflow_name", "status", "started_at"})},
            {"Run", object({{"start_event", {{"description", "the fields of the start event, or {type, value}"}}},
                            {"handler_id", text()},
                            {"conversation_id", text()}})},
            {"SentEvent", object({{"event", {{"description", "{type, value}, or JSON text of it"}}},
                                  {"question", text()},
                                  {"step", text()}},
                                 {"event"})}};
}
/// Each workflow's own start event, so that a generated client knows it.
json run_body(const Service& service, const std::string& workflow) {
    for (const auto& each : service.runs->workflows()) {
        if (each.name != workflow || !start_event(*each.definition).shape) continue;
        return object({{"start_event", titled_schema(start_event(*each.definition))},
                       {"handler_id", text()},
                       {"conversation_id", text()}});
    }
    return reference("Run");
}
json run_operation(const char* id, const char* what, json body, json answers, json parameters) {
    auto one = operation(id, what, std::move(answers), std::move(parameters));
    one["requestBody"] = body_of(std::move(body));
    return one;
}
json run_answers() {
    return {{"200", answer("the run has completed", reference("Handler"))},
            {"400", error("what was sent does not make a start event")},
            {"404", error("there is no such workflow")},
            {"409", error("a run of this handler_id goes on")},
            {"429", error("too many runs are at work")},
            {"500", answer("the run has failed", reference("Handler"))}};
}
json started_answers() {
    auto answers = run_answers();
    answers["200"] = answer("the run has begun", reference("Handler"));
    answers["500"] = error("the run could not begin");
    return answers;
}
json handler_answers() {
    return {{"200", answer("it has completed", reference("Handler"))},
            {"202", answer("it goes on", reference("Handler"))},
            {"404", error("there is no such run")},
            {"500", answer("it has failed, or was cancelled", reference("Handler"))}};
}
void add_workflow_paths(json& paths, const json& name) {
    const json unknown = error("there is no such workflow");
    paths["/workflows"]["get"] = operation(
        "getWorkflows", "The names of the workflows.",
        {{"200", answer("names, and what each is for",
                        object({{"workflows", list_of(text())}, {"descriptions", {{"type", "object"}}}}))}});
    const auto add = [&](const char* path, const char* id, const char* what, json schema) {
        paths[path]["get"] = operation(id, what, {{"200", answer(what, std::move(schema))}, {"404", unknown}}, {name});
    };
    const json form = {{"type", "object"}};
    add("/workflows/{name}/schema", "getWorkflowsByNameSchema", "The schemas of its start and stop event.",
        object({{"start", form}, {"stop", form}}));
    add("/workflows/{name}/events", "getWorkflowsByNameEvents", "The schemas of all its events.",
        object({{"events", list_of(form)}}));
    add("/workflows/{name}/questions", "getWorkflowsByNameQuestions", "Which events answer which questions.",
        object({{"questions", list_of(object({{"type", text()}, {"answers", list_of(text())}}))}}));
    add("/workflows/{name}/representation", "getWorkflowsByNameRepresentation", "Its graph.",
        object({{"graph", form}}));
}
void add_run_paths(json& paths, const Service& service, const json& name, const json& id) {
    paths["/workflows/{name}/run"]["post"] = run_operation(
        "postWorkflowsByNameRun", "Runs a workflow and waits for its end.", reference("Run"), run_answers(), {name});
    paths["/workflows/{name}/run-nowait"]["post"] = run_operation("postWorkflowsByNameRunNowait", "Begins a run.",
                                                                  reference("Run"), started_answers(), {name});
    for (const auto& workflow : service.runs->workflows())
        paths["/workflows/" + workflow.name + "/run"]["post"] = run_operation(
            ("run_" + workflow.name).c_str(), workflow.description.c_str(), run_body(service, workflow.name),
            run_answers(), json::array());
    paths["/handlers"]["get"] = operation(
        "getHandlers", "The runs, the newest first.",
        {{"200", answer("the runs", object({{"handlers", list_of(reference("Handler"))}}))}},
        {parameter("query", "status", list_of(text()), "may be repeated"),
         parameter("query", "workflow_name", list_of(text()), "may be repeated")});
    paths["/handlers/{handler_id}"]["get"] = operation("getHandlersByHandlerId", "A run as it is now.",
                                                       handler_answers(), {id});
    paths["/results/{handler_id}"]["get"] = operation(
        "getResultsByHandlerId", "The same with the bare value of the result.", handler_answers(), {id});
    paths["/handlers/{handler_id}/cancel"]["post"] = operation(
        "postHandlersByHandlerIdCancel", "Ends a run; with purge it is forgotten.",
        {{"200", answer("it has ended", object({{"status", text()}}))},
         {"404", error("there is no such run, or it has ended")}},
        {id, parameter("query", "purge", {{"type", "boolean"}}, "forget it, also one that has ended")});
}
void add_event_paths(json& paths, const json& id) {
    json stream = operation(
        "getEventsByHandlerId", "The events of a run, from the start unless a cursor is given.",
        {{"200",
          {{"description", "server-sent events, or lines of JSON"},
           {"content",
            {{"text/event-stream", {{"schema", reference("Event")}}},
             {"application/x-ndjson", {{"schema", reference("Event")}}}}}}},
         {"204", {{"description", "the run has ended, and there is nothing after the cursor"}}},
         {"400", error("the cursor is no number")},
         {"404", error("there is no such run")},
         {"410", error("the events after the cursor are no longer kept")}},
        {id, parameter("query", "sse", {{"type", "boolean"}, {"default", true}}, "false: one JSON object a line"),
         parameter("query", "include_internal", {{"type", "boolean"}, {"default", false}}, "what the steps do, too"),
         parameter("query", "include_qualified_name", {{"type", "boolean"}, {"default", true}}, ""),
         parameter("query", "after_sequence", text(), "a number; -1: from the start; now: what comes from here on"),
         parameter("header", "Last-Event-ID", text(), "the number that was seen last; goes before after_sequence")});
    paths["/events/{handler_id}"]["get"] = std::move(stream);
    paths["/events/{handler_id}"]["post"] = run_operation(
        "postEventsByHandlerId", "Sends an event into a run: the answer to its question.", reference("SentEvent"),
        {{"200", answer("it was sent", object({{"status", text()}}))},
         {"400", error("the event does not fit")},
         {"404", error("there is no such run")},
         {"409", error("the run has ended, or has no such question")}},
        {id});
}
}

json openapi(const Service& service) {
    const auto name = parameter("path", "name", text(), "of the workflow");
    const auto id = parameter("path", "handler_id", text(), "of the run");
    json paths = json::object();
    paths["/health"]["get"] = operation("getHealth", "Whether the server is there.",
                                        {{"200", answer("it is", object({{"status", text()}}))}});
    add_workflow_paths(paths, name);
    add_run_paths(paths, service, name, id);
    add_event_paths(paths, id);
    json document = {{"openapi", "3.1.0"},
                     {"info",
                      {{"title", "weft"},
                       {"version", "1"},
                       {"description", "Workflows as LlamaIndex's workflow server serves them."}}},
                     {"paths", std::move(paths)},
                     {"components", {{"schemas", components()}}}};
    if (service.guard.has_tokens()) {
        document["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
        document["security"] = json::array({{{"token", json::array()}}});
    }
    return document;
}
}
