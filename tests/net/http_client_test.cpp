#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/rude_server.hpp"
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <future>
using namespace weft;
using namespace weft::net;
using namespace std::chrono_literals;
using testing::always;
using testing::await;
using testing::Peer;
using testing::RudeServer;

namespace {
HttpRequest request_to(const Url& url) {
    HttpRequest request{.method = "POST", .url = url, .body = "ping"};
    request.timeouts = {.connect = test::limit, .first_byte = test::limit, .idle = test::limit, .total = test::limit};
    return request;
}
awaitable<std::string> stream_all(HttpClient& client, const HttpRequest& request) {
    auto stream = co_await client.open(request);
    std::string all;
    for (;;) {
        const auto piece = co_await stream.read();
        if (piece.empty()) co_return all;
        all += piece;
    }
}
awaitable<void> send_times(HttpClient& client, const HttpRequest& request, int times) {
    for (int i = 0; i < times; ++i) co_await client.send(request);
}
NetError error_of(const HttpRequest& request) {
    HttpClient client;
    try {
        await(client.send(request));
    } catch (const NetError& e) { return e; }
    FAIL("no error");
    return NetError(Failure::connect, "");
}
RudeServer::Session say(std::string text) {
    return [text](Peer& peer) {
        peer.read_request();
        peer.send(text);
    };
}
const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
}

