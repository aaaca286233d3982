// The schemas that all workflows share are written by hand; the tables of the workflows give their start events.
#include "workflows/server/openapi.hpp"
#include "workflows/server/runs/envelope.hpp"
#include "workflows/server/service.hpp"

namespace weft::server {
namespace {
using nlohmann::json;

json schema_named(const char* name) { return {{"$ref", std::string("#/components/schemas/") + name}}; }
json content_schema(json schema) { return {{"application/json", {{"schema", std::move(schema)}}}}; }
json reply_schema(const char* what, json schema) {
    return {{"description", what}, {"content", content_schema(std::move(schema))}};
}
json error_schema(const char* what) { return reply_schema(what, schema_named("Error")); }
json object_schema(json properties, json required = json::array()) {
    json schema = {{"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
}
json text_schema() { return {{"type", "string"}}; }
json list_of(json items) { return {{"type", "array"}, {"items", std::move(items)}}; }
json or_null(json schema) { return {{"anyOf", json::array({std::move(schema), {{"type", "null"}}})}}; }
json parameter_schema(const char* in, const char* name, json schema, const char* what) {
    return {{"in", in},
            {"name", name},
            {"required", std::string(in) == "path"},
            {"schema", std::move(schema)},
            {"description", what}};
}
json operation_schema(const char* id, const char* what, json answers, json parameters = json::array()) {
    json one = {{"operationId", id}, {"summary", what}, {"responses", std::move(answers)}};
    if (!parameters.empty()) one["parameters"] = std::move(parameters);
    return one;
}

json shared_schemas() {
    const json state = {{"type", "string"}, {"enum", {"running", "completed", "failed", "cancelled"}}};
    return {
        {"Error", object_schema({{"detail", text_schema()}}, {"detail"})},
        {"Event", object_schema({{"value", {{"type", "object"}}},
                                 {"type", text_schema()},
                                 {"types", or_null(list_of(text_schema()))},
                                 {"qualified_name", or_null(text_schema())},
                                 {"question", text_schema()},
                                 {"run", text_schema()},
                                 {"path", text_schema()}},
                                {"value", "type", "types"})},
        {"Handler", object_schema({{"handler_id", text_schema()},
                                   {"workflow_name", text_schema()},
                                   {"run_id", or_null(text_schema())},
                                   {"status", state},
                                   {"result", or_null(schema_named("Event"))},
                                   {"error", or_null(text_schema())},
                                   {"started_at", {{"type", "string"}, {"format", "date-time"}}},
                                   {"updated_at", or_null({{"type", "string"}, {"format", "date-time"}})},
                                   {"completed_at", or_null({{"type", "string"}, {"format", "date-time"}})},
                                   {"not_before", {{"type", "string"}, {"format", "date-time"}}},
                                   {"sleeps_until", {{"type", "string"}, {"format", "date-time"}}}},
                                  {"handler_id", "workflow_name", "status", "started_at"})},
        {"Run", object_schema({{"start_event", {{"description", "the fields of the start event, or {type, value}"}}},
                               {"handler_id", text_schema()},
                               {"conversation_id", text_schema()},
                               {"not_before", {{"type", "string"}, {"format", "date-time"}}},
                               {"key", text_schema()}})},
        {"SentEvent", object_schema({{"event", {{"description", "{type, value}, or its JSON text"}}},
                                     {"question", text_schema()},
                                     {"step", text_schema()}},
                                    {"event"})},
        {"SentSignal",
         object_schema({{"signal", {{"description", "{type, value}, or its JSON text"}}}, {"id", text_schema()}},
                       {"signal"})}};
}
/// The body with the workflow's own start event, so that a generated client has its type.
json run_body(const Service& service, const std::string& workflow) {
    for (const auto& each : service.runs->workflows()) {
        if (each.name != workflow || !start_event(*each.definition).shape) continue;
        auto body = object_schema({{"start_event", titled_schema(start_event(*each.definition))},
                                   {"handler_id", text_schema()},
                                   {"conversation_id", text_schema()},
                                   {"not_before", {{"type", "string"}, {"format", "date-time"}}},
                                   {"key", text_schema()}});
        if (service.options.accept_values)
            body["properties"]["values"] = {{"type", "object"}, {"description", "for steps and tools, not for models"}};
        return body;
    }
    return schema_named("Run");
}
json run_operation(const char* id, const char* what, json body, json answers, json parameters) {
    auto one = operation_schema(id, what, std::move(answers), std::move(parameters));
    one["requestBody"] = {{"required", false}, {"content", content_schema(std::move(body))}};
    return one;
}
json run_answers() {
    return {{"200", reply_schema("the run has completed", schema_named("Handler"))},
            {"400", error_schema("the body has no valid start event")},
            {"403", error_schema("this server accepts no values from clients")},
            {"404", error_schema("there is no such workflow")},
            {"409", error_schema("a run of this handler_id is unfinished")},
            {"429", error_schema("too many runs are unfinished")},
            {"500", reply_schema("the run has failed", schema_named("Handler"))}};
}
json started_answers() {
    auto answers = run_answers();
    answers["200"] = reply_schema("the run has begun", schema_named("Handler"));
    answers["500"] = error_schema("the run could not begin");
    return answers;
}
json handler_answers() {
    return {{"200", reply_schema("the run has completed", schema_named("Handler"))},
            {"202", reply_schema("the run is unfinished", schema_named("Handler"))},
            {"404", error_schema("there is no such run")},
            {"500", reply_schema("the run has failed or was cancelled", schema_named("Handler"))}};
}
void add_workflow_paths(json& paths, const json& name) {
    const json unknown = error_schema("there is no such workflow");
    paths["/workflows"]["get"] = operation_schema(
        "getWorkflows", "The names of the workflows.",
        {{"200", reply_schema("names and descriptions", object_schema({{"workflows", list_of(text_schema())},
                                                                       {"descriptions", {{"type", "object"}}},
                                                                       {"has_store", {{"type", "boolean"}}}}))}});
    const auto add = [&](const char* path, const char* id, const char* what, json schema) {
        paths[path]["get"] = operation_schema(
            id, what, {{"200", reply_schema(what, std::move(schema))}, {"404", unknown}}, {name});
    };
    const json form = {{"type", "object"}};
    add("/workflows/{name}/schema", "getWorkflowsByNameSchema", "The schemas of the workflow's start and stop event.",
        object_schema({{"start", form}, {"stop", form}}));
    add("/workflows/{name}/events", "getWorkflowsByNameEvents", "The schemas of all events of the workflow.",
        object_schema({{"events", list_of(form)}}));
    add("/workflows/{name}/questions", "getWorkflowsByNameQuestions",
        "The questions of the workflow, with the events that answer them.",
        object_schema(
            {{"questions", list_of(object_schema({{"type", text_schema()}, {"answers", list_of(text_schema())}}))}}));
    add("/workflows/{name}/representation", "getWorkflowsByNameRepresentation", "The graph of the workflow.",
        object_schema({{"graph", form}}));
}
void add_run_paths(json& paths, const Service& service, const json& name, const json& id) {
    paths["/workflows/{name}/run"]["post"] = run_operation(
        "postWorkflowsByNameRun", "Runs a workflow and waits for its end.", schema_named("Run"), run_answers(), {name});
    paths["/workflows/{name}/run-nowait"]["post"] = run_operation("postWorkflowsByNameRunNowait", "Begins a run.",
                                                                  schema_named("Run"), started_answers(), {name});
    for (const auto& workflow : service.runs->workflows())
        paths["/workflows/" + workflow.name + "/run"]["post"] = run_operation(
            ("run_" + workflow.name).c_str(), workflow.description.c_str(), run_body(service, workflow.name),
            run_answers(), json::array());
    paths["/handlers"]["get"] = operation_schema(
        "getHandlers", "The runs, the newest first.",
        {{"200", reply_schema("the runs", object_schema({{"handlers", list_of(schema_named("Handler"))}}))}},
        {parameter_schema("query", "status", list_of(text_schema()),
                          "may be repeated, or have commas; waiting: running, with an open question"),
         parameter_schema("query", "workflow_name", list_of(text_schema()), "may be repeated, or have commas")});
    paths["/handlers/{handler_id}"]["get"] = operation_schema("getHandlersByHandlerId", "The state of a run.",
                                                              handler_answers(), {id});
    paths["/results/{handler_id}"]["get"] = operation_schema(
        "getResultsByHandlerId", "The state of a run, with the bare value of its result.", handler_answers(), {id});
    paths["/handlers/{handler_id}/cancel"]["post"] = operation_schema(
        "postHandlersByHandlerIdCancel", "Cancels a run; purge also removes it.",
        {{"200", reply_schema("the run has ended", object_schema({{"status", text_schema()}}))},
         {"404", error_schema("there is no such run, or it has ended already")}},
        {id, parameter_schema("query", "purge", {{"type", "boolean"}}, "also remove the run; accepts ended runs")});
}
void add_outside_paths(json& paths, const json& id) {
    paths["/handlers/{handler_id}/signals"]["post"] = run_operation(
        "postHandlersByHandlerIdSignals", "Sends a signal into a run, whatever it is doing.",
        schema_named("SentSignal"),
        {{"200",
          reply_schema("the signal is stored: sent, or known by its id", object_schema({{"status", text_schema()}}))},
         {"400", error_schema("the workflow takes no such signal, or its fields are wrong")},
         {"404", error_schema("there is no such run")},
         {"409", error_schema("the run has ended")},
         {"429", error_schema("the run has too many unread signals")}},
        {id});
    paths["/handlers/{handler_id}/slots"]["get"] = operation_schema(
        "getHandlersByHandlerIdSlots", "The slots of a run, as of its last stored tick.",
        {{"200", reply_schema("the slots by name",
                              object_schema({{"slots", {{"type", "object"}}}, {"ticks", {{"type", "integer"}}}}))},
         {"404", error_schema("there is no such run")},
         {"409", error_schema("this server does not store the runs of the workflow")}},
        {id});
}
void add_event_paths(json& paths, const json& id) {
    json stream = operation_schema(
        "getEventsByHandlerId", "The events of a run, from the start unless a cursor is given.",
        {{"200",
          {{"description", "server-sent events, or lines of JSON"},
           {"content",
            {{"text/event-stream", {{"schema", schema_named("Event")}}},
             {"application/x-ndjson", {{"schema", schema_named("Event")}}}}}}},
         {"204", {{"description", "the run has ended, and no event is after the cursor"}}},
         {"400", error_schema("the cursor is not a number")},
         {"404", error_schema("there is no such run")},
         {"410", error_schema("the events after the cursor are no longer kept")}},
        {id,
         parameter_schema("query", "sse", {{"type", "boolean"}, {"default", true}}, "false: one JSON object a line"),
         parameter_schema("query", "include_internal", {{"type", "boolean"}, {"default", false}},
                          "also send internal events, about the work of steps"),
         parameter_schema("query", "include_qualified_name", {{"type", "boolean"}, {"default", true}}, ""),
         parameter_schema("query", "after_sequence", text_schema(),
                          "a number; -1: from the start; now: only later events"),
         parameter_schema("query", "lastEventId", text_schema(),
                          "Last-Event-ID for clients that cannot set the header"),
         parameter_schema("query", "acquire_timeout", {{"type", "number"}}, "has no effect: readers never wait"),
         parameter_schema("header", "Last-Event-ID", text_schema(),
                          "number of the last event that the client has; overrides after_sequence")});
    paths["/events/{handler_id}"]["get"] = std::move(stream);
    paths["/events/{handler_id}"]["post"] = run_operation(
        "postEventsByHandlerId", "Sends an event into a run: the answer to its question.", schema_named("SentEvent"),
        {{"200", reply_schema("the event was sent", object_schema({{"status", text_schema()}}))},
         {"400", error_schema("the event is invalid, or the workflow does not take it")},
         {"404", error_schema("there is no such run")},
         {"409", error_schema("the run has ended, or has no such question")}},
        {id});
}
void add_queue_paths(json& paths) {
    const json count = or_null({{"type", "integer"}, {"minimum", 0}});
    const json limits = object_schema({{"running", count},
                                       {"per", text_schema()},
                                       {"running_per_key", count},
                                       {"starts", count},
                                       {"seconds", {{"type", "integer"}, {"enum", {1, 60, 3600}}}}});
    paths["/queues"]["get"] = operation_schema(
        "getQueues", "The queues with unfinished runs or limits.",
        {{"200", reply_schema("the queues", object_schema({{"queues", list_of({{"type", "object"}})}}))},
         {"404", error_schema("this server has no store")}});
    paths["/queues/{queue}"]["post"] = run_operation(
        "postQueuesByQueue", "Replaces the limits of a queue; an empty object removes them.", limits,
        {{"200", reply_schema("the new limits", limits)},
         {"400", error_schema("the limits contradict themselves")},
         {"404", error_schema("this server has no store")}},
        {parameter_schema("path", "queue", text_schema(), "the queue's name")});
    const json rate = or_null({{"type", "integer"}, {"minimum", 1}});
    const json limit = object_schema({{"requests", rate}, {"tokens", rate}, {"per", text_schema()}});
    paths["/model-limits"]["get"] = operation_schema(
        "getModelLimits", "The limits of models, with what is left of them now.",
        {{"200", reply_schema("the limits", object_schema({{"model_limits", list_of({{"type", "object"}})}}))},
         {"404", error_schema("this server has no store")}});
    paths["/model-limits/{model}"]["post"] = run_operation(
        "postModelLimitsByModel", "Replaces the limits of a model; an empty object removes them.", limit,
        {{"200", reply_schema("the new limits", limit)},
         {"400", error_schema("the limits or the name of the model are not valid")},
         {"404", error_schema("this server has no store")}},
        {parameter_schema("path", "model", text_schema(), "the model's name, such as openai:gpt-4o")});
}
void add_schedule_paths(json& paths) {
    const json schedule = {{"type", "object"}};
    const auto name = parameter_schema("path", "schedule", text_schema(), "the schedule's name");
    const auto absent = error_schema("there is no such schedule, or this server has no store");
    const auto ended = error_schema("the schedule has ended, or too many changes wait for a worker");
    const json body = object_schema(
        {{"workflow", text_schema()},
         {"timetable",
          {{"type", "object"}, {"description", "{cron, zone}, {every: seconds, anchor: time} or {at: time}"}}},
         {"input", {{"type", "object"}}},
         {"queue", text_schema()},
         {"missed", {{"type", "string"}, {"enum", {"none", "last", "all"}}}},
         {"window", or_null({{"type", "integer"}, {"description", "seconds"}})},
         {"overlap", {{"type", "string"}, {"enum", {"skip", "wait", "allow", "cancel"}}}},
         {"timeout_ms", or_null({{"type", "integer"}, {"description", "the longest time of a run"}})}},
        {"workflow", "timetable"});
    paths["/schedules"]["get"] = operation_schema(
        "getSchedules", "The schedules of the store.",
        {{"200", reply_schema("the schedules", object_schema({{"schedules", list_of(schedule)}}))}, {"404", absent}});
    auto& one = paths["/schedules/{schedule}"];
    one["get"] = operation_schema("getSchedulesBySchedule", "A schedule, with its next and past times.",
                                  {{"200", reply_schema("the schedule", schedule)}, {"404", absent}}, {name});
    one["post"] = run_operation("postSchedulesBySchedule", "Adds a schedule.", body,
                                {{"200", reply_schema("the schedule", schedule)},
                                 {"400", error_schema("the name is taken, or the schedule is not valid")},
                                 {"404", absent}},
                                {name});
    const auto change = [&](const char* action, const char* id, const char* what, json reply) {
        paths[std::string("/schedules/{schedule}/") + action]["post"] = operation_schema(
            id, what, {{"200", std::move(reply)}, {"404", absent}, {"409", ended}}, {name});
    };
    change("pause", "postSchedulesBySchedulePause", "Starts no run until the schedule is resumed.",
           reply_schema("the schedule", schedule));
    change("resume", "postSchedulesByScheduleResume", "Starts runs again.", reply_schema("the schedule", schedule));
    change("run", "postSchedulesByScheduleRun", "Starts a run now.",
           reply_schema("the id of the run", object_schema({{"run", text_schema()}})));
    change("remove", "postSchedulesByScheduleRemove", "Ends the schedule; its runs go on.",
           reply_schema("removed, or ending until a worker takes it", object_schema({{"status", text_schema()}})));
}
}

json openapi(const Service& service) {
    const auto name = parameter_schema("path", "name", text_schema(), "the workflow's name");
    const auto id = parameter_schema("path", "handler_id", text_schema(), "the run's handler_id or run_id");
    json paths = json::object();
    paths["/health"]["get"] = operation_schema(
        "getHealth", "Whether the server is healthy.",
        {{"200", reply_schema("the server is healthy", object_schema({{"status", text_schema()}}))}});
    add_workflow_paths(paths, name);
    add_run_paths(paths, service, name, id);
    add_event_paths(paths, id);
    add_queue_paths(paths);
    add_schedule_paths(paths);
    add_outside_paths(paths, id);
    json document = {{"openapi", "3.1.0"},
                     {"info",
                      {{"title", "weft"},
                       {"version", "1"},
                       {"description", "Workflows as LlamaIndex's workflow server serves them."}}},
                     {"paths", std::move(paths)},
                     {"components", {{"schemas", shared_schemas()}}}};
    if (service.guard.has_tokens()) {
        document["components"]["securitySchemes"]["token"] = {{"type", "http"}, {"scheme", "bearer"}};
        document["security"] = json::array({{{"token", json::array()}}});
    }
    return document;
}
}
