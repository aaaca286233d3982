// Streamable HTTP, against a server in the same loop that behaves as each test wants.
#include "engine/asio.hpp"
#include "engine/bell.hpp"
#include "engine/json/parse.hpp"
#include "engine/net/http_server.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/await.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client.hpp"
#include "tools/mcp/http_transport.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::tools;
using namespace std::chrono_literals;
using nlohmann::json;

namespace {
struct Seen {
    std::string method;
    net::HttpHeaders headers;
    json body;
    std::string header(std::string_view name) const { return std::string(net::find_header(headers, name)); }
};
struct World {
    std::vector<Seen> seen;
    std::function<awaitable<void>(World&, net::Exchange&, const Seen&)> act;
    int gone = 0;
    Bell called, left, told;  // a call has come, its client has gone, its cancellation has come
};
awaitable<void> reply(net::Exchange& exchange, unsigned status, json body, net::HttpHeaders headers = {}) {
    net::HttpReply answer;
    answer.status = status;
    answer.headers = std::move(headers);
    if (!body.is_null()) {
        answer.headers.push_back({"Content-Type", "application/json"});
        answer.body = body.dump();
    }
    auto responding = exchange.respond(std::move(answer));
    co_await std::move(responding);
}
awaitable<void> stream(net::Exchange& exchange, std::string events) {
    net::HttpHeaders headers;
    headers.push_back({"Content-Type", "text/event-stream"});
    auto beginning = exchange.begin(200, std::move(headers));
    co_await std::move(beginning);
    auto writing = exchange.write(std::move(events));
    co_await std::move(writing);
    auto ending = exchange.end();
    co_await std::move(ending);
}
json result_for(const Seen& seen, json result) {
    return {{"jsonrpc", "2.0"}, {"id", seen.body.at("id")}, {"result", std::move(result)}};
}
json error_for(const Seen& seen, int code) {
    return {{"jsonrpc", "2.0"}, {"id", seen.body.at("id")}, {"error", {{"code", code}, {"message", "no"}}}};
}
json tools_with(json schema) {
    return {{"resultType", "complete"},
            {"tools", json::array({{{"name", "look"}, {"inputSchema", std::move(schema)}}})}};
}
json said(const std::string& text) {
    return {{"resultType", "complete"}, {"content", json::array({{{"type", "text"}, {"text", text}}})}};
}
json discovery() {
    return {{"supportedVersions", json::array({"2026-07-28"})}, {"capabilities", {{"tools", json::object()}}}};
}
json greeting() { return {{"protocolVersion", "2025-06-18"}, {"capabilities", {{"tools", json::object()}}}}; }
std::string event(const json& message, const std::string& id = {}) {
    return (id.empty() ? "" : "id: " + id + "\n") + "data: " + message.dump() + "\n\n";
}

awaitable<void> serve(std::shared_ptr<net::HttpServer> server) {
    auto running = server->run();
    co_await std::move(running);
}
/// Runs a client against the world.
void meet(World& world, std::function<awaitable<void>(mcp::Client&)> visit, mcp::HttpOptions options = {}) {
    auto handler = [&world](net::Exchange& exchange) -> awaitable<void> {
        const auto& request = exchange.request();
        const Seen seen{request.method, request.headers, request.body.empty() ? json() : parse_json(request.body)};
        world.seen.push_back(seen);
        if (seen.body.is_object() && seen.body.value("method", "") == "notifications/cancelled") world.told.ring();
        auto acting = world.act(world, exchange, seen);
        co_await std::move(acting);
    };
    auto all = [](net::HttpHandler handle, std::function<awaitable<void>(mcp::Client&)> act,
                  mcp::HttpOptions given) -> awaitable<void> {
        const Runtime runtime = *co_await this_runtime();
        auto server = std::make_shared<net::HttpServer>(net::HttpServerOptions(), std::move(handle));
        server->listen(runtime);
        spawn(runtime, serve(server), asio::detached);
        given.server = "web";
        given.url = net::parse_url("http://127.0.0.1:" + std::to_string(server->port()) + "/mcp");
        std::exception_ptr error;
        {
            mcp::Client client(std::make_unique<mcp::HttpTransport>(std::move(given)), {});
            auto visiting = act(client);
            try {
                co_await std::move(visiting);
            } catch (...) { error = std::current_exception(); }
            auto closing = client.close();
            co_await std::move(closing);
        }
        server->stop(0s);
        if (error) std::rethrow_exception(error);
    };
    testing::await(all(std::move(handler), std::move(visit), std::move(options)));
}
awaitable<void> call(mcp::Client& client, json arguments, std::string* text = nullptr) {
    auto listing = client.tools();
    co_await std::move(listing);
    mcp::ToolCall wanted;
    wanted.tool = "look";
    wanted.arguments = std::move(arguments);
    mcp::CallOptions options;
    auto calling = client.call(std::move(wanted), std::move(options));
    const auto result = co_await std::move(calling);
    if (text) *text = result.content.at(0).at("text");
}
void call_once(World& world, json arguments = json::object(), std::string* text = nullptr,
               mcp::HttpOptions options = {}) {
    meet(
        world, [&](mcp::Client& client) { return call(client, arguments, text); }, std::move(options));
}
/// What a modern server with one tool does with all but the call.
awaitable<void> modern(net::Exchange& exchange, const Seen& seen, json schema = {{"type", "object"}}) {
    if (seen.body.at("method") == "server/discover") return reply(exchange, 200, result_for(seen, discovery()));
    return reply(exchange, 200, result_for(seen, tools_with(std::move(schema))));
}
/// The same of a legacy server, with a session.
awaitable<void> legacy(net::Exchange& exchange, const Seen& seen) {
    if (seen.method == "DELETE") return reply(exchange, 204, nullptr);
    if (seen.method == "GET") return reply(exchange, 405, nullptr);
    const auto method = seen.body.value("method", std::string());
    net::HttpHeaders session;
    session.push_back({"Mcp-Session-Id", "s-1"});
    if (method == "server/discover") return reply(exchange, 400, error_for(seen, -32000));
    if (method == "initialize") return reply(exchange, 200, result_for(seen, greeting()), std::move(session));
    if (!seen.body.contains("id")) return reply(exchange, 202, nullptr);
    return reply(exchange, 200, result_for(seen, tools_with({{"type", "object"}})));
}
awaitable<void> wait_for_the_end(World& world, net::Exchange& exchange) {
    const Bell end;
    exchange.when_leaving([&world, end] {
        ++world.gone;
        world.left.ring();
        end.ring();
    });
    world.called.ring();
    co_await end.wait();
}
awaitable<void> cancel_one(World& world, mcp::Client& client, bool is_told) {
    const Runtime runtime = *co_await this_runtime();
    const auto stop = std::make_shared<asio::cancellation_signal>();
    const Bell ended;
    spawn(runtime, call(client, json::object()),
          asio::bind_cancellation_slot(stop->slot(), [stop, ended](std::exception_ptr) { ended.ring(); }));
    co_await world.called.wait();
    stop->emit(asio::cancellation_type::terminal);
    co_await ended.wait();
    co_await world.left.wait();
    if (is_told) co_await world.told.wait();
}
bool is_call(const Seen& seen) { return seen.body.is_object() && seen.body.value("method", "") == "tools/call"; }
}

