// Connections: their making, their sharing, and waits for them.
#include "engine/net/connection.hpp"
#include "engine/net/connection_pool.hpp"
#include "engine/net/dial.hpp"
#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/rude_server.hpp"
#include <atomic>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
using namespace weft;
using namespace weft::net;
using namespace std::chrono_literals;
using asio::ip::tcp;
using testing::always;
using testing::Peer;
using testing::RudeServer;

namespace {
// A local address that neither accepts nor refuses connections: a full queue without an accepting process.
struct BlackHole {
    BlackHole(const char* address, std::uint16_t port) : acceptor(io, tcp::v4()) {
        const tcp::endpoint endpoint(asio::ip::make_address(address), port);
        acceptor.bind(endpoint);
        acceptor.listen(0);
        for (int i = 0; i < 4; ++i) {
            auto& socket = sockets.emplace_back(io, tcp::v4());
            socket.native_non_blocking(true);
            (void)::connect(socket.native_handle(), endpoint.data(), static_cast<socklen_t>(endpoint.size()));
        }
    }
    asio::io_context io;
    tcp::acceptor acceptor;
    std::vector<tcp::socket> sockets;
};
/// During its lifetime, the next look-up of the system does not return.
struct SlowNameService {
    enum class Phase { quick, slow, asked };
    static inline std::atomic<Phase> phase = Phase::quick;
    SlowNameService() { phase = Phase::slow; }
    SlowNameService(const SlowNameService&) = delete;
    ~SlowNameService() {
        phase = Phase::quick;
        phase.notify_all();
    }
};
Resolve known(std::vector<const char*> addresses) {
    return [addresses](const std::string&) {
        std::vector<asio::ip::address> all;
        for (const char* address : addresses) all.push_back(asio::ip::make_address(address));
        return all;
    };
}
HttpRequest request_to(Url url) {
    HttpRequest request{.url = std::move(url)};
    request.timeouts = {.connect = test::limit, .first_byte = test::limit, .idle = test::limit, .total = test::limit};
    return request;
}
Url named(const RudeServer& server) { return {false, "model.example", server.url().port, "/"}; }
/// Runs many parallel requests on one loop, and returns the number of answers.
int answered_at_once(HttpClient& client, const HttpRequest& request, int count, asio::io_context& io) {
    int answered = 0;
    for (int i = 0; i < count; ++i)
        spawn(io.get_executor(), client.send(request), [&](std::exception_ptr error, const HttpResponse& response) {
            answered += !error && response.status == 200;
        });
    io.restart();
    io.run_for(test::limit);
    return answered;
}
}
/// Replaces the system's function, which Asio calls on a thread of its own.
extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints, addrinfo** found) {
    auto phase = SlowNameService::Phase::slow;
    if (SlowNameService::phase.compare_exchange_strong(phase, SlowNameService::Phase::asked)) {
        SlowNameService::phase.wait(SlowNameService::Phase::asked);
        return EAI_AGAIN;
    }
    static const auto of_system = reinterpret_cast<decltype(&::getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return of_system(name, service, hints, found);
}

TEST_CASE("addresses are tried by alternating families, beginning with the first address's") {
    const auto endpoint = [](const char* address) { return tcp::endpoint(asio::ip::make_address(address), 80); };
    std::vector all{endpoint("::1"), endpoint("::2"), endpoint("::3"), endpoint("1.1.1.1"), endpoint("2.2.2.2")};
    interleave(all);
    CHECK(all ==
          std::vector{endpoint("::1"), endpoint("1.1.1.1"), endpoint("::2"), endpoint("2.2.2.2"), endpoint("::3")});
    std::vector<tcp::endpoint> none;
    interleave(none);
    CHECK(none.empty());
}
TEST_CASE("a dead address delays by a quarter of a second, a refusing one not at all") {
    RudeServer server({always(200, "pong")});
    const BlackHole hole("127.0.0.2", server.url().port);
    HttpClient client({.resolve = known({"127.0.0.2", "127.0.0.1"})});
    const auto request = request_to(named(server));
    testing::ManualClock clock;
    asio::io_context io;
    std::string body;
    spawn(Runtime{io.get_executor(), &clock}, client.send(request),
          [&](std::exception_ptr error, const HttpResponse& r) { body = error ? "error" : r.body; });
    io.run_for(20ms);
    clock.advance(249ms);
    io.restart();
    io.run_for(20ms);
    CHECK(server.connections() == 0);
    for (int more = 0; body.empty() && more < 250; ++more) {  // a slow machine may begin later
        clock.advance(1ms);
        io.restart();
        io.run_for(100ms);
    }
    CHECK(body == "pong");
    CHECK(server.connections() == 1);

    testing::ManualClock still;  // 127.0.0.3 refuses: no time has to pass
    HttpClient second({.resolve = known({"127.0.0.3", "127.0.0.1"})});
    CHECK(testing::await(second.send(request), still).body == "pong");
}
TEST_CASE("the connect time limit covers all addresses together, and ends all attempts") {
    RudeServer server({always(200, "pong")});
    const auto port = server.url().port;
    const BlackHole a("127.0.0.2", port), b("127.0.0.3", port);
    HttpClient client({.resolve = known({"127.0.0.2", "127.0.0.3"})});
    auto request = request_to(named(server));
    request.timeouts.connect = 300ms;
    const auto expected = request.url.origin() + " did not accept a connection within 0.3 s";
    CHECK_THROWS_WITH_AS(testing::await(client.send(request)), expected.c_str(), NetError);
    auto impatient = [&]() -> awaitable<void> {
        auto sending = client.send(request);
        co_await with_timeout(20ms, std::move(sending));
    };
    CHECK_THROWS_AS(testing::await(impatient()), Error);
}
TEST_CASE("the connect time limit ends a look-up when the name service is slow") {
    HttpClient client;
    auto request = request_to({false, "model.example", 80, "/"});
    request.timeouts.connect = 5s;
    testing::ManualClock clock;
    asio::io_context io;
    const SlowNameService slow;  // its end lets the look-up return, for which the context waits
    std::string sentence;
    spawn(Runtime{io.get_executor(), &clock}, client.send(request), [&](std::exception_ptr error, const HttpResponse&) {
        try {
            if (error) std::rethrow_exception(error);
        } catch (const NetError& e) { sentence = e.what(); }
    });
    while (SlowNameService::phase != SlowNameService::Phase::asked) io.run_one_for(5ms);

    clock.advance(5s - 1ns);
    io.run_for(20ms);
    CHECK(sentence.empty());
    clock.advance(1ns);
    while (sentence.empty()) io.run_one_for(5ms);

    CHECK(sentence == request.url.origin() + " did not accept a connection within 5 s");
}
TEST_CASE("the kernel is told to end a connection of either side when its peer is lost") {
    asio::io_context io;
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    tcp::socket client(io);
    client.connect(acceptor.local_endpoint());
    auto server = acceptor.accept();
    const int descriptors[] = {client.native_handle(), server.native_handle()};

    const auto of_client = std::make_shared<Connection>(std::move(client));
    const auto of_server = std::make_shared<Connection>(std::move(server));

    for (const int descriptor : descriptors) {
        const auto option = [descriptor](int level, int name) {
            int value = -1;
            socklen_t size = sizeof value;
            REQUIRE(::getsockopt(descriptor, level, name, &value, &size) == 0);
            return value;
        };
        CHECK(option(SOL_SOCKET, SO_KEEPALIVE) == 1);
        CHECK(option(IPPROTO_TCP, TCP_KEEPIDLE) == 30);
        CHECK(option(IPPROTO_TCP, TCP_KEEPINTVL) == 10);
        CHECK(option(IPPROTO_TCP, TCP_KEEPCNT) == 3);
        CHECK(option(IPPROTO_TCP, TCP_USER_TIMEOUT) == 30'000);
    }
}
TEST_CASE("a missing name differs from a failing name service") {
    const auto failure = [](auto code) { return lookup_error("model.example", code).failure(); };
    CHECK(failure(make_error_code(asio::error::host_not_found)) == Failure::name_lookup);
    CHECK(failure(make_error_code(asio::error::no_data)) == Failure::name_lookup);
    CHECK(failure(make_error_code(asio::error::host_not_found_try_again)) == Failure::name_service);
    CHECK(failure(make_error_code(asio::error::no_recovery)) == Failure::name_service);
    HttpClient client({.resolve = known({})});
    CHECK_THROWS_WITH_AS(testing::await(client.send(request_to({false, "model.example", 80, "/"}))),
                         "the name model.example has no address (Host not found (authoritative)): check its spelling "
                         "and the network",
                         NetError);
}
TEST_CASE("a client opens no more connections than the limit, and answers all requests") {
    RudeServer server({always(200, "pong")});
    HttpClient client({.pool = {.open_of_server = 3}});
    asio::io_context io;
    CHECK(answered_at_once(client, request_to(server.url()), 20, io) == 20);
    CHECK(server.connections() == 3);
}
TEST_CASE("many parallel agents use their connections again") {
    RudeServer server({always(200, "pong")});
    HttpClient client;
    asio::io_context io;
    for (int round = 0; round < 3; ++round) CHECK(answered_at_once(client, request_to(server.url()), 40, io) == 40);
    CHECK(server.connections() == 40);
}
TEST_CASE("idle connections are bounded for one server and in total") {
    RudeServer server({always(200, "pong")}), other({always(200, "pong")});
    asio::io_context io;
    HttpClient few({.pool = {.idle_of_server = 2}});
    for (int round = 0; round < 2; ++round) CHECK(answered_at_once(few, request_to(server.url()), 5, io) == 5);
    CHECK(server.connections() == 5 + 3);
    HttpClient one({.pool = {.idle = 1}});
    for (int round = 0; round < 2; ++round)
        for (const auto* s : {&server, &other}) CHECK(answered_at_once(one, request_to(s->url()), 1, io) == 1);
    CHECK(other.connections() == 2);
    HttpClient none({.pool = {.idle = 0}});
    for (int round = 0; round < 2; ++round) CHECK(answered_at_once(none, request_to(other.url()), 1, io) == 1);
    CHECK(other.connections() == 4);
}
TEST_CASE("a pool forgets a server when its last connection is closed") {
    asio::io_context io;
    const ConnectionPool::Owner owner{.client = 1, .place = "model.example"};
    const auto take = [&](std::size_t most) {
        return ConnectionPool::take(io.get_executor(), owner, {.open_of_server = most}, {});
    };
    CHECK(take(1));

    const auto first = take(2), second = take(2);  // a known server keeps its former limit

    CHECK(first);
    CHECK(second);
}
TEST_CASE("a wait for a free connection is bounded by the connect time limit, and ends with its request") {
    RudeServer server({always(200, "pong")});
    HttpClient client({.pool = {.open_of_server = 1}});
    auto work = [&]() -> awaitable<std::string> {
        auto request = request_to(server.url());
        auto held = co_await client.open(request);
        auto short_of_time = request;
        short_of_time.timeouts.connect = 30ms;
        std::string sentence;
        try {
            co_await client.send(short_of_time);
        } catch (const NetError& error) { sentence = error.what(); }
        try {
            auto sending = client.send(request);
            co_await with_timeout(10ms, std::move(sending));
        } catch (const Error&) { sentence += "|cancelled"; }
        co_await held.drain();
        auto response = co_await client.send(request);
        co_return sentence + "|" + response.body;
    };
    CHECK(testing::await(work()) == "all 1 connections to " + server.url().origin() +
                                        " are busy, and none became free within 0.03 s|cancelled|pong");
    CHECK(server.connections() == 1);
}
TEST_CASE("a context leaves nothing behind when it ends while requests wait for a connection") {
    RudeServer server({[](Peer& peer) {
        peer.read_request();
        peer.wait_for_end();
    }});
    HttpClient client({.pool = {.open_of_server = 1}});
    const auto request = request_to(server.url());
    asio::io_context io;
    for (int i = 0; i < 3; ++i)
        spawn(io.get_executor(), client.send(request), [](std::exception_ptr, const HttpResponse&) {});
    io.run_for(50ms);
}
