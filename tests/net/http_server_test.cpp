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
constexpr auto get = "GET /a?b=c HTTP/1.1\r\nHost: localhost\r\n\r\n";
std::string post(std::string_view body, std::string_view headers = {}) {
    return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           std::string(headers) + "\r\n" + std::string(body);
}
/// Answers with its request.
awaitable<void> echo(HttpExchange& exchange) {
    const auto& request = exchange.request();
    HttpReply reply{.status = 200, .headers = {{"Content-Type", "text/plain"}}, .body = {}};
    reply.body = request.method + " " + request.target + " " + request.body;
    co_await exchange.respond(std::move(reply));
}
}

TEST_CASE("a connection serves one request after the other, and reports the end of each answer") {
    Served served(echo);
    Caller caller(served);

    const auto first = caller.ask(get), second = caller.ask(post("hello"));

    CHECK(first == "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: text/plain\r\n"
                   "Content-Length: 11\r\n\r\nGET /a?b=c ");
    CHECK(body_of(second) == "POST / hello");
    CHECK_FALSE(caller.closed());
    CHECK(served.server.requests() == 2);
    CHECK(served.server.connections() == 1);
}
TEST_CASE("a client of HTTP/1.0, or one that asks to close, is answered and closed; HEAD and 204 have no body") {
    Served served([](HttpExchange& exchange) -> awaitable<void> {
        HttpReply reply{.status = exchange.request().target == "/none" ? 204u : 200u, .headers = {}, .body = {}};
        reply.body = reply.status == 204 ? "" : "four";
        co_await exchange.respond(std::move(reply));
    });
    Caller old(served), leaving(served), head(served), kept(served);

    CHECK(body_of(old.ask("GET / HTTP/1.0\r\n\r\n")) == "four");
    CHECK(old.closed());
    CHECK(kept.ask("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n").find("Connection: keep-alive") !=
          std::string::npos);
    CHECK_FALSE(kept.closed());
    CHECK(leaving.ask("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").find("Connection: close") !=
          std::string::npos);
    CHECK(leaving.closed());
    const auto answer = head.ask("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n");
    CHECK(answer.find("Content-Length: 4") != std::string::npos);
    CHECK(body_of(answer).empty());
    const auto none = head.ask("GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
    CHECK(status_of(none) == 204);
    CHECK(none.find("Content-Length") == std::string::npos);
}
TEST_CASE("a request is read the same wherever it is cut") {
    Served served(echo);
    const std::string request = "POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
                                "5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nTrailer: x\r\n\r\n";
    for (std::size_t cut = 1; cut < request.size(); ++cut) {
        Caller caller(served);
        caller.send(std::string_view(request).substr(0, cut));
        CHECK(body_of(caller.ask(std::string_view(request).substr(cut))) == "POST /x hello!");
        CHECK_FALSE(caller.closed());
    }
    Caller drop_by_drop(served);
    for (const char c : request) drop_by_drop.send({&c, 1});
    CHECK(body_of(drop_by_drop.received()) == "POST /x hello!");
}
TEST_CASE("a short request is served when it follows a longer one that came in pieces") {
    Served served(echo);
    Caller caller(served);
    const auto longer = post("", "X-Long: " + std::string(500, 'a') + "\r\n");
    CHECK(caller.ask(longer.substr(0, longer.size() - 1)).empty());
    CHECK(body_of(caller.ask(longer.substr(longer.size() - 1))) == "POST / ");

    CHECK(body_of(caller.ask(get)) == "GET /a?b=c ");
}
TEST_CASE("an ambiguous or unreadable request is refused with a status, and its connection ends") {
    struct Row {
        std::string request;
        unsigned status;
    };
    const std::string host = "Host: localhost\r\n";
    const Row rows[] = {
        {"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n0\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd", 400},
        {"POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc", 400},
        {"POST / HTTP/1.1\r\n" + host + "Content-Length: 3, 3\r\n\r\nabc", 400},
        {"POST / HTTP/1.1\r\n" + host + "Content-Length: +3\r\n\r\nabc", 400},
        {"POST / HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999\r\n\r\n", 400},
        {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501},
        {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", 501},
        {"POST / HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nz\r\n\r\n", 400},
        {"POST / HTTP/1.0\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" + host + "Host: other\r\n\r\n", 400},
        {"GET / HTTP/1.1\n" + std::string("Host: a\n\n"), 400},
        {"GET / HTTP/1.1\r\n" + host + "A: b\rc: d\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" + host + "A: b\nc: d\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" + host + "A: b\r\n c\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" + host + "A : b\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" + host + std::string("A: \0b\r\n\r\n", 9), 400},
        {"GET / HTTP/2.0\r\n" + host + "\r\n", 505},
        {"GET http://a@localhost/ HTTP/1.1\r\n" + host + "\r\n", 400},
        {"GET ftp://localhost/ HTTP/1.1\r\n" + host + "\r\n", 400},
        {"GET /\x80 HTTP/1.1\r\n" + host + "\r\n", 400},
        {"GET  / HTTP/1.1\r\n" + host + "\r\n", 400},
        {"\x16\x03\x01\x02\r\n\r\n", 400},
        {"GET / HTTP/1.1\r\n" + host + "Expect: miracles\r\nContent-Length: 1\r\n\r\n", 417},
    };
    Served served(echo);
    for (const auto& row : rows) {
        CAPTURE(row.request);
        Caller caller(served);
        const auto answer = caller.ask(row.request);
        CHECK(status_of(answer) == row.status);
        CHECK_FALSE(nlohmann::json::parse(body_of(answer)).at("detail").get<std::string>().empty());
        CHECK(caller.closed());
        CHECK_FALSE(caller.was_reset());
    }
    CHECK(served.server.requests() == 0);
}
TEST_CASE("heads, fields and bodies beyond their limits are refused as soon as possible") {
    Served served(echo, {.limits = {.header = 4000, .body = 1000}});
    Caller head(served), fields(served), body(served), chunks(served), exact(served);

    CHECK(status_of(head.ask("GET /" + std::string(4000, 'a'))) == 431);
    std::string many = "GET / HTTP/1.1\r\nHost: x\r\n";
    for (int i = 0; i < 100; ++i) many += "A: b\r\n";
    CHECK(status_of(fields.ask(many + "\r\n")) == 431);
    CHECK(status_of(body.ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n")) == 413);
    CHECK(status_of(chunks.ask("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n" +
                               std::string(1001, 'a'))) == 413);
    CHECK(status_of(exact.ask(post(std::string(1000, 'a')))) == 200);
    CHECK_FALSE(exact.closed());
}
TEST_CASE("a client that expects 100 Continue gets it before it sends its body") {
    Served served(echo);
    Caller caller(served);

    CHECK(caller.ask("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n") ==
          "HTTP/1.1 100 Continue\r\n\r\n");
    CHECK(body_of(caller.ask("ok")) == "POST / ok");
}
TEST_CASE("an answer to the first of pipelined requests says that the others were not read") {
    Served served(echo);
    Caller caller(served);

    const auto answer = caller.ask(std::string(get) + get);

    CHECK(answer.find("Connection: close") != answer.npos);
    CHECK(body_of(answer) == "GET /a?b=c ");
    CHECK(caller.closed());
    CHECK(served.server.requests() == 1);
}
TEST_CASE("a handler's exception is a 500 without its text, and a header cannot inject another one") {
    Served served([](HttpExchange& exchange) -> awaitable<void> {
        if (exchange.request().target == "/throw") throw std::runtime_error("the password is 1234");
        if (exchange.request().target == "/none") co_return;
        HttpReply reply{.status = 200, .headers = {{"X", "a\r\nSet-Cookie: b"}}, .body = {}};
        co_await exchange.respond(std::move(reply));
    });
    for (const char* target : {"/throw", "/none", "/header"}) {
        CAPTURE(target);
        Caller caller(served);
        const auto answer = caller.ask("GET " + std::string(target) + " HTTP/1.1\r\nHost: x\r\n\r\n");
        CHECK(status_of(answer) == 500);
        CHECK(answer.find("1234") == answer.npos);
        CHECK(answer.find("Set-Cookie") == answer.npos);
        CHECK(status_of(caller.ask(get)) != 0);
    }
}