TEST_CASE("a modern request says in its headers what its body says, and values that are not plain are encoded") {
    World world;
    const json schema = {{"type", "object"},
                         {"properties",
                          {{"city", {{"type", "string"}, {"x-mcp-header", "City"}}},
                           {"n", {{"type", "integer"}, {"x-mcp-header", "N"}}}}}};
    world.act = [&](World&, net::Exchange& exchange, const Seen& seen) {
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
TEST_CASE("an answer may come as a stream, behind comments, progress, strangers and answers to others") {
    World world;
    world.act = [](World&, net::Exchange& exchange, const Seen& seen) {
        if (!is_call(seen)) return modern(exchange, seen);
        auto stranger = result_for(seen, said("stranger"));
        stranger["id"] = std::to_string(seen.body.at("id").get<int>());
        return stream(exchange, ": hello\n\ndata:\n\nevent: ping\ndata: x\n\ndata: no message\n\n" + event(stranger) +
                                    event(result_for(seen, said("fine"))) + event(result_for(seen, said("twice"))));
    };
    std::string text;
    call_once(world, json::object(), &text);
    CHECK(text == "fine");
}
TEST_CASE("a modern stream that breaks off is an error, and the call is not made again") {
    World world;
    world.act = [](World&, net::Exchange& exchange, const Seen& seen) {
        return is_call(seen) ? stream(exchange, "id: 1\ndata:\n\n") : modern(exchange, seen);
    };
    CHECK_THROWS_WITH_AS(call_once(world), "the MCP server \"web\" ended its answer before the result",
                         mcp::TransportError);
    CHECK(std::ranges::count_if(world.seen, is_call) == 1);
}
TEST_CASE("a server that wants other headers is listed anew, and asked once more") {
    World world;
    world.act = [](World& self, net::Exchange& exchange, const Seen& seen) {
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
TEST_CASE("a legacy session is begun, repeated with the agreed revision, and ended") {
    World world;
    world.act = [](World&, net::Exchange& exchange, const Seen& seen) {
        return is_call(seen) ? reply(exchange, 200, result_for(seen, said("fine"))) : legacy(exchange, seen);
    };

    call_once(world);

    std::vector<std::string> story;
    for (const auto& seen : world.seen) story.push_back(seen.method == "POST" ? seen.body.at("method") : seen.method);
    std::erase(story, "GET");  // it goes on beside the others
    CHECK(story == std::vector<std::string>{"server/discover", "initialize", "notifications/initialized", "tools/list",
                                            "tools/call", "DELETE"});
    for (const auto& seen : world.seen) {
        const bool before = seen.method == "POST" &&
                            (seen.body.at("method") == "server/discover" || seen.body.at("method") == "initialize");
        CHECK(seen.header("Mcp-Session-Id") == (before ? "" : "s-1"));
        if (!before) CHECK(seen.header("MCP-Protocol-Version") == "2025-06-18");
    }
}
TEST_CASE("a session that the server has forgotten is begun anew, once") {
    World world;
    world.act = [](World& self, net::Exchange& exchange, const Seen& seen) {
        if (!is_call(seen)) return legacy(exchange, seen);
        if (std::ranges::count_if(self.seen, is_call) == 1) return reply(exchange, 404, nullptr);
        return reply(exchange, 200, result_for(seen, said("fine")));
    };
    call_once(world);
    CHECK(std::ranges::count_if(world.seen, is_call) == 2);
    CHECK(std::ranges::count_if(world.seen, [](const Seen& s) {
              return s.method == "POST" && s.body.value("method", "") == "initialize";
          }) == 2);
}
TEST_CASE("a legacy stream that breaks off is taken up where it ended, after the pause that the server wants") {
    World world;
    json id;
    world.act = [&](World&, net::Exchange& exchange, const Seen& seen) {
        if (is_call(seen)) {
            id = seen.body.at("id");
            return stream(exchange, "retry: 20\nid: e-1\ndata:\n\n");
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
TEST_CASE("a cancelled call is told to a legacy server, and for a modern one its stream is closed") {
    for (const bool is_modern : {false, true}) {
        World world;
        world.act = [is_modern](World& self, net::Exchange& exchange, const Seen& seen) {
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
TEST_CASE("statuses are sentences that say what to do, and show no secret") {
    struct Case {
        unsigned status;
        mcp::Trouble trouble;
        const char* says;
    };
    for (const auto& [status, trouble, says] :
         {Case{401, mcp::Trouble::needs_token, "does not accept this token: set WEFT_X"},
          Case{403, mcp::Trouble::forbidden, "the scope files:read"},
          Case{307, mcp::Trouble::failed, "a redirect to https://other.org/, which is not followed"},
          Case{500, mcp::Trouble::failed, "HTTP status 500: your token is ***"},
          Case{200, mcp::Trouble::unusable, "none of MCP: your token is ***"}}) {
        World world;
        world.act = [&](World&, net::Exchange& exchange, const Seen&) -> awaitable<void> {
            net::HttpReply answer;
            answer.status = status;
            answer.headers.push_back({"WWW-Authenticate", "Bearer error=\"insufficient_scope\", scope=\"files:read\""});
            answer.headers.push_back({"Location", "https://other.org/"});
            answer.body = "your token is t0ken-0f-mine";
            return exchange.respond(std::move(answer));
        };
        try {
            call_once(world, json::object(), nullptr, {.token = "t0ken-0f-mine", .token_hint = "set WEFT_X"});
            FAIL("nothing was thrown");
        } catch (const mcp::TransportError& error) {
            CHECK(error.trouble() == trouble);
            CHECK_MESSAGE(std::string(error.what()).find(says) != std::string::npos, error.what());
        }
        CHECK(world.seen.size() == 1);
        CHECK(world.seen[0].header("Authorization") == "Bearer t0ken-0f-mine");
    }
}
TEST_CASE("a token goes to https and to this machine only") {
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
