// An MCP server over HTTP inside a test, in the client's own loop: the test sees each request and chooses the answer.
#pragma once
#include "engine/asio.hpp"
#include "engine/json/parse.hpp"
#include "engine/net/http_server.hpp"
#include "engine/signal.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/await.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/client.hpp"
#include "tools/mcp/client/http_transport.hpp"
#include <algorithm>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/detached.hpp>

namespace weft::testing::web {
using namespace weft::tools;
using namespace std::chrono_literals;
using nlohmann::json;

struct Seen {
    std::string method;
    net::HttpHeaders headers;
    json body;
    std::string header(std::string_view name) const { return std::string(net::find_header(headers, name)); }
};
struct World {
    std::vector<Seen> seen;
    std::function<awaitable<void>(World&, net::HttpExchange&, const Seen&)> act;
    mcp::ClientOptions client;
    std::string target = "/mcp";
    int gone = 0;
    Signal called, left, told;  // raised by: a call, its client's leaving, its cancellation
};
inline awaitable<void> reply(net::HttpExchange& exchange, unsigned status, json body, net::HttpHeaders headers = {}) {
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
inline awaitable<void> stream(net::HttpExchange& exchange, std::string events) {
    net::HttpHeaders headers;
    headers.push_back({"Content-Type", "text/event-stream"});
    auto beginning = exchange.begin(200, std::move(headers));
    co_await std::move(beginning);
    auto writing = exchange.write(std::move(events));
    co_await std::move(writing);
    auto ending = exchange.end();
    co_await std::move(ending);
}
inline json result_for(const Seen& seen, json result) {
    return {{"jsonrpc", "2.0"}, {"id", seen.body.at("id")}, {"result", std::move(result)}};
}
inline json error_for(const Seen& seen, int code) {
    return {{"jsonrpc", "2.0"}, {"id", seen.body.at("id")}, {"error", {{"code", code}, {"message", "no"}}}};
}
inline json tools_with(json schema) {
    return {{"resultType", "complete"},
            {"tools", json::array({{{"name", "look"}, {"inputSchema", std::move(schema)}}})}};
}
inline json said(const std::string& text) {
    return {{"resultType", "complete"}, {"content", json::array({{{"type", "text"}, {"text", text}}})}};
}
inline json discovery() {
    return {{"supportedVersions", json::array({"2026-07-28"})}, {"capabilities", {{"tools", json::object()}}}};
}
inline json greeting() { return {{"protocolVersion", "2025-06-18"}, {"capabilities", {{"tools", json::object()}}}}; }
inline std::string event(const json& message, const std::string& id = {}) {
    return (id.empty() ? "" : "id: " + id + "\n") + "data: " + message.dump() + "\n\n";
}

inline awaitable<void> serve(std::shared_ptr<net::HttpServer> server) {
    auto running = server->run();
    co_await std::move(running);
}
/// Runs a client with this server.
inline void meet(World& world, std::function<awaitable<void>(mcp::Client&)> visit,
                 mcp::HttpTransportOptions options = {}) {
    auto handler = [&world](net::HttpExchange& exchange) -> awaitable<void> {
        const auto& request = exchange.request();
        const Seen seen{request.method, request.headers, request.body.empty() ? json() : parse_json(request.body)};
        world.seen.push_back(seen);
        if (seen.body.is_object() && seen.body.value("method", "") == "notifications/cancelled") world.told.ring();
        auto acting = world.act(world, exchange, seen);
        co_await std::move(acting);
    };
    auto all = [](World& w, net::HttpHandler handle, std::function<awaitable<void>(mcp::Client&)> act,
                  mcp::HttpTransportOptions given) -> awaitable<void> {
        const Runtime runtime = *co_await this_runtime();
        auto server = std::make_shared<net::HttpServer>(net::HttpServerOptions(), std::move(handle));
        server->listen(runtime);
        spawn(runtime, serve(server), asio::detached);
        given.server = "web";
        given.url = net::parse_url("http://127.0.0.1:" + std::to_string(server->port()) + w.target);
        std::exception_ptr error;
        {
            mcp::Client client(std::make_unique<mcp::HttpTransport>(std::move(given)), w.client);
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
    testing::await(all(world, std::move(handler), std::move(visit), std::move(options)));
}
inline awaitable<void> call(mcp::Client& client, json arguments, std::string* text = nullptr) {
    auto listing = client.tools();
    co_await std::move(listing);
    mcp::CallToolParams wanted;
    wanted.tool = "look";
    wanted.arguments = std::move(arguments);
    mcp::CallOptions options;
    auto calling = client.call(std::move(wanted), std::move(options));
    const auto result = co_await std::move(calling);
    if (text) *text = result.content.at(0).at("text");
}
inline void call_once(World& world, json arguments = json::object(), std::string* text = nullptr,
                      mcp::HttpTransportOptions options = {}) {
    meet(
        world, [&](mcp::Client& client) { return call(client, arguments, text); }, std::move(options));
}
/// A modern server with one tool answers all requests but the call.
inline awaitable<void> modern(net::HttpExchange& exchange, const Seen& seen, json schema = {{"type", "object"}}) {
    if (seen.body.at("method") == "server/discover") return reply(exchange, 200, result_for(seen, discovery()));
    return reply(exchange, 200, result_for(seen, tools_with(std::move(schema))));
}
/// A legacy server with a session answers all requests but the call.
inline awaitable<void> legacy(net::HttpExchange& exchange, const Seen& seen) {
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
inline awaitable<void> wait_for_the_end(World& world, net::HttpExchange& exchange) {
    const Signal end;
    exchange.when_leaving([&world, end] {
        ++world.gone;
        world.left.ring();
        end.ring();
    });
    world.called.ring();
    co_await end.wait();
}
inline awaitable<void> cancel_one(World& world, mcp::Client& client, bool is_told) {
    const Runtime runtime = *co_await this_runtime();
    const auto stop = std::make_shared<asio::cancellation_signal>();
    const Signal ended;
    spawn(runtime, call(client, json::object()),
          asio::bind_cancellation_slot(stop->slot(), [stop, ended](std::exception_ptr) { ended.ring(); }));
    co_await world.called.wait();
    stop->emit(asio::cancellation_type::terminal);
    co_await ended.wait();
    co_await world.left.wait();
    if (is_told) co_await world.told.wait();
}
inline bool is_call(const Seen& seen) { return seen.body.is_object() && seen.body.value("method", "") == "tools/call"; }
}
