// Refusals reach the client, also while it still sends the refused request.
#include "tests/support/served.hpp"
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::net;
using namespace std::chrono_literals;
using testing::body_of;
using testing::Caller;
using testing::Served;
using testing::status_of;

namespace {
awaitable<void> say_ok(HttpExchange& exchange) {
    HttpReply reply{.status = 200, .headers = {}, .body = "ok"};
    co_await exchange.respond(std::move(reply));
}
std::string head_of(const std::string& host, const std::string& more = {}) {
    return "POST / HTTP/1.1\r\nHost: " + host + "\r\n" + more + "\r\n";
}
}

TEST_CASE("a client is refused immediately when it speaks TLS to a port that has none") {
    Served served(say_ok);
    for (const auto* hello : {"\x16", "\x16\x03\x01\x02"}) {
        Caller caller(served);
        const auto answer = caller.ask(hello);
        CHECK(status_of(answer) == 400);
        CHECK(body_of(answer).find("begin the address with http://") != std::string::npos);
    }
}
TEST_CASE("a malformed host is refused with 400, whatever its first characters") {
    Served served(say_ok);
    for (const auto* host : {"[::1].evil",
                             "[::1]evil",
                             "[::1]:",
                             "[::1",
                             "::1]",
                             "[::1]:80:80",
                             "[localhost]",
                             "[::1%25lo]",
                             "[::1%lo]",
                             "127.0.0.1:80@evil",
                             "user@localhost",
                             "localhost:80a",
                             "localhost:-1",
                             "localhost:99999",
                             "localhost:80:80",
                             "localhost/evil",
                             "localhost?evil",
                             "localhost#evil",
                             "localhost\\evil",
                             "local host",
                             "localhost, evil",
                             "localhost,evil",
                             "local%68ost",
                             "http://localhost",
                             ":80",
                             "localh\xC3\xB6st",
                             "\"localhost\"",
                             "<localhost>"}) {
        CAPTURE(host);
        Caller caller(served);
        const bool is_empty_port = std::string_view(host) == "[::1]:";
        CHECK(status_of(caller.ask(head_of(host, "Content-Length: 0\r\n"))) == (is_empty_port ? 200 : 400));
    }
    Caller whole(served);
    CHECK(status_of(whole.ask("GET http://127.0.0.1:80@evil/ HTTP/1.1\r\nHost: localhost\r\n\r\n")) == 400);
    for (const auto* host : {"localhost", "LOCALHOST:8080", "127.0.0.1", "[::1]", "[::1]:8080", "a_b.internal", "x."}) {
        CAPTURE(host);
        Caller caller(served);
        CHECK(status_of(caller.ask(head_of(host, "Content-Length: 0\r\n"))) == 200);
    }
}
TEST_CASE("a client that keeps sending a refused request gets the answer, and no reset") {
    const auto look = [](const IncomingRequest& head) {
        return find_header(head.headers, "Authorization").empty()
                   ? std::optional(HttpReply{.status = 401, .headers = {}, .body = "no"})
                   : std::nullopt;
    };
    Served served(say_ok, {.limits = {.body = 4 << 20}, .look_at_head = look});
    const std::string length = "Content-Length: 4000000\r\n", too_long = "Content-Length: 8388608\r\n",
                      known = "Authorization: x\r\n";
    struct Row {
        std::string head;
        unsigned status;
    };
    const Row rows[] = {{length, 401},
                        {known + too_long, 413},
                        {known + "Transfer-Encoding: chunked\r\n", 413},
                        {known + "Expect: magic\r\n" + length, 417},
                        {known + "Content-Length: x\r\n", 400}};
    for (const auto& row : rows) {
        CAPTURE(row.status);
        Caller caller(served);
        caller.send(head_of("localhost", row.head));
        const std::string chunk = "100000\r\n" + std::string(1 << 20, 'a') + "\r\n";
        std::size_t sent = 0;
        for (int i = 0; i < 8; ++i) {
            sent += caller.send(chunk);
            served.clock.advance(1s);
        }
        CHECK(sent == 8 * chunk.size());
        CHECK(status_of(caller.received()) == row.status);
        CHECK_FALSE(caller.was_reset());
    }
    served.clock.advance(6s);
    served.turn();
    CHECK(served.server.connections() == 0);
}
TEST_CASE("a slow or silent client is not read for long after a refusal") {
    Served served(say_ok, {.limits = {.body = 10}});
    Caller silent(served), slow(served);
    for (auto* caller : {&silent, &slow}) caller->send(head_of("localhost", "Content-Length: 100000\r\n"));
    for (int i = 0; i < 4; ++i) {
        served.clock.advance(1s);
        slow.send("a");
    }
    CHECK(served.server.connections() == 2);
    served.clock.advance(2s);
    served.turn();
    CHECK(served.server.connections() == 1);
    for (int i = 0; i < 30; ++i) {
        slow.send("a");
        served.clock.advance(1s);
    }
    served.turn();
    CHECK(served.server.connections() == 0);
}
TEST_CASE("a server stops without waiting for a client that keeps sending a refused request") {
    Served served(say_ok, {.limits = {.body = 10}});
    Caller caller(served);
    caller.send(head_of("localhost", "Content-Length: 100000\r\n"));
    served.server.stop(60s);
    served.turn();
    CHECK(served.ended);
}
TEST_CASE("a server refuses in the form of its owner, with the known part of the head") {
    std::string seen;
    HttpServerOptions options{.limits = {.header = 1000, .body = 10}};
    options.refuse = [&seen](const IncomingRequest& head, unsigned status, const std::string& detail) {
        seen += std::string(find_header(head.headers, "Origin")) + " " + std::to_string(status) + "; ";
        return HttpReply{.status = status, .headers = {{"X-Own", "yes"}}, .body = "own: " + detail};
    };
    Served served(say_ok, std::move(options));
    Caller large(served), odd(served), endless(served);
    const auto answer = large.ask(head_of("localhost", "Origin: https://a\r\nContent-Length: 11\r\n"));
    CHECK(body_of(answer).starts_with("own: the body is longer"));
    CHECK(answer.find("X-Own: yes") != answer.npos);
    odd.ask("?\r\n\r\n");
    endless.ask("GET /" + std::string(2000, 'a'));
    CHECK(seen == "https://a 413;  400;  431; ");
}
TEST_CASE("a server refuses nothing when its client resets the connection within a request") {
    int refusals = 0;
    HttpServerOptions options;
    options.refuse = [&refusals](const IncomingRequest&, unsigned status, const std::string&) {
        ++refusals;
        return HttpReply{.status = status, .headers = {}, .body = {}};
    };
    Served served(say_ok, std::move(options));
    Caller lost(served);
    lost.send(head_of("localhost", "Content-Length: 10\r\n"));

    lost.reset();
    served.turn();

    CHECK(served.server.connections() == 0);
    CHECK(refusals == 0);
}
TEST_CASE("a client above the limit gets the answer, and no reset, when it has sent its request") {
    Served served(say_ok, {.limits = {.connections = 1}});
    Caller first(served), second(served);
    second.send(head_of("localhost", "Content-Length: 0\r\n"));
    CHECK(status_of(second.received()) == 503);
    CHECK_FALSE(second.was_reset());
}
