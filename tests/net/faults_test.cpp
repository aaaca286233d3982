// Faults of servers during a client's waits.
#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/request_limits.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/rude_server.hpp"
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::net;
using namespace std::chrono_literals;
using testing::Peer;
using testing::RudeServer;

namespace {
NetError error_of(const HttpRequest& request) {
    HttpClient client;
    try {
        testing::await(client.send(request));
    } catch (const NetError& e) { return e; }
    FAIL("no error");
    return NetError(Failure::connect, "");
}
/// Sends a request twice on one loop, so that the second one may use the first one's connection. Returns the failure of
/// the first and the body of the second.
awaitable<std::pair<std::optional<Failure>, std::string>> send_twice(HttpClient& client, HttpRequest request) {
    std::optional<Failure> failure;
    try {
        co_await client.send(request);
    } catch (const NetError& error) { failure = error.failure(); }
    auto second = co_await client.send(request);
    co_return std::pair(failure, std::move(second.body));
}
}

TEST_CASE("a half-open connection is closed by its time limit, in virtual time") {
    struct Row {
        const char* said;
        Duration most;
        TimeoutPhase phase;
    };
    const Row rows[] = {
        {"", 60s, TimeoutPhase::first_byte},  // longer than the later limit of silence
        {"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx", 30s, TimeoutPhase::idle},
    };
    for (const auto& row : rows) {
        std::atomic<bool> is_said = false;
        RudeServer server({[&](Peer& peer) {
            peer.read_request();
            peer.send(row.said);
            is_said = true;
            peer.wait_for_end();
        }});
        const HttpRequest request{.url = server.url()};
        HttpClient client;
        testing::ManualClock clock;
        asio::io_context io;
        std::optional<NetError> error;
        spawn(Runtime{io.get_executor(), &clock}, client.send(request), [&](std::exception_ptr e, const HttpResponse&) {
            try {
                std::rethrow_exception(e);
            } catch (const NetError& thrown) { error = thrown; }
        });
        const auto run = [&] {
            io.restart();
            io.run_for(30ms);
            while (io.poll() > 0) {}
        };
        while (!is_said) io.run_one_for(5ms);
        run();
        clock.advance(row.most / 2);
        run();
        clock.advance(row.most / 2 - 1ns);
        run();
        CHECK_FALSE(error.has_value());
        clock.advance(1ns);
        run();
        REQUIRE(error.has_value());
        CHECK(error->phase() == row.phase);
    }
}
TEST_CASE("a time limit ends each overlong wait, and the next one begins again") {
    asio::io_context io;
    testing::ManualClock clock;
    const Runtime runtime{io.get_executor(), &clock};
    int ended = 0;
    TimeLimit limit(
        runtime, [&] { ++ended; }, 10s);
    const auto late_after = [&](Duration most, Duration taken) {
        limit.expect(most);
        clock.advance(taken);
        io.restart();
        io.poll();
        limit.rest();
        return limit.late();
    };
    CHECK_FALSE(late_after(1min, 59s));  // although the alarm rang before
    CHECK_FALSE(late_after(10s, 9s));
    CHECK(late_after(10s, 10s));
    CHECK_FALSE(late_after(20s, 19s));
    CHECK(late_after(1min, 1min));
    CHECK(ended == 2);
    limit.expect(10s);
    limit.stop();
    CHECK_FALSE(clock.jump());
    CHECK(late_after(10s, 10s));
}
TEST_CASE("waits that end in time do not move the alarm when it rings early enough for them") {
    asio::io_context io;
    testing::ManualClock clock;
    const Runtime runtime{io.get_executor(), &clock};
    TimeLimit limit(
        runtime, [] {}, 10s);
    const auto begin = clock.now();

    for (const Duration most : {60s, 10s, 30s}) {
        limit.expect(most);
        limit.rest();
        clock.advance(1s);
    }

    CHECK(clock.jump());
    CHECK(clock.now() == begin + 10s);
}
TEST_CASE("a slowly dripping answer is aborted, and an event stream with heartbeats is not") {
    const auto ended_after = [](std::size_t bytes, Duration pause) -> Duration {
        asio::io_context io;
        testing::ManualClock clock;
        const Runtime runtime{io.get_executor(), &clock};
        RequestLimits watch(runtime, {}, clock.after(10h), [] {});
        for (Duration time = pause; time < 1h; time += pause) {
            watch.expect(TimeoutPhase::idle);
            clock.advance(pause);
            watch.rest();
            if (watch.drips(bytes)) return time;
            clock.advance(10s);  // the reader's time is not the server's fault
        }
        return 0s;
    };
    CHECK(ended_after(1, 29s) == 145s);
    CHECK(ended_after(2, 29s) == 0s);
    CHECK(ended_after(13, 15s) == 0s);
    CHECK(ended_after(1, 10s) == 0s);

    RudeServer server({[](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        while (peer.send("1\r\nx\r\n")) {}
    }});
    HttpRequest request{.url = server.url()};
    request.timeouts = {.total = test::limit, .least_bytes = std::size_t(1) << 40, .window = 50ms};
    const auto error = error_of(request);
    CHECK(error.phase() == TimeoutPhase::drip);
    CHECK(error.what() == server.url().origin() + " sent fewer than 1099511627776 bytes of its answer within 0.05 s");
}
TEST_CASE("a body that is truncated, reset or of a wrong length is an error, and its connection is not reused") {
    const std::string chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    struct Row {
        std::string text;
        Failure failure;
        enum { closes, resets, stays } then = closes;
    };
    const Row rows[] = {
        {chunked + "5\r\nhello\r\n", Failure::truncated},
        {chunked + "5\r\nhel", Failure::truncated},
        {chunked + "5\r\nhello\r\n0\r\n", Failure::truncated},
        {chunked + "5\r\nhello!\r\n", Failure::truncated},
        {"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhello", Failure::truncated},
        {chunked + "5\r\nhello\r\n", Failure::reset, Row::resets},
        {chunked + "zz\r\n", Failure::protocol, Row::stays},
        {"HTTP/1.1 200 OK\r\nContent-Length: 101\r\n\r\nhello", Failure::too_large, Row::stays},
    };
    for (const auto& row : rows) {
        RudeServer server({[&](Peer& peer) {
                               peer.read_request();
                               peer.send(row.text);
                               if (row.then == Row::resets) peer.reset();
                               if (row.then == Row::stays) testing::always(200, "of the old connection")(peer);
                           },
                           testing::always(200, "pong")});
        HttpClient client;

        const auto both = testing::await(send_twice(client, {.url = server.url(), .limits = {.body = 100}}));

        CHECK(both.first == row.failure);
        CHECK(both.second == "pong");
        CHECK(server.connections() == 2);
    }
}
TEST_CASE("a connection is not reused when bytes follow its answer") {
    RudeServer server({[](Peer& peer) {
                           peer.read_request();
                           peer.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, world");
                           testing::always(200, "of the old connection")(peer);
                       },
                       testing::always(200, "pong")});
    HttpClient client;

    const auto both = testing::await(send_twice(client, {.url = server.url()}));

    CHECK_FALSE(both.first);
    CHECK(both.second == "pong");
    CHECK(server.connections() == 2);
}
TEST_CASE("a redirect to another host is an answer, and Authorization is sent to no other host") {
    RudeServer other({testing::always(200, "caught")});
    RudeServer server({testing::always(307, "", "Location: " + other.address() + "/\r\n")});
    HttpRequest request{.url = server.url(), .headers = {{"Authorization", "Bearer k"}}};
    HttpClient client;
    const auto response = testing::await(client.send(request));
    CHECK(response.status == 307);
    CHECK(find_header(response.headers, "Location") == other.address() + "/");
    CHECK(other.connections() == 0);
}
