// Streams, time limits, and stops of a server.
#include "engine/error.hpp"
#include "engine/signal.hpp"
#include "tests/support/served.hpp"
#include <sys/resource.h>
using namespace weft;
using namespace weft::net;
using namespace std::chrono_literals;
using testing::body_of;
using testing::Caller;
using testing::Served;
using testing::status_of;

namespace {
constexpr auto get = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
awaitable<void> say_ok(HttpExchange& exchange) {
    HttpReply reply;
    reply.body = "ok";
    co_await exchange.respond(std::move(reply));
}
/// During its lifetime, this program can open one more file.
struct LastDescriptor {
    LastDescriptor() {
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
        const int next = ::dup(STDERR_FILENO);  // the lowest free number
        ::close(next);
        auto most = before;
        most.rlim_cur = rlim_t(next) + 1;
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &most) == 0);
    }
    LastDescriptor(const LastDescriptor&) = delete;
    ~LastDescriptor() { ::setrlimit(RLIMIT_NOFILE, &before); }
    rlimit before{};
};
/// Waits until the client leaves or the server stops.
struct Patient {
    Signal signal;
    int began = 0, told = 0;
    bool gone = false, stopping = false, answers = false;
    HttpHandler handler() {
        return [this](HttpExchange& exchange) { return wait(exchange); };
    }
    awaitable<void> wait(HttpExchange& exchange) {
        ++began;
        exchange.when_leaving([this] {
            ++told;
            signal.ring();
        });
        auto rung = signal.wait();
        co_await std::move(rung);
        gone = exchange.client_has_gone();
        stopping = exchange.stopping();
        if (answers) co_await say_ok(exchange);
        else exchange.break_off();
    }
};
}