TEST_CASE("a request arrives unchanged, and its answer returns whole") {
    RudeServer server({always(200, "pong", "X-Kind: test\r\n")});
    auto request = request_to(server.url("/a?b=c"));
    request.headers = {{"Authorization", "Bearer k"}};
    HttpClient client;
    const auto response = await(client.send(request));
    CHECK(response.status == 200);
    CHECK(response.body == "pong");
    CHECK(find_header(response.headers, "x-kind") == "test");
    const auto seen = server.requests().at(0);
    CHECK(seen.find("POST /a?b=c HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.url().port) + "\r\n") == 0);
    CHECK(seen.find("\r\nAuthorization: Bearer k\r\n") != std::string::npos);
    CHECK(seen.substr(seen.find("\r\n\r\n")) == "\r\n\r\nping");
}
TEST_CASE("a header with a line break is not sent") {
    RudeServer server({always(200, "pong")});
    auto request = request_to(server.url());
    request.headers = {{"Authorization", "Bearer secret\r\nX: y"}};
    HttpClient client;
    CHECK_THROWS_WITH_AS(await(client.send(request)),
                         "a request cannot be sent: the header Authorization has a line break or another control "
                         "character in it",
                         Error);
    CHECK(server.connections() == 0);
}
TEST_CASE("a written head serves requests with further headers") {
    RudeServer server({always(200, "pong")});
    HttpRequest request = request_to(parse_url("http://other.example/"));
    request.head = HttpClient::write_head("PUT", server.url("/a"), {{"Authorization", "Bearer k"}});
    HttpClient client;
    for (const char* number : {"1", "2"}) {
        request.headers = {{"X-Number", number}};
        CHECK(await(client.send(request)).body == "pong");
    }
    const auto seen = server.requests().at(1);
    CHECK(seen.find("PUT /a HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server.url().port) + "\r\n") == 0);
    CHECK(seen.find("\r\nAuthorization: Bearer k\r\nX-Number: 2\r\nContent-Length: 4\r\n\r\nping") != seen.npos);
}
TEST_CASE("a head with a line break in a header is not written") {
    CHECK_THROWS_WITH_AS(
        HttpClient::write_head("GET", parse_url("http://a.example/"), {{"X-Key", "a\r\nX: y"}}),
        "a request cannot be sent: the header X-Key has a line break or another control character in it", Error);
}
TEST_CASE("a connection serves request after request") {
    RudeServer server({always(200, "pong")});
    HttpClient client;
    await(send_times(client, request_to(server.url()), 5));
    CHECK(server.connections() == 1);
    CHECK(server.requests().size() == 5);
}
TEST_CASE("two clients do not share connections") {
    RudeServer server({always(200, "pong")});
    HttpClient one, two;
    auto both = [](HttpClient& a, HttpClient& b, HttpRequest request) -> awaitable<void> {
        co_await send_times(a, request, 1);
        co_await send_times(b, request, 1);
    };
    await(both(one, two, request_to(server.url())));
    CHECK(server.connections() == 2);
}
TEST_CASE("a kept connection is silently replaced when the server has closed it") {
    auto once = [](Peer& peer) {
        peer.read_request();
        peer.answer(200, "pong");
    };
    RudeServer server({once});
    HttpClient client;
    CHECK_NOTHROW(await(send_times(client, request_to(server.url()), 4)));
    CHECK(server.requests().size() == 4);
}
TEST_CASE("a kept connection is replaced once when its server resets it in the next request; a new one is not") {
    auto answer_then_reset = [](Peer& peer) {
        peer.read_request();
        peer.answer(200, "pong");
        if (!peer.read_request().empty()) peer.reset();
    };
    auto reset = [](Peer& peer) {
        peer.read_request();
        peer.reset();
    };
    HttpClient client;
    {
        RudeServer server({answer_then_reset});
        CHECK_NOTHROW(await(send_times(client, request_to(server.url()), 2)));
        CHECK(server.requests().size() == 3);
    }
    RudeServer server({answer_then_reset, reset});
    CHECK_THROWS_AS(await(send_times(client, request_to(server.url()), 2)), NetError);
    CHECK(server.requests().size() == 3);
}
TEST_CASE("a connection is closed if the server says so or has sent too much") {
    for (std::string text : {"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
                             "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n"}) {
        RudeServer server({say(text)});
        HttpClient client;
        await(send_times(client, request_to(server.url()), 3));
        CHECK(server.connections() == 3);
    }
}
TEST_CASE("a streamed body arrives in pieces and whole") {
    RudeServer server({say(chunked + "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n")});
    HttpClient client;
    const auto request = request_to(server.url());
    CHECK(await(stream_all(client, request)) == "hello world");
}
TEST_CASE("a refused connection is an error with the address and the reason") {
    std::uint16_t port = 0;
    {
        RudeServer gone({always(200, "")});
        port = gone.url().port;
    }
    const auto error = error_of(request_to(Url{false, "127.0.0.1", port, "/"}));
    CHECK(error.failure() == Failure::connect);
    CHECK(error.code() == Code::model_unreachable);
    CHECK(std::string(error.what()) ==
          "no connection to http://127.0.0.1:" + std::to_string(port) + ": Connection refused");
}
TEST_CASE("all addresses of a name are tried") {
    RudeServer server({always(200, "pong")});  // on 127.0.0.1 only; localhost may be ::1 first
    auto url = server.url();
    url.host = "localhost";
    HttpClient client;
    CHECK(await(client.send(request_to(url))).body == "pong");
}
TEST_CASE("a name without an address is named") {
    const auto error = error_of(request_to(Url{false, "no-such-host.invalid", 80, "/"}));
    CHECK((error.failure() == Failure::name_lookup || error.failure() == Failure::name_service ||
           error.phase() == TimeoutPhase::connect));
    CHECK(std::string(error.what()).find("no-such-host.invalid") != std::string::npos);
}
TEST_CASE("an end before, within and after the head gives different errors") {
    const auto failure = [](RudeServer::Session session) {
        RudeServer server({session});
        return error_of(request_to(server.url())).failure();
    };
    CHECK(failure([](Peer& peer) { peer.read_request(); }) == Failure::reset);
    CHECK(failure([](Peer& peer) { peer.read_request(), peer.reset(); }) == Failure::reset);
    CHECK(failure(say("HTTP/1.1 200 OK\r\nContent-")) == Failure::truncated);
    CHECK(failure(say("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")) == Failure::truncated);
    CHECK(failure(say(chunked + "5\r\nhe")) == Failure::truncated);
    CHECK(failure(say("220 mail.example ESMTP\r\n")) == Failure::protocol);
    CHECK(failure(say("HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx")) == Failure::protocol);
}
TEST_CASE("a reset in the middle of a stream is an error, not an end") {
    RudeServer server({[](Peer& peer) {
        peer.read_request();
        peer.send(chunked + "5\r\nhello\r\n");
        peer.reset();
    }});
    HttpClient client;
    const auto request = request_to(server.url());
    CHECK_THROWS_AS(await(stream_all(client, request)), NetError);
}
TEST_CASE("each time limit's error names that limit") {
    const auto hang = [](std::string text) {
        return [text](Peer& peer) {
            peer.read_request();
            peer.send(text);
            peer.wait_for_end();
        };
    };
    {
        RudeServer server({hang("")});
        auto request = request_to(server.url());
        request.timeouts.first_byte = 50ms;
        const auto error = error_of(request);
        CHECK(error.phase() == TimeoutPhase::first_byte);
        CHECK(std::string(error.what()) == server.url().origin() + " did not begin to answer within 0.05 s");
    }
    {
        RudeServer server({hang(chunked + "2\r\nhe")});
        auto request = request_to(server.url());
        request.timeouts.idle = 50ms;
        CHECK(error_of(request).phase() == TimeoutPhase::idle);
    }
    RudeServer server({[](Peer& peer) {  // drips: never silent for long, never complete
        peer.read_request();
        peer.send(chunked);
        while (peer.send("1\r\nx\r\n")) {}
    }});
    auto request = request_to(server.url());
    request.timeouts.total = 100ms;
    CHECK(error_of(request).phase() == TimeoutPhase::total);
}
TEST_CASE("an overlong head, body and stream are refused") {
    const auto failure = [](std::string text) {
        RudeServer server({say(text)});
        auto request = request_to(server.url());
        request.limits = {.header = 1000, .body = 1000, .stream = 2000};
        return error_of(request).failure();
    };
    CHECK(failure("HTTP/1.1 200 OK\r\nX: " + std::string(100000, 'x')) == Failure::too_large);
    CHECK(failure("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n") == Failure::too_large);
    CHECK(failure("HTTP/1.1 200 OK\r\n\r\n" + std::string(5000, 'x')) == Failure::too_large);
}
TEST_CASE("a redirect is returned as an answer, and is not followed") {
    RudeServer server({always(302, "", "Location: http://127.0.0.1:1/\r\n")});
    HttpClient client;
    CHECK(await(client.send(request_to(server.url()))).status == 302);
    CHECK(server.connections() == 1);
}
TEST_CASE("a cancel closes the socket immediately") {
    std::atomic<bool> asked = false;
    std::promise<bool> closed;
    RudeServer server({[&](Peer& peer) {
        peer.read_request();
        asked = true;
        closed.set_value(peer.wait_for_end());
    }});
    HttpClient client;
    auto impatient = [](HttpClient& c, HttpRequest request) -> awaitable<void> {
        auto work = c.send(request);
        co_await with_timeout(1s, std::move(work));
    };
    testing::ManualClock clock;
    asio::io_context io;
    bool given_up = false;
    spawn(Runtime{io.get_executor(), &clock}, impatient(client, request_to(server.url())),
          [&](std::exception_ptr error) { given_up = error != nullptr; });
    while (!asked) io.run_one_for(5ms);
    clock.advance(1s);
    while (!given_up) io.run_one_for(5ms);
    auto result = closed.get_future();
    REQUIRE(result.wait_for(test::limit) == std::future_status::ready);
    CHECK(result.get());
}
TEST_CASE("a cancelled look-up returns immediately, and its later result is dropped") {
    HttpClient client;
    auto impatient = [](HttpClient& c, HttpRequest request) -> awaitable<void> {
        auto work = c.send(request);
        co_await with_timeout(0s, std::move(work));
    };
    const auto url = Url{false, "no-such-host.invalid", 80, "/"};
    for (int i = 0; i < 5; ++i) CHECK_THROWS_AS(await(impatient(client, request_to(url))), Error);
}
TEST_CASE("a context leaves nothing behind when it ends in the middle of a request") {
    RudeServer server({[](Peer& peer) {
        peer.read_request();
        peer.wait_for_end();
    }});
    HttpClient client;
    const auto request = request_to(server.url());
    asio::io_context io;
    spawn(io.get_executor(), client.send(request), [](std::exception_ptr, HttpResponse) {});
    io.run_for(50ms);
}
TEST_CASE("a client outlives the context of its connections") {
    RudeServer server({always(200, "pong")});
    HttpClient client;
    for (int i = 0; i < 3; ++i) CHECK(await(client.send(request_to(server.url()))).body == "pong");
    CHECK(server.connections() == 3);
}
TEST_SUITE("threads") {
    TEST_CASE("one client serves several loops at once") {
        RudeServer server({always(200, "pong")});
        HttpClient client;
        const auto request = request_to(server.url());
        std::vector<std::thread> loops;
        for (int i = 0; i < 4; ++i) loops.emplace_back([&] { await(send_times(client, request, 20)); });
        for (auto& loop : loops) loop.join();
        CHECK(server.requests().size() == 80);
        CHECK(server.connections() == 4);
    }
}
