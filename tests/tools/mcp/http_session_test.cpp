// Begun calls, streams and secrets with a server over HTTP.
#include "tests/tools/mcp/http_world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::testing::web;

namespace {
/// Returns a call's text, or the sentence of its error.
std::string call_text(World& world, mcp::HttpTransportOptions options = {}) {
    std::string text;
    try {
        call_once(world, json::object(), &text, std::move(options));
    } catch (const Error& error) { return error.what(); }
    return text;
}
bool contains(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
std::ptrdiff_t count(const World& world, std::string_view method) {
    return std::ranges::count_if(world.seen, [&](const Seen& seen) {
        return seen.body.is_object() && seen.body.value("method", std::string()) == method;
    });
}
/// A legacy server with notifications of changes.
awaitable<void> telling(net::HttpExchange& exchange, const Seen& seen) {
    if (seen.body.is_object() && seen.body.value("method", "") == "initialize") {
        auto greets = greeting();
        greets["capabilities"]["tools"]["listChanged"] = true;
        return reply(exchange, 200, result_for(seen, std::move(greets)));
    }
    return legacy(exchange, seen);
}
awaitable<void> list_twice(mcp::Client& client) {
    for (int i = 0; i < 2; ++i) {
        auto listing = client.tools();
        co_await std::move(listing);
    }
}
}

TEST_CASE("a begun call is not repeated when its session is lost while its stream is resumed") {
    World world;
    world.act = [](World&, net::HttpExchange& exchange, const Seen& seen) {
        if (is_call(seen)) return stream(exchange, "retry: 1\nid: e-1\ndata:\n\n");
        if (seen.method == "GET" && seen.header("Last-Event-ID") == "e-1") return reply(exchange, 404, nullptr);
        return legacy(exchange, seen);
    };
    CHECK(call_text(world) == "the MCP server \"web\" broke off its answer, and has forgotten the session");
    CHECK(std::ranges::count_if(world.seen, is_call) == 1);
}
TEST_CASE("an event's id is not sent back when a header cannot have it") {
    World world;
    world.act = [](World&, net::HttpExchange& exchange, const Seen& seen) {
        if (is_call(seen)) return stream(exchange, "id: e\x01\ndata:\n\n");
        return legacy(exchange, seen);
    };
    CHECK(contains(call_text(world), "ended its answer before the result"));
}
TEST_CASE("a list expires when its server has no stream for notifications of changes") {
    for (const bool has_stream : {false, true}) {
        World world;
        world.client.recheck = {};
        world.act = [&](World& self, net::HttpExchange& exchange, const Seen& seen) -> awaitable<void> {
            if (seen.method != "GET" || !has_stream) return telling(exchange, seen);
            return [](World& w, net::HttpExchange& e) -> awaitable<void> {
                net::HttpHeaders headers;
                headers.push_back({"Content-Type", "text/event-stream"});
                auto beginning = e.begin(200, std::move(headers));
                co_await std::move(beginning);
                auto waiting = wait_for_the_end(w, e);
                co_await std::move(waiting);
            }(self, exchange);
        };
        meet(world, list_twice);
        CHECK(count(world, "tools/list") == (has_stream ? 1 : 2));
    }
}
TEST_CASE("a waiting request ends when its client is closed") {
    World world;
    world.act = [](World& self, net::HttpExchange& exchange, const Seen& seen) {
        return is_call(seen) ? wait_for_the_end(self, exchange) : modern(exchange, seen);
    };
    std::string said_at_end;
    meet(world, [&](mcp::Client& client) -> awaitable<void> {
        return [](World& w, mcp::Client& c, std::string& said) -> awaitable<void> {
            const Runtime runtime = *co_await this_runtime();
            const Signal ended;
            spawn(runtime, call(c, json::object()), [&said, ended](std::exception_ptr error) {
                try {
                    if (error) std::rethrow_exception(error);
                } catch (const mcp::TransportError& why) { said = why.what(); }
                ended.ring();
            });
            co_await w.called.wait();
            auto closing = c.close();
            co_await std::move(closing);
            co_await ended.wait();
        }(world, client, said_at_end);
    });
    CHECK(said_at_end == "the MCP server \"web\" was closed");
    CHECK(world.gone == 1);
}
TEST_CASE("a secret is in no message repeated from a server, however the server writes it") {
    const std::string secret = "s3cret/of-mine";
    mcp::HttpTransportOptions options;
    options.headers = {{"X-Thing", "a " + secret}};
    options.secrets = {secret};
    World escaped;  // as text, as a key, and with escaped slashes
    escaped.act = [&](World&, net::HttpExchange& exchange, const Seen& seen) -> awaitable<void> {
        if (!is_call(seen)) return modern(exchange, seen);
        net::HttpReply answer;
        answer.status = 200;
        answer.headers.push_back({"Content-Type", "application/json"});
        auto result = said("it is " + secret);
        result["structuredContent"] = {{secret, secret}};
        for (const char c : result_for(seen, std::move(result)).dump())
            answer.body += c == '/' ? "\\/" : std::string(1, c);
        return exchange.respond(std::move(answer));
    };
    CHECK(call_text(escaped, options) == "it is ***");

    World streamed;
    streamed.act = [&](World&, net::HttpExchange& exchange, const Seen& seen) {
        if (!is_call(seen)) return modern(exchange, seen);
        return stream(exchange, event(result_for(seen, said("it is " + secret))));
    };
    CHECK(call_text(streamed, options) == "it is ***");

    World page;  // in an error page, which is not parsed
    page.act = [&](World&, net::HttpExchange& exchange, const Seen&) {
        net::HttpReply answer;
        answer.status = 500;
        answer.body = "s3cret\\/of-mine and s3cret%2Fof-mine";
        return exchange.respond(std::move(answer));
    };
    CHECK(contains(call_text(page, options), "HTTP status 500: *** and ***"));

    World moved;  // in headers
    moved.act = [&](World&, net::HttpExchange& exchange, const Seen&) {
        net::HttpReply answer;
        answer.status = 307;
        answer.headers.push_back({"Location", "https://other.org/?t=" + secret});
        return exchange.respond(std::move(answer));
    };
    CHECK(contains(call_text(moved, options), "a redirect to https://other.org/?t=***,"));

    World scoped;
    scoped.act = [&](World&, net::HttpExchange& exchange, const Seen&) {
        net::HttpReply answer;
        answer.status = 403;
        answer.headers.push_back({"WWW-Authenticate", "Bearer scope=\"" + secret + "\""});
        return exchange.respond(std::move(answer));
    };
    CHECK(contains(call_text(scoped, options), "the scope ***"));
}
TEST_CASE("an overlong answer is not reported as an unreachable server") {
    World world;
    world.act = [](World&, net::HttpExchange& exchange, const Seen& seen) {
        if (is_call(seen)) return stream(exchange, "data: " + std::string(100'000, 'x') + "\n\n");
        return modern(exchange, seen);
    };
    const auto text = call_text(world, {.limits = {.bytes = 1u << 20}, .stream_bytes = 10'000});
    CHECK_FALSE(contains(text, "cannot be reached"));
    CHECK(contains(text, "sent an answer that cannot be used"));
}
TEST_CASE("a secret of a variable is sent only to https and this machine, and a token is sent once") {
    const auto make = [](const char* url, net::HttpHeaders headers, std::vector<std::string> secrets,
                         std::string token = {}) {
        mcp::HttpTransport({.server = "web",
                            .url = net::parse_url(url),
                            .headers = std::move(headers),
                            .token = std::move(token),
                            .secrets = std::move(secrets)});
    };
    make("https://example.org/mcp?k=s3cret-value", {}, {"s3cret-value"});
    make("http://example.org/mcp", {{"X-Thing", "plain"}}, {"example.org"});  // the variable was the host
    CHECK_THROWS_WITH_AS(make("http://example.org/mcp?k=s3cret-value", {}, {"s3cret-value"}),
                         doctest::Contains("write https://"), Error);
    CHECK_THROWS_AS(make("http://example.org/mcp", {{"X-Thing", "s3cret-value"}}, {"s3cret-value"}), Error);
    CHECK_THROWS_AS(make("http://a.localhost/mcp", {{"X-Thing", "s3cret-value"}}, {"s3cret-value"}), Error);
    CHECK_THROWS_WITH_AS(make("https://example.org/mcp", {{"authorization", "Basic x"}}, {}, "t0ken-0f-mine"),
                         doctest::Contains("both a token and a header Authorization"), Error);
}
