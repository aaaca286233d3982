// Streamable HTTP, with a server in the same loop whose behaviour each test chooses.
#include "tests/tools/mcp/http_world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::testing::web;

TEST_CASE("a modern request repeats its body's members in headers, and encodes values that are not plain") {
    World world;
    const json schema = {{"type", "object"},
                         {"properties",
                          {{"city", {{"type", "string"}, {"x-mcp-header", "City"}}},
                           {"n", {{"type", "integer"}, {"x-mcp-header", "N"}}}}}};
    world.act = [&](World&, net::HttpExchange& exchange, const Seen& seen) {
        return is_call(seen) ? reply(exchange, 200, result_for(seen, said("fine"))) : modern(exchange, seen, schema);
    };
    std::string text;

    call_once(world, {{"city", "Zürich"}, {"n", 7}}, &text);

    CHECK(text == "fine");
    const auto& seen = world.seen.back();
    CHECK(seen.header("MCP-Protocol-Version") == "2026-07-28");
    CHECK(seen.header("Mcp-Method") == "tools/call");
    CHECK(seen.header("Mcp-Name") == "look");
    CHECK(seen.header("Mcp-Param-City") == "=?base64?WsO8cmljaA==?=");
    CHECK(seen.header("Mcp-Param-N") == "7");
    CHECK(seen.header("Content-Type") == "application/json");
    CHECK(seen.header("Accept") == "application/json, text/event-stream");
    CHECK(seen.header("Mcp-Session-Id") == "");
    for (const auto& each : world.seen) CHECK(each.method == "POST");
}
TEST_CASE("an answer may be in a stream after comments, progress, unknown messages and other answers") {
    World world;
    world.act = [](World&, net::HttpExchange& exchange, const Seen& seen) {
        if (!is_call(seen)) return modern(exchange, seen);
        auto stranger = result_for(seen, said("stranger"));
        stranger["id"] = "x" + std::to_string(seen.body.at("id").get<int>());
        return stream(exchange, ": hello\n\ndata:\n\nevent: ping\ndata: x\n\ndata: no message\n\n" + event(stranger) +
                                    event(result_for(seen, said("fine"))) + event(result_for(seen, said("twice"))));
    };
    std::string text;
    call_once(world, json::object(), &text);
    CHECK(text == "fine");
}
TEST_CASE("an answer with its id as text counts, and one with another id is an error that names it") {
    World world;
    std::string id = "1";
    world.act = [&id](World&, net::HttpExchange& exchange, const Seen& seen) {
        if (!is_call(seen)) return modern(exchange, seen);
        auto answer = result_for(seen, said("fine"));
        answer["id"] = id.empty() ? "x" : std::to_string(seen.body.at("id").get<int>());
        return reply(exchange, 200, answer);
    };
    std::string text;
    call_once(world, json::object(), &text);
    CHECK(text == "fine");
    id.clear();
    CHECK_THROWS_WITH_AS(call_once(world), doctest::Contains("with the id \"x\": an answer has the id of its request"),
                         mcp::TransportError);
}
TEST_CASE("a client says that it lacks HTTP+SSE when a server of the first revision answers") {
    World world;
    world.act = [](World&, net::HttpExchange& exchange, const Seen& seen) {
        if (seen.method == "GET") return stream(exchange, "event: endpoint\ndata: /messages?id=1\n\n");
        return reply(exchange, 405, json("no"));
    };
    CHECK_THROWS_WITH_AS(call_once(world), doctest::Contains("speaks the older HTTP+SSE of MCP 2024-11-05"),
                         mcp::TransportError);
}
TEST_CASE("a broken modern stream is an error, and the call is not repeated") {
    World world;
    world.act = [](World&, net::HttpExchange& exchange, const Seen& seen) {
        return is_call(seen) ? stream(exchange, "id: 1\ndata:\n\n") : modern(exchange, seen);
    };
    CHECK_THROWS_WITH_AS(call_once(world), "the MCP server \"web\" ended its answer before the result",
                         mcp::TransportError);
    CHECK(std::ranges::count_if(world.seen, is_call) == 1);
}
TEST_CASE("a server demanding other headers is listed again, and gets the call once more") {
    World world;
    world.act = [](World& self, net::HttpExchange& exchange, const Seen& seen) {
        const auto calls = std::ranges::count_if(self.seen, is_call);
        const json first = {{"type", "object"}};
        const json then = {{"type", "object"}, {"properties", {{"a", {{"type", "string"}, {"x-mcp-header", "A"}}}}}};
        if (!is_call(seen)) return modern(exchange, seen, calls ? then : first);
        if (calls == 1) return reply(exchange, 400, error_for(seen, -32020));
        return reply(exchange, 200, result_for(seen, said("fine")));
    };
    call_once(world, {{"a", "b"}});
    CHECK(world.seen.back().header("Mcp-Param-A") == "b");
}
TEST_CASE("a legacy session is begun, used with the agreed revision, and ended") {
    World world;
    world.act = [](World&, net::HttpExchange& exchange, const Seen& seen) {
        return is_call(seen) ? reply(exchange, 200, result_for(seen, said("fine"))) : legacy(exchange, seen);
    };

    call_once(world);

    std::vector<std::string> story;
    for (const auto& seen : world.seen)
        story.push_back(seen.method == "POST" ? seen.body.at("method").get<std::string>() : seen.method);
    std::erase(story, "GET");  // it lasts beside the other requests
    CHECK(story == std::vector<std::string>{"server/discover", "initialize", "notifications/initialized", "tools/list",
                                            "tools/call", "DELETE"});
    for (const auto& seen : world.seen) {
        const bool before = seen.method == "POST" &&
                            (seen.body.at("method") == "server/discover" || seen.body.at("method") == "initialize");
        CHECK(seen.header("Mcp-Session-Id") == (before ? "" : "s-1"));
        if (!before) CHECK(seen.header("MCP-Protocol-Version") == "2025-06-18");
    }
}
TEST_CASE("a session is begun again once when the server has forgotten it") {
    const json denial = {{"error", "Session not found"}};
    const json nameless = {
        {"jsonrpc", "2.0"}, {"id", nullptr}, {"error", {{"code", -1}, {"message", "Session expired"}}}};
    const std::function<awaitable<void>(net::HttpExchange&)> answers[] = {
        [](net::HttpExchange& exchange) { return reply(exchange, 404, nullptr); },
        [](net::HttpExchange& exchange) { return reply(exchange, 410, nullptr); },
        [&](net::HttpExchange& exchange) { return reply(exchange, 200, denial); },
        [&](net::HttpExchange& exchange) { return reply(exchange, 200, nameless); },
        [&](net::HttpExchange& exchange) {
            return stream(exchange, "event: message\ndata: " + denial.dump() + "\n\n");
        },
        [&](net::HttpExchange& exchange) { return stream(exchange, "data: " + nameless.dump() + "\n\n"); },
    };
    for (const auto& answer : answers) {
        World world;
        world.act = [&](World& self, net::HttpExchange& exchange, const Seen& seen) {
            if (!is_call(seen)) return legacy(exchange, seen);
            if (std::ranges::count_if(self.seen, is_call) == 1) return answer(exchange);
            return reply(exchange, 200, result_for(seen, said("fine")));
        };
        call_once(world);
        CHECK(std::ranges::count_if(world.seen, is_call) == 2);
        CHECK(std::ranges::count_if(world.seen, [](const Seen& s) {
                  return s.method == "POST" && s.body.value("method", "") == "initialize";
              }) == 2);
    }
}
TEST_CASE("a call is not sent again when the server answers with success and an error of its own session") {
    for (const json& error : {json("the session of the database was closed"), json("the row was not found")}) {
        World world;
        world.act = [&](World&, net::HttpExchange& exchange, const Seen& seen) {
            return is_call(seen) ? reply(exchange, 200, {{"error", error}}) : legacy(exchange, seen);
        };
        CHECK_THROWS_AS(call_once(world), mcp::TransportError);
        CHECK(std::ranges::count_if(world.seen, is_call) == 1);
    }
}
TEST_CASE("a session is begun again once when a server answers 400 without it") {
    const json nameless = {{"jsonrpc", "2.0"}, {"id", nullptr}, {"error", {{"code", -32000}, {"message", "Bad"}}}},
               named = {{"jsonrpc", "2.0"},
                        {"id", "server-error"},
                        {"error", {{"code", -32600}, {"message", "Session gone"}}}};
    for (const auto& body : {nameless, named, json("Invalid session ID")}) {
        World world;
        world.act = [&](World& self, net::HttpExchange& exchange, const Seen& seen) {
            if (!is_call(seen)) return legacy(exchange, seen);
            if (std::ranges::count_if(self.seen, is_call) == 1) return reply(exchange, 400, body);
            return reply(exchange, 200, result_for(seen, said("fine")));
        };
        call_once(world);
        CHECK(std::ranges::count_if(world.seen, is_call) == 2);
    }
    World hopeless;
    hopeless.act = [&](World&, net::HttpExchange& exchange, const Seen& seen) {
        return is_call(seen) ? reply(exchange, 400, json("Invalid session ID")) : legacy(exchange, seen);
    };
    CHECK_THROWS_WITH_AS(
        call_once(hopeless),
        "the MCP server \"web\" refused the session with the HTTP status 400: \"Invalid session ID\"; a "
        "new session was begun for it, and was lost in the same way",
        mcp::TransportError);
    CHECK(std::ranges::count_if(hopeless.seen, is_call) == 2);

    World other;  // a status of 400 for the call alone
    other.act = [&](World&, net::HttpExchange& exchange, const Seen& seen) {
        return is_call(seen) ? reply(exchange, 400, error_for(seen, -32602)) : legacy(exchange, seen);
    };
    CHECK_THROWS_AS(call_once(other), mcp::ErrorResponse);
    CHECK(std::ranges::count_if(other.seen, is_call) == 1);
}
TEST_CASE("a broken legacy stream is resumed at its end after the server's pause") {
    World world;
    json id;
    world.act = [&](World&, net::HttpExchange& exchange, const Seen& seen) {
        if (is_call(seen)) {
            id = seen.body.at("id");
            return stream(exchange, "retry: 9223372036854775807\nretry: 20\nid: e-1\ndata:\n\n");
        }
        if (seen.method == "GET" && seen.header("Last-Event-ID") == "e-1")
            return stream(exchange, event({{"jsonrpc", "2.0"}, {"id", id}, {"result", said("late")}}, "e-2"));
        return legacy(exchange, seen);
    };
    std::string text;
    call_once(world, json::object(), &text);
    CHECK(text == "late");
    CHECK(std::ranges::count_if(world.seen, is_call) == 1);
}
TEST_CASE("a cancelled call sends a notification to a legacy server, and closes its stream to a modern one") {
    for (const bool is_modern : {false, true}) {
        World world;
        world.act = [is_modern](World& self, net::HttpExchange& exchange, const Seen& seen) {
            if (is_call(seen)) return wait_for_the_end(self, exchange);
            return is_modern ? modern(exchange, seen) : legacy(exchange, seen);
        };
        meet(world, [&world, is_modern](mcp::Client& client) { return cancel_one(world, client, !is_modern); });
        const auto told = std::ranges::count_if(world.seen, [](const Seen& s) {
            return s.method == "POST" && s.body.value("method", "") == "notifications/cancelled";
        });
        CHECK(told == (is_modern ? 0 : 1));
        CHECK(world.gone == 1);
    }
}
TEST_CASE("errors of HTTP statuses are sentences with the cure, and show no secret") {
    struct Case {
        unsigned status;
        mcp::TransportFailure trouble;
        const char* says;
    };
    for (const Case& expected :
         {Case{401, mcp::TransportFailure::needs_token, "does not accept this token: set WEFT_X"},
          Case{403, mcp::TransportFailure::forbidden, "the scope files:read"},
          Case{307, mcp::TransportFailure::failed, "a redirect to https://other.org/, which is not followed"},
          Case{500, mcp::TransportFailure::failed, "HTTP status 500: your token is ***"},
          Case{200, mcp::TransportFailure::unusable, "not a message of MCP: your token is ***"}}) {
        World world;
        world.act = [&](World&, net::HttpExchange& exchange, const Seen&) -> awaitable<void> {
            net::HttpReply answer;
            answer.status = expected.status;
            answer.headers.push_back({"WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"files:read\""});
            answer.headers.push_back({"Location", "https://other.org/"});
            answer.body = "your token is t0ken-0f-mine";
            return exchange.respond(std::move(answer));
        };
        try {
            call_once(world, json::object(), nullptr, {.token = "t0ken-0f-mine", .token_hint = "set WEFT_X"});
            FAIL("nothing was thrown");
        } catch (const mcp::TransportError& error) {
            CHECK(error.trouble() == expected.trouble);
            CHECK_MESSAGE(std::string(error.what()).find(expected.says) != std::string::npos, error.what());
        }
        CHECK(world.seen.size() ==
              (expected.trouble == mcp::TransportFailure::needs_token ? 1 : 2));  // also for the legacy era
        CHECK(world.seen[0].header("Authorization") == "Bearer t0ken-0f-mine");
    }
}
TEST_CASE("a token is sent only to https and this machine") {
    const auto make = [](const char* url, std::string token, net::HttpHeaders headers = {}) {
        mcp::HttpTransport(
            {.server = "web", .url = net::parse_url(url), .headers = std::move(headers), .token = std::move(token)});
    };
    make("https://example.org/mcp", "t0ken-0f-mine");
    make("http://localhost:1/mcp", "t0ken-0f-mine");
    make("http://[::1]:1/mcp", "t0ken-0f-mine");
    make("http://example.org/mcp", "");
    CHECK_THROWS_WITH_AS(make("http://example.org/mcp", "t0ken-0f-mine"), doctest::Contains("write https://"), Error);
    CHECK_THROWS_AS(make("http://127.0.0.1.example.org/mcp", "t0ken-0f-mine"), Error);
    CHECK_THROWS_AS(make("http://example.org/mcp", "", {{"X-Api-Key", "k"}}), Error);
    CHECK_THROWS_AS(make("https://example.org/mcp", "a\r\nb"), Error);
}
