#include "engine/error.hpp"
#include "engine/signal.hpp"
#include "tests/support/authority.hpp"
#include "tests/support/served.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/ip/address.hpp>
using namespace weft;
using namespace weft::net;
using namespace std::chrono_literals;
using testing::Authority;
using testing::Caller;
using testing::Served;
using testing::Variable;

namespace {
struct Secure {
    Secure() { authority.issue("good", "ca", testing::local); }
    HttpServerOptions options() const {
        return {.certificate = authority.file("good.pem"), .key = authority.file("good.key")};
    }
    HttpClientOptions to_localhost() const {
        return {.resolve = [](const std::string&) { return std::vector{asio::ip::make_address("127.0.0.1")}; }};
    }
    Authority authority;
    Variable trust{"SSL_CERT_FILE", authority.file("ca.pem")};
};
awaitable<void> echo(HttpExchange& exchange) {
    HttpReply reply;
    reply.body = exchange.request().body + (exchange.request().tls ? " over TLS" : "");
    co_await exchange.respond(std::move(reply));
}
}

TEST_CASE("a verifying client is served request after request over TLS, on one connection") {
    Secure secure;
    Served served(echo, secure.options());
    HttpClient client(secure.to_localhost());
    const auto address = "https://localhost:" + std::to_string(served.server.port()) + "/";

    for (const auto size : {std::size_t(3), std::size_t(700'000)}) {
        const HttpRequest request{.method = "POST", .url = parse_url(address), .body = std::string(size, 'a')};
        std::string body;
        std::exception_ptr error;
        auto sending = client.send(request);
        spawn(served.runtime(), std::move(sending), [&](std::exception_ptr e, HttpResponse response) {
            error = e;
            body = std::move(response.body);
        });
        served.turn();
        CHECK_FALSE(error);
        CHECK(body == std::string(size, 'a') + " over TLS");
    }
    CHECK(served.server.requests() == 2);
    CHECK(served.server.connections() == 1);
}
TEST_CASE("a vanished TLS client is noticed while its answer is being made") {
    Secure secure;
    Signal signal;
    bool gone = false;
    Served served(
        [&](HttpExchange& exchange) -> awaitable<void> {
            exchange.when_leaving([&] { signal.ring(); });
            auto rung = signal.wait();
            co_await std::move(rung);
            gone = exchange.client_has_gone();
            exchange.break_off();
        },
        secure.options());
    {
        HttpClient client(secure.to_localhost());
        const HttpRequest request{.url = parse_url("https://localhost:" + std::to_string(served.server.port()) + "/")};
        asio::cancellation_signal cancel;
        auto sending = client.send(request);
        spawn(served.runtime(), std::move(sending),
              asio::bind_cancellation_slot(cancel.slot(), [](std::exception_ptr, const HttpResponse&) {}));
        served.turn();
        CHECK(served.server.requests() == 1);
        CHECK_FALSE(gone);
        cancel.emit(asio::cancellation_type::terminal);
        served.turn();
    }
    CHECK(gone);
}
TEST_CASE("a client without TLS or with an unfinished handshake is disconnected, and costs nothing more") {
    Secure secure;
    Served served(echo, secure.options());
    Caller plain(served), silent(served);

    plain.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    CHECK(plain.closed());
    CHECK_FALSE(silent.closed());
    served.clock.advance(11s);
    CHECK(silent.closed());
    CHECK(served.server.connections() == 0);
}
TEST_CASE("a key is refused before anything is served when it fits no certificate or needs a pass phrase") {
    Secure secure;
    secure.authority.issue("other", "ca", testing::local);
    secure.authority.run("pkey -in good.key -aes128 -passout pass:secret -out locked.key");
    asio::io_context io;
    for (const char* key : {"other.key", "locked.key", "good.pem"}) {
        auto options = secure.options();
        options.key = secure.authority.file(key);
        HttpServer server(std::move(options), echo);
        try {
            server.listen({io.get_executor()});
            FAIL_CHECK("it was taken: " << key);
        } catch (const Error& error) {
            CHECK(std::string(error.what()).find(key) != std::string::npos);
            CHECK(error.code() == Code::configuration);
        }
    }
}