TEST_CASE("a stream is sent piece by piece, and its end differs from a break") {
    for (const bool ends : {true, false}) {
        Signal signal;
        Served served([&](HttpExchange& exchange) -> awaitable<void> {
            HttpHeaders headers{{"Content-Type", "text/plain"}};
            co_await exchange.begin(200, std::move(headers));
            co_await exchange.write("one\n");
            auto rung = signal.wait();
            co_await std::move(rung);
            co_await exchange.write("two\n");
            if (ends) co_await exchange.end();
            else exchange.break_off();
        });
        Caller caller(served), old(served);

        const auto begin = caller.ask(get);
        CHECK(begin.find("Transfer-Encoding: chunked") != begin.npos);
        CHECK(body_of(begin) == "4\r\none\n\r\n");
        signal.ring();
        CHECK(caller.received() == (ends ? "4\r\ntwo\n\r\n0\r\n\r\n" : "4\r\ntwo\n\r\n"));
        CHECK(caller.closed() == !ends);

        const auto plain = old.ask("GET / HTTP/1.0\r\n\r\n");
        CHECK(plain.find("chunked") == plain.npos);
        signal.ring();
        CHECK(body_of(plain) + old.received() == "one\ntwo\n");
        CHECK(old.closed());
    }
}
TEST_CASE("a slow sender gets a refusal, a silent one is disconnected, and a steady one is served") {
    Served served(say_ok);
    Caller head(served), body(served), silent(served), steady(served);

    head.send("GET / HT");
    body.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
    steady.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n");
    for (int second = 0; second < 9; ++second) {
        served.clock.advance(1s);
        head.send("T");
        steady.send(std::string(1000, 'a'));
    }
    CHECK(head.received().empty());
    served.clock.advance(2s);
    CHECK(status_of(head.received()) == 408);
    CHECK(head.closed());
    for (int second = 11; second < 50; ++second) {
        served.clock.advance(1s);
        body.send("b");
        steady.send(std::string(1000, 'a'));
    }
    CHECK(status_of(body.received()) == 408);
    CHECK_FALSE(silent.closed());
    served.clock.advance(11s);
    CHECK(silent.closed());
    CHECK(silent.received().empty());
    CHECK(status_of(steady.ask(std::string(12000, 'a'))) == 200);
}
TEST_CASE("a reader that reads nothing is disconnected after its time, and costs the server one piece at most") {
    std::size_t written = 0;
    Served served([&](HttpExchange& exchange) -> awaitable<void> {
        HttpHeaders headers;
        co_await exchange.begin(200, std::move(headers));
        for (;;) {
            std::string piece(64 << 10, 'a');
            co_await exchange.write(std::move(piece));
            written += 64 << 10;
        }
    });
    Caller caller(served, 4096);

    caller.send(get);
    const auto at_first = written;
    served.clock.advance(29s);
    served.turn();
    CHECK(served.server.connections() == 1);
    CHECK(written == at_first);
    served.clock.advance(2s);
    served.turn();

    CHECK(served.server.connections() == 0);
    CHECK(written < (16u << 20));
}
TEST_CASE("a vanished client is noticed while its answer is being made, whatever way it vanished") {
    for (const bool reset : {true, false}) {
        Patient patient;
        Served served(patient.handler());
        Caller caller(served);
        caller.send(get);
        CHECK(patient.began == 1);
        CHECK(patient.told == 0);

        if (reset) caller.reset();
        else caller.close();
        served.turn();

        CHECK(patient.told == 1);
        CHECK(patient.gone);
        CHECK(served.server.connections() == 0);
    }
}
TEST_CASE("a server without a free connection refuses immediately, and serves again when one ends") {
    Served served(say_ok, {.limits = {.connections = 2}});
    Caller one(served);
    {
        Caller two(served), three(served);
        const auto answer = three.received();
        CHECK(status_of(answer) == 503);
        CHECK(body_of(answer).size() == 53);
        CHECK(three.closed());
        CHECK(served.server.turned_away() == 1);
        CHECK(status_of(two.ask(get)) == 200);
    }
    served.turn();
    Caller four(served);
    CHECK(status_of(four.ask(get)) == 200);
}
TEST_CASE("a server without file descriptors serves its clients, and accepts further ones when descriptors are free") {
    Served served(say_ok);
    Caller early(served);
    std::optional<LastDescriptor> last(std::in_place);
    Caller late(served);  // has the last descriptor: the server gets none for its side

    late.send(get);  // does not return if the server accepts again without a pause
    for (int i = 0; i < 5; ++i) {
        served.clock.advance(50ms);
        served.turn();
    }

    CHECK(status_of(early.ask(get)) == 200);
    CHECK(late.received().empty());
    CHECK_FALSE(late.closed());
    CHECK(served.server.connections() == 1);
    last.reset();
    served.clock.advance(50ms);
    CHECK(status_of(late.received()) == 200);
    CHECK(served.server.connections() == 2);
}
TEST_CASE("an address cannot take all connections when its number is limited") {
    Served served(say_ok, {.limits = {.connections_of_peer = 1}});
    Caller one(served), two(served);
    CHECK(status_of(one.ask(get)) == 200);
    CHECK(status_of(two.received()) == 503);
}
TEST_CASE("a stopping server disconnects idle clients, tells busy ones, and disconnects the rest after its time") {
    Patient obliging, stubborn;
    obliging.answers = true;
    Served served([&](HttpExchange& exchange) -> awaitable<void> {
        if (exchange.request().target == "/obliging") return obliging.wait(exchange);
        exchange.when_leaving([&] { ++stubborn.told; });
        return [](Signal signal) -> awaitable<void> {
            auto rung = signal.wait();
            co_await std::move(rung);
        }(stubborn.signal);
    });
    Caller quiet(served), half(served), busy(served), deaf(served);
    half.send("GET / HT");
    busy.send("GET /obliging HTTP/1.1\r\nHost: x\r\n\r\n");
    deaf.send(get);

    served.server.stop(5s);
    served.turn();

    CHECK(quiet.closed());
    const auto answer = busy.received();
    CHECK(body_of(answer) == "ok");
    CHECK(answer.find("Connection: close") != answer.npos);
    CHECK(obliging.stopping);
    CHECK(stubborn.told == 1);
    CHECK_FALSE(deaf.closed());
    CHECK_FALSE(served.ended);
    served.clock.advance(6s);
    served.turn();
    CHECK(deaf.closed());
    CHECK(half.closed());
    CHECK(served.ended);
    CHECK_FALSE(served.error);
}
TEST_CASE("an unusable address is refused in a sentence before anything is served") {
    asio::io_context io;
    const auto refusal = [&](HttpServerOptions options) {
        HttpServer server(std::move(options), say_ok);
        try {
            server.listen({io.get_executor()});
        } catch (const Error& error) { return std::string(error.what()); }
        return std::string();
    };
    HttpServer first({}, say_ok);
    first.listen({io.get_executor()});

    CHECK(refusal({.port = first.port()}).find("choose another port") != std::string::npos);
    CHECK(refusal({.host = "localhost"}).find("is not an address") != std::string::npos);
    CHECK(refusal({.certificate = "/nowhere.pem", .key = "/nowhere.key"}).find("/nowhere.pem is not") == 0);
}
