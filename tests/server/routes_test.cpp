#include "tests/support/served_workflows.hpp"
using namespace weft;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::Caller;
using testing::request_of;
using testing::ServedWorkflows;

namespace {
const json hello_body = {{"start_event", {{"text", "World"}}}};
}

TEST_CASE("POST run waits for the end and answers with all nine keys of a handler") {
    ServedWorkflows world;

    const auto answer = world.post("/workflows/hello/run", hello_body.dump());

    CHECK(answer.status() == 200);
    const auto handler = answer.json();
    CHECK(handler.size() == 9);
    CHECK(handler["handler_id"].get<std::string>().size() == 10);
    CHECK(handler["workflow_name"] == "hello");
    CHECK(handler["run_id"].get<std::string>().size() == 10);
    CHECK(handler["error"].is_null());
    CHECK(handler["status"] == "completed");
    CHECK(handler["result"] == json::parse(R"({"value": {"text": "Hello, World!"}, "qualified_name": "GreetingEvent",
                                              "type": "GreetingEvent", "types": ["StopEvent"]})"));
    CHECK(handler["started_at"].get<std::string>().ends_with("+00:00"));
    CHECK(handler["completed_at"].is_string());
}
TEST_CASE("a start event is accepted in each form that clients send") {
    ServedWorkflows world;
    const json forms[] = {
        {{"start_event", {{"text", "World"}}}},
        {{"start_event", R"({"text": "World"})"}},
        {{"start_event", {{"type", "NameEvent"}, {"value", {{"text", "World"}}}}}},
        {{"start_event", R"({"type": "NameEvent", "data": {"text": "World"}})"}},
        {{"start_event", nullptr}, {"kwargs", {{"text", "World"}}}},
        {{"kwargs", {{"text", "World"}}}},
    };
    for (const auto& form : forms) {
        CAPTURE(form.dump());
        CHECK(world.post("/workflows/hello/run", form.dump()).json()["result"]["value"]["text"] == "Hello, World!");
    }
}
TEST_CASE("a client's mistake has a status and a sentence that names it") {
    ServedWorkflows world;
    const auto waiting = world.begin_refund();
    struct Row {
        std::string request;
        unsigned status;
        std::string says;
    };
    const auto post = [](const std::string& target, const std::string& body) {
        return request_of("POST", target, body);
    };
    const Row rows[] = {
        {request_of("GET", "/nothing"), 404, "Not Found"},
        {request_of("DELETE", "/workflows"), 405, "Method Not Allowed"},
        {request_of("GET", "/workflows/hello/run"), 405, "Method Not Allowed"},
        {post("/workflows/none/run", "{}"), 404, "there is no workflow \\\"none\\\""},
        {request_of("GET", "/workflows/none/schema"), 404, "there is no workflow"},
        {post("/workflows/hello/run", "[]"), 400, "has to be a JSON object"},
        {post("/workflows/hello/run", "{"), 400, "the body cannot be read"},
        {post("/workflows/hello/run", "{}"), 400, "text"},
        {post("/workflows/hello/run", R"({"text": "World"})"), 400, "\\\"start_event\\\" is missing"},
        {post("/workflows/hello/run", R"({"text": "World"})"), 400,
         "a member \\\"text\\\", which is unknown: expected start_event, kwargs"},
        {post("/workflows/hello/run", R"({"kwargs": {"text": "World"}, "txt": 1})"), 400,
         "the body has a member \\\"txt\\\", which is unknown: expected start_event, kwargs"},
        {post("/workflows/hello/run", R"({"start_event": {"text": 5}})"), 400, "input.text: expected a string"},
        {post("/workflows/hello/run", R"({"start_event": {"text": "World", "txt": 1}})"), 400,
         "start_event has a field txt, which NameEvent does not have: it has text"},
        {post("/workflows/hello/run", R"({"start_event": {"type": "Other", "value": {}}})"), 400,
         "begins with a NameEvent"},
        {post("/workflows/hello/run", R"({"start_event": "{"})"), 400, "JSON"},
        {post("/workflows/hello/run", R"({"context": {"a": 1}, "start_event": {"text": "World"}})"), 400, "context"},
        {post("/workflows/hello/run", R"({"handler_id": 5})"), 400, "handler_id"},
        {post("/workflows/hello/run", R"({"handler_id": "a\nb", "start_event": {"text": ""}})"), 400, "handler_id"},
        {post("/workflows/hello/run", R"({"handler_id": ")" + waiting + R"(", "start_event": {"text": ""}})"), 409,
         "is already running"},
        {request_of("GET", "/handlers/none"), 404, "there is no run"},
        {request_of("GET", "/events/none"), 404, "there is no run"},
        {request_of("GET", "/events/" + waiting + "?after_sequence=abc"), 400, "Invalid after_sequence: 'abc'"},
        {post("/events/none", "{}"), 404, "there is no run"},
        {post("/events/" + waiting, "{}"), 400, "\\\"event\\\" is missing"},
        {post("/events/" + waiting, R"({"type": "ApprovalEvent", "value": {}})"), 400,
         "\\\"event\\\" is missing, and the body has a member \\\"type\\\", which is unknown: expected event, "
         "question, step"},
        {post("/events/" + waiting, "[1]"), 400, "has to be a JSON object"},
        {post("/events/" + waiting, R"({"event": {"value": {}}})"), 400, "\\\"type\\\" is missing"},
        {post("/events/" + waiting, R"({"event": {"type": "ApprovalEvent"}})"), 400, "\\\"value\\\" is missing"},
        {post("/events/" + waiting, R"({"event": {"type": "os.system", "value": {}}})"), 400, "has no os.system"},
        {post("/events/" + waiting, R"({"event": {"type": "RefundEvent", "value": {}}})"), 400, "takes no RefundEvent"},
        {post("/events/" + waiting, R"({"event": {"type": "ApprovalEvent", "value": {}}})"), 400, "granted"},
        {post("/events/" + waiting, R"({"event": {"type": "ApprovalEvent", "value": {"granted": true, "typo": 1}}})"),
         400, "event has a field typo, which ApprovalEvent does not have: it has comment, granted"},
        {post("/events/" + waiting, R"({"event": {"type": "ApprovalEvent", "value": {"granted": true}}, "step": "x"})"),
         400, "has no x"},
        {post("/events/" + waiting,
              R"({"event": {"type": "ApprovalEvent", "value": {"granted": true}}, "question": "77"})"),
         409, "question 77 is not open"},
        {post("/handlers/none/cancel", ""), 404, "there is no run"},
    };
    for (const auto& row : rows) {
        CAPTURE(row.request);
        const auto answer = world.ask(row.request);
        CHECK(answer.status() == row.status);
        CHECK(answer.json()["detail"].is_string());
        CHECK_MESSAGE(answer.has(row.says), answer.body());
    }
}
TEST_CASE("a streamed question has its id, is answered once, and the run ends with the decision") {
    ServedWorkflows world;
    const auto id = world.begin_refund();
    const auto waiting = world.get("/handlers/" + id);
    CHECK(waiting.status() == 202);
    CHECK(waiting.json()["questions"].size() == 1);
    Caller reader(world.served);
    auto stream = reader.ask(request_of("GET", "/events/" + id));
    CHECK(stream.find("Content-Type: text/event-stream") != stream.npos);
    const auto asked = testing::events_in(testing::unchunked(testing::body_of(stream)));
    REQUIRE(asked.size() == 1);
    CHECK(asked[0].id == 0);
    CHECK(asked[0].envelope["types"] == json{"InputRequiredEvent"});
    const auto question = asked[0].envelope["question"].get<std::string>();

    const json answer = {{"event", {{"type", "ApprovalEvent"}, {"value", {{"granted", true}}}}},
                         {"question", question}};
    const auto sent = world.post("/events/" + id, answer.dump());

    CHECK(sent.json() == json{{"status", "sent"}});
    const auto rest = testing::events_in(testing::unchunked(reader.received()));
    CHECK(testing::types_in(rest) == std::vector<std::string>{"DecisionEvent"});
    CHECK(rest[0].id == 1);
    CHECK_FALSE(reader.closed());
    CHECK(world.post("/events/" + id, answer.dump()).status() == 409);
    CHECK(world.get("/handlers/" + id).json()["result"]["value"]["granted"] == true);
    CHECK(world.get("/results/" + id).json()["result"]["granted"] == true);
}
TEST_CASE("an answer without a question is refused while none is open, so that it is not lost in silence") {
    ServedWorkflows world;
    const auto id = world.begin_refund();
    const json answer = {{"event", R"({"type": "ApprovalEvent", "data": {"granted": false}})"}};

    CHECK(world.post("/events/" + id, answer.dump()).status() == 200);
    CHECK(world.post("/events/" + id, answer.dump()).status() == 409);
}
TEST_CASE("a cancelled run ends before the response, and can then be purged but not cancelled") {
    ServedWorkflows world;
    const auto id = world.begin_refund();

    CHECK(world.post("/handlers/" + id + "/cancel").json() == json{{"status", "cancelled"}});

    CHECK(world.get("/handlers/" + id).status() == 500);
    CHECK(world.get("/handlers/" + id).json()["status"] == "cancelled");
    CHECK(world.post("/handlers/" + id + "/cancel").status() == 404);
    CHECK(world.post("/handlers/" + id + "/cancel?purge=true").json() == json{{"status", "deleted"}});
    CHECK(world.get("/handlers/" + id).status() == 404);
}
TEST_CASE("runs are listed by state and workflow, the newest first, and an ended id may be used again") {
    ServedWorkflows world;
    const json named = {{"handler_id", "mine"}, {"start_event", {{"text", "a"}}}};
    const auto first = world.post("/workflows/hello/run", named.dump()).json()["run_id"];
    const auto second = world.post("/workflows/hello/run", named.dump()).json()["run_id"];
    const auto waiting = world.begin_refund();

    CHECK(first != second);
    CHECK(world.get("/handlers/mine").json()["run_id"] == second);
    CHECK(world.get("/handlers?status=running").json()["handlers"].size() == 1);
    CHECK(world.get("/handlers?status=completed&status=failed&workflow_name=hello").json()["handlers"].size() == 2);
    CHECK(world.get("/handlers?status=strange").json()["handlers"].empty());
    CHECK(world.get("/handlers").json()["handlers"][0]["handler_id"] == waiting);
}
TEST_CASE("a failed or timed out run is 500 with the handler, which says why") {
    ServedWorkflows world({.runs = {.timeout = 3s}});
    const auto failed = world.post("/workflows/refund/run", R"({"start_event": {"order": "", "amount": 120}})");
    const auto waiting = world.begin_refund();
    Caller reader(world.served);
    reader.send(request_of("GET", "/events/" + waiting));

    CHECK(failed.status() == 500);
    CHECK(failed.json()["status"] == "failed");
    CHECK(failed.json()["error"].get<std::string>().starts_with("step review failed: "));
    CHECK(failed.json()["result"].is_null());
    world.served.clock.advance(4s);
    const auto events = testing::events_in(testing::unchunked(testing::body_of(reader.received())));
    REQUIRE(events.size() == 2);
    CHECK(events[1].envelope["type"] == "WorkflowTimedOutEvent");
    CHECK(events[1].envelope["types"] == json{"StopEvent"});
    CHECK(world.get("/handlers/" + waiting).json()["error"] == "the run has not ended within 3 s");
}
TEST_CASE("runs beyond the limit are refused until one ends, and requests beyond their rate until time passes") {
    ServedWorkflows world({.runs = {.at_once = 2}});
    const auto first = world.begin_refund();
    world.begin_refund();

    const auto third = world.post("/workflows/hello/run", hello_body.dump());
    CHECK(third.status() == 429);
    CHECK(third.has("Retry-After: 1"));
    world.post("/handlers/" + first + "/cancel");
    CHECK(world.post("/workflows/hello/run", hello_body.dump()).status() == 200);

    server::RateLimit rate(2);
    const Clock::Time now{100s};
    CHECK(rate.take(1, now));
    CHECK(rate.take(1, now));
    CHECK_FALSE(rate.take(1, now + 100ms));
    CHECK(rate.take(2, now));
    CHECK(rate.take(1, now + 700ms));
}
TEST_CASE("a workflow's graph, schemas and questions have the form that clients use") {
    ServedWorkflows world;

    const auto events = world.get("/workflows/refund/events").json()["events"];
    CHECK(world.get("/workflows").json()["workflows"] == json{"hello", "refund"});
    const auto schema = world.get("/workflows/refund/schema");
    CHECK(schema.json()["start"]["title"] == "RefundEvent");
    CHECK(schema.body().find("\"order\":") < schema.body().find("\"amount\":"));  // in the order of declaration
    CHECK(world.get("/workflows/refund/questions").json()["questions"] ==
          json::parse(R"([{"type": "ApprovalRequestEvent", "answers": ["ApprovalEvent"]}])"));
    for (const auto& event : events)
        for (const auto& [name, field] : event["properties"].items())
            if (field.contains("type")) CHECK(field["type"].is_string());
    const auto graph = world.get("/workflows/refund/representation").json()["graph"];
    std::set<std::string> ids;
    for (const auto& node : graph["nodes"]) CHECK(ids.insert(node["id"]).second);
    for (const auto& edge : graph["edges"]) {
        CHECK(ids.contains(edge["source"]));
        CHECK(ids.contains(edge["target"]));
    }
    const auto has = [&](const char* from, const char* to) {
        return std::ranges::any_of(graph["edges"],
                                   [&](const json& e) { return e["source"] == from && e["target"] == to; });
    };
    CHECK(has("RefundEvent", "review"));
    CHECK(has("review", "ApprovalRequestEvent"));
    CHECK(has("ApprovalRequestEvent", "external_step"));
    CHECK(has("external_step", "ApprovalEvent"));
    CHECK(world.get("/openapi.json").json()["paths"].contains("/workflows/refund/run"));
}
TEST_CASE("a refused start takes no place of a run") {
    ServedWorkflows world({.runs = {.kept = 3}});
    const json named = {{"handler_id", "mine"}, {"start_event", {{"text", "a"}}}};
    const auto run = world.post("/workflows/hello/run", named.dump()).json()["run_id"];
    for (int i = 0; i < 10; ++i)
        CHECK(world.post("/workflows/hello/run", R"({"handler_id": "mine", "start_event": {"text": 5}})").status() ==
              400);

    CHECK(world.get("/handlers/mine").json()["run_id"] == run);
    CHECK(world.get("/handlers").json()["handlers"].size() == 1);
    for (int i = 0; i < 3; ++i) world.post("/workflows/hello/run", hello_body.dump());
    CHECK(world.get("/handlers/mine").status() == 404);
    CHECK(world.get("/handlers").json()["handlers"].size() == 3);
}
TEST_CASE("an unsupported method of a path lists the supported ones, as OPTIONS does") {
    ServedWorkflows world;
    CHECK(world.ask(request_of("DELETE", "/events/x")).has("Allow: POST, GET, HEAD\r\n"));
    CHECK(world.ask(request_of("OPTIONS", "/workflows")).has("Allow: "));
    CHECK(world.ask(request_of("OPTIONS", "*")).status() == 204);
    CHECK(world.ask(request_of("HEAD", "/login/x")).status() == 405);
    CHECK(world.ask(request_of("GET", "http://localhost/workflows")).json()["workflows"].size() == 2);
    CHECK(world.ask(request_of("GET", "http://evil.example/workflows")).status() == 403);
}
TEST_CASE("a client of OpenAI's API gets an error in its form with the base URL when it uses another one") {
    ServedWorkflows world({.runs = {.kept = 3}});
    const auto chat = R"({"model": "hello", "messages": [{"role": "user", "content": "World"}]})";
    const auto post = [&](const std::string& target) { return request_of("POST", target, chat); };
    for (const auto& request :
         {post("/chat/completions"), post("/completions"), post("/responses"), post("/embeddings"),
          post("/audio/transcriptions"), request_of("GET", "/models"), request_of("GET", "/models/hello"),
          post("/openai/deployments/hello/chat/completions?api-version=2024-06-01"), post("/openai/v1/responses"),
          post("/v1//chat/completions"), post("//v1/chat/completions"), post("/v1/v1/chat/completions"),
          post("/V1/chat/completions"), post("/api/v1/chat/completions"), post("/api/chat/completions"),
          post("/v1/embeddings"), request_of("GET", "/v1/files"), request_of("GET", "/v1"),
          request_of("GET", "/v1?x=1")}) {
        CAPTURE(request);
        const auto answer = world.ask(request);
        CHECK(answer.status() == 404);
        const auto error = answer.json().at("error");
        CHECK(error.size() == 4);
        CHECK(error.at("code") == "unknown_url");
        CHECK(error.at("message").get<std::string>().find("with /v1 at its end") != std::string::npos);
    }
    for (const auto* own : {"/handlers/v1", "/events/v1", "/nothing", "/api/chat", "/workflows/v1/schema"}) {
        CAPTURE(own);
        CHECK(world.get(own).json().at("detail").is_string());
    }
}
TEST_CASE("a client that leaves POST run frees the connection, and the run continues") {
    ServedWorkflows world;
    {
        Caller caller(world.served);
        caller.send(request_of("POST", "/workflows/refund/run",
                               R"({"handler_id": "a", "start_event": {"order": "A-17", "amount": 120}})"));
        CHECK(world.served.server.connections() == 1);
    }
    world.served.turn();
    CHECK(world.served.server.connections() == 0);
    CHECK(world.get("/handlers/a").json()["status"] == "running");
}
TEST_CASE("an answer is refused while its run is being cancelled") {
    ServedWorkflows world;
    const auto id = world.begin_refund();
    const auto run = world.service->runs->find(id);
    run->cancel();
    CHECK_THROWS_AS(run->answer("ApprovalEvent", {{"granted", true}}, ""), Error);
    world.served.turn();
    CHECK(world.get("/handlers/" + id).json()["status"] == "cancelled");
}
TEST_CASE("the run_id of a run is not accepted as another run's handler") {
    ServedWorkflows world;
    const auto first = world.post("/workflows/hello/run", hello_body.dump()).json()["run_id"];
    const json body = {{"handler_id", first}, {"start_event", {{"text", "x"}}}};
    CHECK(world.post("/workflows/hello/run", body.dump()).status() == 409);
}
