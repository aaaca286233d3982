// Streamable HTTP of both eras, in one thread and virtual time.
#include "engine/timeout.hpp"
#include "tests/mcp/server/asking.hpp"
#include "tests/mcp/server/fixtures.hpp"
#include "tests/support/served_workflows.hpp"
#include "workflows/mcp/http_service.hpp"
#include "workflows/mcp/run_offer.hpp"

using namespace weft;
using namespace weft::mcp_server;
using nlohmann::json;
using testing::Answer;
using testing::Caller;

namespace {
struct World {
    explicit World(HttpOptions options = {}) : engine(served.io, EngineOptions{.clock = &served.clock}) {
        testing::add_fixture_tools(core);
        core.add(offer_run(server::offer(engine, workflows::refund)));
        service = std::make_shared<HttpService>(core, std::move(options), served.runtime());
    }
    ~World() {
        spawn(served.runtime(), service->leave_and_wait(), [](std::exception_ptr) {});
        served.turn();
    }
    static std::string request(const std::string& body, const std::string& headers, const char* method = "POST") {
        return testing::request_of(method, "/mcp", body,
                                   "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n" +
                                       headers);
    }
    Answer ask(const std::string& body, const std::string& headers = {}, const char* method = "POST") {
        Caller caller(served);
        return {caller.ask(request(body, headers, method))};
    }
    static std::string modern_text(const std::string& method, json params, json id = 1) {
        if (!params.contains("_meta")) params["_meta"] = testing::modern_meta();
        return json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}}.dump();
    }
    static std::string modern_headers(const std::string& method, const std::string& name = {}) {
        return "MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: " + method + "\r\n" +
               (name.empty() ? "" : "Mcp-Name: " + name + "\r\n");
    }
    Answer modern(const std::string& method, json params = json::object()) {
        const auto name = params.value("name", "");
        return ask(modern_text(method, std::move(params)), modern_headers(method, name));
    }
    std::string begin_session() {
        const auto answer = ask(R"({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}}}})");
        const auto at = answer.text.find("MCP-Session-Id: ");
        REQUIRE(at != std::string::npos);
        return "MCP-Session-Id: " + answer.text.substr(at + 16, 40) + "\r\n";
    }
    testing::Served served{
        [this](net::HttpExchange& exchange) { return service->handle(exchange); },
        {.look_at_head = [this](const net::IncomingRequest& head) { return service->look_at_head(head); }}};
    Engine engine;
    Core core{testing::fixture_options()};
    std::shared_ptr<HttpService> service;
};
const std::string simple =
    R"({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": {"name": "test_simple_text"}})";
}

