// Requests of the official clients of LlamaIndex's server, from their sources: llama-agents-client for Python, its
// forerunner in llama-index-workflows, and @llamaindex/workflows-client for TypeScript.
#include "tests/support/served_workflows.hpp"
using namespace weft;
using nlohmann::json;
using testing::Answer;
using testing::request_of;
using testing::ServedWorkflows;

namespace {
/// httpx sends neither a body nor its type with an empty POST.
std::string post_nothing(const std::string& target) { return request_of("POST", target, "", ""); }
std::string post(const std::string& target, const std::string& body) { return request_of("POST", target, body); }
std::string get(const std::string& target) { return request_of("GET", target, "", "Accept: */*\r\n"); }
}

TEST_CASE("a run is begun by each body that an official client sends") {
    struct Row {
        const char* client;
        std::string body;
    };
    const Row rows[] = {
        {"Python, run_workflow with a dict", R"({"start_event": {"text": "World"}, "context": {}})"},
        {"Python, run_workflow with a StartEvent",
         R"({"start_event": {"text": "World"}, "context": {}, "handler_id": "a"})"},
        {"Python, run_workflow_nowait with a StartEvent",
         R"({"start_event": {"value": {"text": "World"}, "type": "StartEvent", "qualified_name": null},
             "context": {}})"},
        {"Python, run_workflow_nowait with an event of its own class",
         R"({"start_event": {"value": {"text": "World"}, "type": "NameEvent", "qualified_name": null},
             "context": {}})"},
        {"Python, run_workflow with a base StartEvent",
         R"({"start_event": {"_data": {"text": "World"}}, "context": {}})"},
        {"Python, run_workflow_nowait with a base StartEvent",
         R"({"start_event": {"value": {"_data": {"text": "World"}}, "type": "StartEvent", "qualified_name": null},
             "context": {}})"},
        {"Python, an event of its own class, with nothing undeclared",
         R"({"start_event": {"value": {"text": "World", "_data": {}}, "type": "NameEvent"}, "context": {}})"},
        {"Python, 2.0: the event by its module",
         R"({"start_event": {"__is_pydantic": true, "value": {"text": "World"}, "qualified_name": "my.app.NameEvent"},
             "context": {}})"},
        {"Python, 2.0: the same as text",
         R"({"start_event": "{\"value\": {\"text\": \"World\"}, \"qualified_name\": \"app.NameEvent\"}",
             "context": {}})"},
        {"Python, 1.3: keyword arguments beside it",
         R"({"start_event": {"text": "World"}, "context": {}, "additional_kwargs": {}})"},
        {"TypeScript, all fields",
         R"({"start_event": {"text": "World"}, "context": {}, "handler_id": "b", "kwargs": {}})"},
        {"TypeScript, nulls", R"({"start_event": {"text": "World"}, "context": null, "kwargs": null})"},
        {"TypeScript, a null id", R"({"start_event": {"text": "World"}, "handler_id": null})"},
        {"TypeScript, keyword arguments alone", R"({"kwargs": {"text": "World"}})"},
        {"the form of the first versions", R"({"start_event": {"type": "NameEvent", "data": {"text": "World"}}})"},
    };
    ServedWorkflows world;
    for (const auto& row : rows)
        for (const auto* route : {"/workflows/hello/run", "/workflows/hello/run-nowait"}) {
            CAPTURE(row.client);
            const auto answer = world.ask(post(route, row.body));
            CHECK_MESSAGE(answer.status() == 200, answer.text);
            const auto id = answer.json()["handler_id"].get<std::string>();
            CHECK(world.ask(get("/handlers/" + id)).json()["result"]["value"]["text"] == "Hello, World!");
        }
    for (const auto* nothing :
         {R"({"start_event": "", "context": {}})", R"({"start_event": "{}", "context": {}})",
          R"({"start_event": {"value": {}, "type": "StartEvent", "qualified_name": null}, "context": {}})",
          R"({"start_event": {"value": null, "type": "StartEvent"}})", R"({"start_event": null, "context": {}})"}) {
        CAPTURE(nothing);
        CHECK(world.ask(post("/workflows/hello/run", nothing)).has("input.text"));  // hello requires its text
    }
}
TEST_CASE("filters and flags are read as official clients write them, also unset ones") {
    ServedWorkflows world;
    world.post("/workflows/hello/run", R"({"start_event": {"text": "World"}})");
    const auto waiting = world.begin_refund();
    struct Row {
        const char* client;
        std::string query;
        std::size_t found;
    };
    const Row rows[] = {
        {"Python, no filter: httpx writes None as nothing", "?status=&workflow_name=", 2},
        {"Python, one of two filters", "?status=completed&workflow_name=", 1},
        {"Python, a list", "?status=running&status=failed&workflow_name=hello&workflow_name=refund", 1},
        {"TypeScript, no filter", "", 2},
        {"TypeScript, an array", "?status=running&status=completed", 2},
        {"the page, runs that wait for a human", "?status=waiting", 1},
        {"axios, an array", "?status[]=running&status[]=failed", 1},
        {"axios, an array in its brackets by their codes", "?workflow_name%5B%5D=hello", 1},
        {"qs, an array with its places", "?status[0]=running&status%5B1%5D=completed", 2},
        {"Go, a list with commas", "?status=running,completed&workflow_name=hello,%20refund", 2},
        {"states as they are titled", "?status=Running&status=WAITING", 1},
        {"jQuery, against caches", "?status=completed&_=1764207300123", 1},
        {"a link of a campaign", "?utm_source=mail&t=7", 2},
    };
    for (const auto& row : rows) {
        CAPTURE(row.client);
        const auto answer = world.ask(get("/handlers" + row.query));
        CHECK(answer.status() == 200);
        CHECK(answer.json()["handlers"].size() == row.found);
    }
    const auto types = [&](const std::string& query) {
        testing::Caller reader(world.served);
        auto stream = reader.ask(get("/events/" + waiting + query));
        CHECK(testing::status_of(stream) == 200);
        return stream;
    };
    const auto python = types("?sse=true&include_internal=false&after_sequence=-1");
    CHECK(python.find("id: 0\ndata: ") != python.npos);
    CHECK(types("?sse=True&include_internal=False&after_sequence=").find("id: 0\ndata: ") != python.npos);
    CHECK(types("?sse=false&include_internal=false&acquire_timeout=1.0").find("\n{\"value\"") != python.npos);
    CHECK(types("?sse=true&after_sequence=NOW").find("id: 0") == python.npos);
    CHECK(types("?include_internal=True").find("StepStateChanged") != python.npos);
    CHECK(types("?sse=0&include_internal=1").find("\n{\"value\"") != python.npos);
    CHECK(types("?sse=1&include_qualified_name=no&_=5").find("qualified_name") == python.npos);
    CHECK(types("?lastEventId=0").find("id: 0") == python.npos);  // for an EventSource that cannot set the header
}
TEST_CASE("a refusal of an unused parameter or an invalid value lists the valid ones") {
    ServedWorkflows world;
    const auto id = world.begin_refund();
    struct Row {
        std::string request, says;
    };
    const auto name = R"({"start_event": {"text": "World"}})";
    const Row rows[] = {
        {get("/handlers?status=foo"), "status names a state \\\"foo\\\", which is unknown: expected running, waiting, "
                                      "completed, failed, cancelled"},
        {get("/handlers?status=running,canceled"), "canceled"},
        {get("/handlers?status[]=nope"), "nope"},
        {get("/handlers?workflow_name[]=nope"), "nope\\\", which is unknown: expected hello, refund"},
        {get("/handlers?workflow=nope"),
         "a parameter \\\"workflow\\\", which is unknown: expected status, workflow_name"},
        {get("/handlers?limit=1"), "limit"},
        {get("/handlers?Status=running"), "Status"},
        {get("/handlers?status[in]=running"), "status[in]"},
        {get("/handlers/" + id + "?sse=true"), "which is unknown: expected none"},
        {get("/results/" + id + "?wait=true"), "wait"},
        {get("/workflows?limit=1"), "limit"},
        {get("/openapi.json?format=yaml"), "format"},
        {get("/events/" + id + "?after=3"), "expected sse, include_internal, include_qualified_name, after_sequence"},
        {get("/events/" + id + "?sse=maybe"), "sse: expected true or false, got \\\"maybe\\\""},
        {get("/events/" + id + "?include_internal=2"), "include_internal"},
        {get("/events/" + id + "?sse=true&sse=false"), "sse: it has two values"},
        {get("/events/" + id + "?after_sequence=1&after_sequence=2"), "after_sequence: it has two values"},
        {get("/events/" + id + "?acquire_timeout=soon"), "acquire_timeout"},
        {get("/events/" + id + "?lastEventId=x"), "lastEventId"},
        {post_nothing("/handlers/" + id + "/cancel?purge=maybe"), "purge"},
        {post_nothing("/handlers/" + id + "/cancel?force=true"), "expected purge"},
        {post("/workflows/hello/run?handler_id=a", name), "handler_id"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.request);
        const auto answer = world.ask(row.request);
        CHECK(answer.status() == 400);
        CHECK_MESSAGE(answer.has(row.says), answer.body());
    }
    CHECK(world.ask(get("/handlers/" + id)).json()["status"] == "running");  // the run was not cancelled
    for (const auto* free : {"/health?probe=1", "/?run=1", "/page/index.html?v=3", "/favicon.ico?v=3", "/workflows?_=1",
                             "/v1/models?api-version=2024-06-01&client_version=0.99.0", "/v1/models?user=17&limit=1"})
        CHECK(world.ask(get(free)).status() == 200);
}
TEST_CASE("an answer is read from each body that an official client sends") {
    struct Row {
        const char* client;
        std::string body;
    };
    const Row rows[] = {
        {"Python, an event of its own class",
         R"({"event": {"value": {"granted": true}, "type": "ApprovalEvent", "qualified_name": null}})"},
        {"Python, the base of all answers",
         R"({"event": {"value": {"granted": true}, "type": "HumanResponseEvent", "qualified_name": null}})"},
        {"Python, the base of all answers with fields of its own",
         R"({"event": {"value": {"_data": {"granted": true}}, "type": "HumanResponseEvent"}})"},
        {"null for a field that has a default",
         R"({"event": {"value": {"granted": true, "comment": null}, "type": "ApprovalEvent"}})"},
        {"Python, 2.0: as text, by its module",
         R"({"event": "{\"value\": {\"granted\": true}, \"qualified_name\": \"app.events.ApprovalEvent\"}"})"},
        {"Python, a step that is None",
         R"({"event": {"value": {"granted": true}, "type": "ApprovalEvent"}, "step": null})"},
        {"TypeScript, as text", R"({"event": "{\"type\": \"ApprovalEvent\", \"value\": {\"granted\": true}}"})"},
        {"TypeScript, as data", R"({"event": {"type": "ApprovalEvent", "data": {"granted": true}}})"},
    };
    ServedWorkflows world;
    for (const auto& row : rows) {
        CAPTURE(row.client);
        const auto id = world.begin_refund();
        const auto answer = world.ask(post("/events/" + id, row.body));
        CHECK_MESSAGE(answer.json() == json({{"status", "sent"}}), answer.text);
        world.served.turn();
        CHECK(world.ask(get("/handlers/" + id)).json()["status"] == "completed");
        CHECK(world.ask(post("/events/" + id, row.body)).status() == 409);
    }
    const auto id = world.begin_refund();
    CHECK(world.ask(post_nothing("/handlers/" + id + "/cancel?purge=false")).json()["status"] == "cancelled");
    CHECK(world.ask(post_nothing("/handlers/" + id + "/cancel?purge=True")).json()["status"] == "deleted");
}
TEST_CASE("an answer reaches the question of its event when the event names one, as the stream does") {
    ServedWorkflows world;
    const auto id = world.begin_refund();
    const auto send = [&](const std::string& rest) {
        return world.ask(
            post("/events/" + id, R"({"event": {"value": {"granted": true}, "type": "ApprovalEvent")" + rest));
    };
    CHECK(send(R"(, "question": "99"}})").has("question 99 is not open"));
    CHECK(send(R"(, "question": "0"}, "question": "1"})").has("two different questions"));
    CHECK(send(R"(, "question": 0}})").has("has to be the id of a question, a text of at most 40 bytes"));
    CHECK(send(R"(, "question_id": "99"}})").has("question_id"));
    CHECK(send(R"(}, "question_id": "99"})").has("question_id"));
    CHECK(send(R"(, "question": "0", "types": ["HumanResponseEvent"], "run": "r", "path": "p"}})").status() == 200);
}
TEST_CASE("an unused member of a request is refused") {
    ServedWorkflows world;
    CHECK(world.ask(post("/workflows/hello/run", R"({"start_event": {"text": "x"}, "conversationId": "c"})"))
              .has("conversationId"));
    CHECK(world.ask(post("/workflows/hello/run", R"({"start_event": {"type": "NameEvent", "value": {}, "txt": "x"}})"))
              .has("txt"));
}
TEST_CASE("a handler has the members that clients require, with null for missing ones") {
    ServedWorkflows world;
    const auto id = world.begin_refund();
    const auto handler = world.ask(get("/handlers/" + id)).json();
    for (const auto* key : {"handler_id", "workflow_name", "status", "started_at"}) CHECK(handler.at(key).is_string());
    for (const auto* key : {"run_id", "error", "result", "updated_at", "completed_at"}) CHECK(handler.contains(key));
    CHECK(handler["status"] == "running");  // the clients know only four states
    CHECK(handler["waiting"] == true);
    const auto graph = world.ask(get("/workflows/refund/representation")).json().at("graph");
    CHECK(graph.at("name").is_string());
    for (const auto& node : graph.at("nodes")) {
        CHECK(node.at("id").is_string());
        CHECK(node.at("label").is_string());
        CHECK(node.at("node_type").is_string());
    }
    for (const auto& edge : graph.at("edges")) CHECK(edge.at("target").is_string());
}