TEST_CASE("a modern request is answered by one JSON object, with the status of the fault") {
    World world;
    const auto good = world.modern("tools/call", {{"name", "test_simple_text"}});
    CHECK(good.status() == 200);
    CHECK(good.json()["result"]["resultType"] == "complete");
    CHECK(good.json()["id"] == 1);

    CHECK(world.modern("unknown/method").status() == 404);
    CHECK(world.modern("initialize").json()["error"]["code"] == rpc::code::no_method);
    CHECK(world.modern("tools/call", {{"name", "nothing"}}).status() == 200);
    CHECK(world.modern("tools/list", {{"_meta", json::object()}}).status() == 400);
    CHECK(world.ask("{", World::modern_headers("tools/list")).json()["error"]["code"] == rpc::code::not_json);
    CHECK(world.ask("[]").json()["error"]["code"] == rpc::code::no_request);
    const auto mixed = world.ask(World::modern_text("tools/list", json::object()), World::modern_headers("tools/call"));
    CHECK(mixed.status() == 400);
    CHECK(mixed.json()["error"]["code"] == rpc::code::header_mismatch);
}
TEST_CASE("requests without a token, of other pages and with other methods are refused before their body is read") {
    World world({.guard = {.tokens = {"0123456789abcdef"}}});
    const auto text = World::modern_text("tools/list", json::object());
    const auto headers = World::modern_headers("tools/list");
    const std::string token = "Authorization: Bearer 0123456789abcdef\r\n";

    const auto stranger = world.ask(text, headers);
    CHECK(stranger.status() == 401);
    CHECK(stranger.has("WWW-Authenticate: Bearer"));
    CHECK(stranger.json()["error"].contains("message"));
    CHECK(world.ask(text, headers + token).status() == 200);
    CHECK(world.ask(text, headers + token + "Origin: http://evil.example\r\n").status() == 403);
    CHECK(world.ask("", headers + token, "GET").status() == 405);
    CHECK(world.ask("", headers + token, "DELETE").status() == 405);
    CHECK(world.ask("", token, "PUT").status() == 405);
}
TEST_CASE("messages before the response turn it into a stream, which has a comment after a long silence") {
    World world;
    json params = {{"name", "test_tool_with_progress"}, {"_meta", testing::modern_meta()}};
    params["_meta"]["progressToken"] = "p";
    Caller caller(world.served);
    caller.send(World::request(World::modern_text("tools/call", params),
                               World::modern_headers("tools/call", "test_tool_with_progress")));
    auto text = caller.received();
    CHECK(text.find("Content-Type: text/event-stream") != text.npos);
    CHECK(text.find("X-Accel-Buffering: no") != text.npos);
    for (int i = 0; i < 3; ++i) {
        world.served.clock.advance(std::chrono::milliseconds(50));
        text += caller.received();
    }
    CHECK(text.find(R"("progress":100)") != text.npos);
    CHECK(text.find(R"("progress":100)") < text.find(R"("result":)"));
    CHECK(text.ends_with("0\r\n\r\n"));
}
TEST_CASE("a silent stream has a comment every fifteen seconds, and a client cancels by closing it") {
    World world;
    bool ended = false;
    world.core.add(testing::fixture("wait", [&ended](Call&) {
        return [](bool& over) -> awaitable<json> {
            struct End {
                bool& over;
                ~End() { over = true; }
            } end{over};
            co_await sleep_for(std::chrono::hours(1));
            co_return text_result("late");
        }(ended);
    }));
    Caller caller(world.served);
    caller.send(World::request(World::modern_text("tools/call", {{"name", "wait"}}),
                               World::modern_headers("tools/call", "wait")));
    CHECK(caller.received().empty());
    world.served.clock.advance(std::chrono::seconds(15));
    CHECK(caller.received().find(": still at work\n\n") != std::string::npos);
    CHECK_FALSE(ended);
    caller.reset();
    world.served.turn();
    CHECK(ended);
}
TEST_CASE("an older client has a session, which it needs, and which it can end") {
    World world;
    CHECK(world.ask(simple).status() == 400);
    CHECK(world.ask(simple, "MCP-Session-Id: made-up\r\n").status() == 404);

    const auto session = world.begin_session();
    CHECK(world.ask(R"({"jsonrpc": "2.0", "method": "notifications/initialized"})", session).status() == 202);
    CHECK(world.ask(simple, session).json()["result"]["content"].size() == 1);
    CHECK(world.ask(simple, session).json()["id"] == "a");
    CHECK(world.ask(simple, session + "MCP-Protocol-Version: 1999-01-01\r\n").status() == 400);
    const auto unknown = world.ask(R"({"jsonrpc": "2.0", "id": 1, "method": "unknown"})", session);
    CHECK(unknown.status() == 200);
    CHECK(unknown.json()["error"]["code"] == rpc::code::no_method);

    CHECK(world.ask("", session, "DELETE").status() == 204);
    CHECK(world.ask(simple, session).status() == 404);
}
TEST_CASE("sessions are bounded in number and idle time, and belong to their caller") {
    World world({.sessions = 2});
    const auto begin_later = [&] {
        world.served.clock.advance(std::chrono::seconds(1));
        return world.begin_session();
    };
    const auto first = begin_later(), second = begin_later();
    begin_later();
    CHECK(world.ask(simple, first).status() == 404);
    CHECK(world.ask(simple, second).status() == 200);
    world.served.clock.advance(std::chrono::hours(2));
    CHECK(world.ask(simple, second).status() == 404);

    World guarded({.guard = {.tokens = {"0123456789abcdef", "fedcba9876543210"}}});
    const std::string mine = "Authorization: Bearer 0123456789abcdef\r\n",
                      other = "Authorization: Bearer fedcba9876543210\r\n";
    const auto begun = guarded.ask(R"({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                                      "params": {"protocolVersion": "2025-11-25"}})",
                                   mine);
    const auto id = begun.text.substr(begun.text.find("MCP-Session-Id: "), 56) + "\r\n";
    CHECK(guarded.ask(simple, id + mine).status() == 200);
    CHECK(guarded.ask(simple, id + other).status() == 404);
}
TEST_CASE("an older client gets questions on the stream of its call, and reads lost messages with Last-Event-ID") {
    World world;
    const auto session = world.begin_session();
    Caller caller(world.served);
    caller.send(World::request(R"({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "refund",
                                  "arguments": {"order": "A-17", "amount": 120}}})",
                               session));
    const auto text = caller.received();
    REQUIRE(text.find("elicitation/create") != text.npos);
    CHECK(text.find("id: 1-0\nretry: 1000\ndata:\n\n") != text.npos);
    CHECK(text.find("id: 1-1\n") != text.npos);
    caller.reset();
    world.served.turn();

    CHECK(world
              .ask(R"({"jsonrpc": "2.0", "id": 1, "result": {"action": "accept", "content": {"granted": true}}})",
                   session)
              .status() == 202);
    const auto rest = world.ask("", session + "Last-Event-ID: 1-1\r\n", "GET");
    CHECK(rest.has("id: 1-2\n"));
    CHECK(rest.has(R"("granted":true)"));
    const auto whole = world.ask("", session + "Last-Event-ID: 1-0\r\n", "GET");
    CHECK(whole.has("elicitation/create"));
}
TEST_CASE("a call of an older client is cancelled by its notification, and gives no response") {
    World world;
    const auto session = world.begin_session();
    Caller caller(world.served);
    caller.send(World::request(R"({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "refund",
                                  "arguments": {"order": "A-17", "amount": 120}}})",
                               session));
    caller.received();
    world.ask(R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}})", session);

    const auto rest = caller.received();
    CHECK(rest.find("notifications/cancelled") != rest.npos);  // of the question
    CHECK(rest.find("\"result\"") == rest.npos);
    CHECK(rest.ends_with("0\r\n\r\n"));
}
TEST_CASE("a client accepting only JSON gets no question, and only the answer") {
    World world;
    const auto session = world.begin_session();
    const auto ask = [&](const std::string& body) {
        Caller caller(world.served);
        return Answer{caller.ask(testing::request_of(
            "POST", "/mcp", body, "Content-Type: application/json\r\nAccept: application/json\r\n" + session))};
    };
    const auto refund = ask(R"({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "refund",
                                "arguments": {"order": "A-17", "amount": 120}}})");
    CHECK(refund.json()["id"] == 7);
    CHECK(refund.json()["result"]["isError"] == true);
    CHECK(refund.has("Accept of the request lacks text/event-stream"));
    CHECK_FALSE(refund.has("has not declared"));
}
TEST_CASE("a session begins with a stream when its client takes nothing else") {
    World world;
    Caller caller(world.served);
    const Answer begun{caller.ask(testing::request_of(
        "POST", "/mcp/?a=b",
        R"({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}})",
        "Content-Type: application/json\r\nAccept: text/event-stream\r\n"))};
    CHECK(begun.status() == 200);
    CHECK(begun.has("Content-Type: text/event-stream\r\n"));
    CHECK(begun.has("MCP-Session-Id: "));
    CHECK(begun.has("event: message\ndata: {"));
    CHECK(begun.text.ends_with("}\n\n"));
}
TEST_CASE("MCP is served when its path ends with a slash") {
    World world;
    const auto status = [&](const char* path) {
        Caller caller(world.served);
        return Answer{caller.ask(testing::request_of("GET", path, ""))}.status();
    };
    CHECK(status("/mcp/") == status("/mcp"));
    CHECK(status("/mcp/") != 404);
    CHECK(status("/health/") == 200);
    for (const char* other : {"/", "/mcp//", "/mcp/x", "/mcpx/"}) CHECK(status(other) == 404);
}
TEST_CASE("a client gets an error when no messages are kept for its Last-Event-ID") {
    World world;
    const auto session = world.begin_session();
    for (const char* id : {"77-1", "x", "1-99"})
        CHECK(world.ask("", session + "Last-Event-ID: " + id + "\r\n", "GET").status() == 404);
}
TEST_CASE("a session keeps a bounded number of unread bytes") {
    McpSession session;
    for (int i = 0; i < 3; ++i) session.add_stream().second->finish(std::string(3u << 20, 'x'));
    const auto last = session.add_stream().first;
    std::size_t kept = 0;
    for (const auto& [number, box] : session.streams) kept += box->kept();
    CHECK(kept <= 4u << 20);
    CHECK(session.streams.back().first == last);
    CHECK(session.streams.size() == 2);
}
TEST_CASE("a probe reads over HTTP whether the server is healthy, and pages of an allowed origin read refusals") {
    World world({.guard = {.hosts = {}, .origins = {"https://app.example"}, .tokens = {"0123456789abcdef"}}});
    const auto ask = [&](const std::string& text) {
        Caller caller(world.served);
        return Answer{caller.ask(text)};
    };
    for (const auto* request :
         {"GET /health HTTP/1.1\r\nHost: 10.244.0.5:8081\r\n\r\n", "GET /health HTTP/1.0\r\n\r\n"}) {
        CHECK(ask(request).status() == 200);
        CHECK(ask(request).json()["status"] == "healthy");
    }
    CHECK(ask("HEAD /health HTTP/1.1\r\nHost: x\r\n\r\n").status() == 200);
    CHECK(ask("POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n").status() == 405);
    CHECK(ask("OPTIONS / HTTP/1.0\r\n\r\n").status() == 204);
    CHECK(ask("GET /mcp HTTP/1.1\r\nHost: 10.244.0.5\r\n\r\n").status() == 403);
    const std::string origin = "Host: localhost\r\nOrigin: https://app.example\r\n";
    for (const auto& request : {"POST /mcp HTTP/1.1\r\n" + origin + "Content-Length: 10\r\n\r\n",
                                "POST /mcp HTTP/1.1\r\n" + origin + "Content-Length: 2\r\n\r\n{}"}) {
        const auto refused = ask(request);
        CHECK(refused.status() == 401);
        CHECK(refused.has("Access-Control-Allow-Origin: https://app.example\r\n"));
        CHECK(refused.json()["error"]["message"].is_string());
    }
    const auto preflight = ask("OPTIONS /mcp HTTP/1.1\r\n" + origin +
                               "Access-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: "
                               "mcp-protocol-version, mcp-param-region, x-own\r\n\r\n");
    CHECK(preflight.status() == 204);
    CHECK(preflight.has("mcp-protocol-version, mcp-param-region, x-own\r\n"));
    CHECK(preflight.has("MCP-Session-Id"));
}
TEST_CASE("a malformed response over HTTP is refused without the id that it carries") {
    World world;
    const auto session = world.begin_session();
    const auto wrong = world.ask(R"({"jsonrpc": "2.0", "id": 1, "result": null})", session);
    CHECK(wrong.status() == 400);
    CHECK(wrong.json()["id"].is_null());
    CHECK(world.ask(R"({"jsonrpc": "2.0", "id": 1, "method": ""})", session).json()["id"] == 1);
}
