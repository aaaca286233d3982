#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/tls.hpp"
#include "engine/testing/await.hpp"
#include "tests/support/authority.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/rude_server.hpp"
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
using namespace weft;
using namespace weft::net;
using namespace std::chrono_literals;
using testing::Authority;
using testing::local;
using testing::Variable;
namespace fs = std::filesystem;
namespace ssl = boost::asio::ssl;

namespace {
std::string ask(ssl::context& tls, std::string host = "localhost") {
    testing::RudeServer server({testing::always(200, "pong")}, &tls);
    HttpRequest request{.url = server.url()};
    request.url.host = std::move(host);
    request.timeouts = {.connect = test::limit, .first_byte = test::limit, .idle = test::limit, .total = test::limit};
    HttpClient client;
    try {
        return testing::await(client.send(request)).body;
    } catch (const NetError& e) {
        return (e.failure() == Failure::tls_refused ? "refused: " : "failed: ") + std::string(e.what());
    }
}
bool has(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }
}

TEST_CASE("a good certificate of a trusted authority is accepted, for a name and for an address") {
    Authority authority;
    authority.issue("good", "ca", local);
    Variable trust("SSL_CERT_FILE", authority.file("ca.pem"));
    auto tls = authority.server("good");
    CHECK(ask(tls) == "pong");
    CHECK(ask(tls, "127.0.0.1") == "pong");
}
TEST_CASE("bad certificates are refused: expired, early, of another host, self-signed, unknown, forged, weak") {
    Authority authority;
    Variable trust("SSL_CERT_FILE", authority.file("ca.pem"));
    const auto answer = [&](const std::string& name, std::string host = "localhost") {
        auto tls = authority.server(name);
        return ask(tls, host);
    };
    authority.issue("expired", "ca", local, -1);
    CHECK(has(answer("expired"),
              "refused: the certificate of https://localhost cannot be trusted: certificate has expired"));
    authority.issue_early("early");
    CHECK(has(answer("early"),
              "refused: the certificate of https://localhost cannot be trusted: certificate is not yet valid"));
    authority.issue("other", "ca", "subjectAltName=DNS:other.example,DNS:*.localhost,IP:127.0.0.2\n");
    CHECK(has(answer("other"), "hostname mismatch"));
    CHECK(has(answer("other", "127.0.0.1"), "IP address mismatch"));
    authority.make_root("localhost");
    CHECK(has(answer("localhost"),
              "refused: the certificate of https://localhost cannot be trusted: self-signed certificate"));
    authority.make_root("unknown");
    authority.issue("stranger", "unknown", local);
    CHECK(has(answer("stranger"), "unable to get local issuer certificate"));
    authority.issue("client", "ca", local + "extendedKeyUsage=clientAuth\n");
    CHECK(has(answer("client"),
              "refused: the certificate of https://localhost cannot be trusted: unsuitable certificate purpose"));
    authority.issue("leaf", "ca", local + "basicConstraints=CA:FALSE\n");
    authority.issue("forged", "leaf", local);
    std::ofstream(authority.file("forged.pem"), std::ios::app) << std::ifstream(authority.file("leaf.pem")).rdbuf();
    CHECK(has(answer("forged"),
              "refused: the certificate of https://localhost cannot be trusted: invalid CA certificate"));
    authority.issue("unnamed", "ca", "basicConstraints=CA:FALSE\n");  // only its common name is right
    CHECK(has(answer("unnamed"), "refused: the certificate of https://localhost cannot be trusted: hostname mismatch"));
    authority.issue("weak", "ca", local, 2, "rsa:1024");
    CHECK(
        has(answer("weak"), "refused: the certificate of https://localhost cannot be trusted: EE certificate key too"));
    authority.issue("old", "ca", local, 2, "rsa:2048", "sha1");
    CHECK(has(answer("old"), "refused: the certificate of https://localhost cannot be trusted: CA signature digest"));
}
TEST_CASE("a TLS connection serves request after request") {
    Authority authority;
    authority.issue("good", "ca", local);
    Variable trust("SSL_CERT_FILE", authority.file("ca.pem"));
    auto tls = authority.server("good");
    testing::RudeServer server({testing::always(200, "pong")}, &tls);
    HttpRequest request{.url = server.url()};
    HttpClient client;
    auto thrice = [](HttpClient& c, const HttpRequest& r) -> awaitable<void> {
        for (int i = 0; i < 3; ++i) co_await c.send(r);
    };
    testing::await(thrice(client, request));
    CHECK(server.connections() == 1);
}
TEST_CASE("a coroutine destroyed while it waits for TLS leaves nothing behind") {
    Authority authority;
    authority.issue("good", "ca", local);
    Variable trust("SSL_CERT_FILE", authority.file("ca.pem"));
    auto tls = authority.server("good");
    testing::RudeServer server({[](testing::Peer& peer) {
                                   peer.read_request();
                                   peer.wait_for_end();
                               }},
                               &tls);
    HttpRequest request{.url = server.url()};
    HttpClient client;
    asio::io_context io;
    const Runtime runtime{io.get_executor()};
    testing::Root scope(runtime);
    for (auto pause : {0ms, 5ms, 60ms}) {  // in the look-up, in the handshake, in the read
        auto coroutine = core::PrivateAccess::release(client.send(request));
        coroutine.promise().scope = &scope;
        coroutine.resume();
        io.run_for(pause);
        coroutine.destroy();
        io.restart();
        io.run_for(20ms);
        io.restart();
    }
}
TEST_CASE("a server with old TLS only is refused") {
    Authority authority;
    authority.issue("good", "ca", local);
    Variable trust("SSL_CERT_FILE", authority.file("ca.pem"));
    auto tls = authority.server("good");
    SSL_CTX_set_security_level(tls.native_handle(), 0);
    SSL_CTX_set_min_proto_version(tls.native_handle(), TLS1_VERSION);
    SSL_CTX_set_max_proto_version(tls.native_handle(), TLS1_1_VERSION);
    CHECK(has(ask(tls), "refused: https://localhost does not speak TLS 1.2 or later"));
}
TEST_CASE("an error says that the server has no TLS when the address is https") {
    testing::RudeServer server({[](testing::Peer& peer) { peer.send("HTTP/1.1 400 Bad Request\r\n\r\n"); }});
    Authority authority;
    Variable trust("SSL_CERT_FILE", authority.file("ca.pem"));
    HttpRequest request{.url = server.url()};
    request.url.tls = true;
    HttpClient client;
    try {
        testing::await(client.send(request));
        FAIL("it was taken for one");
    } catch (const NetError& error) {
        CHECK(error.failure() == Failure::tls_refused);
        CHECK(has(error.what(), "does not speak TLS there: write http:// in its address"));
    }
}
TEST_CASE("a client checks the server's own certificate through a proxy") {
    Authority authority;
    authority.issue("good", "ca", local);
    authority.issue("other", "ca", "subjectAltName=DNS:other.example\n");
    Variable trust("SSL_CERT_FILE", authority.file("ca.pem"));
    const auto through = [&](const char* name, Url url) {
        auto tls = authority.server(name);
        testing::RudeServer proxy({[&](testing::Peer& peer) {
            peer.read_request();
            peer.send("HTTP/1.1 200 Connection established\r\n\r\n");
            peer.start_tls(tls);
            testing::always(200, "pong")(peer);
        }});
        const auto proxies = ProxySettings::from([&](const std::string&) { return proxy.url().origin(); });
        HttpClient client(HttpClientOptions{.proxies = proxies});
        HttpRequest request{.url = std::move(url)};
        auto twice = [&]() -> awaitable<std::string> {
            for (int i = 0;; ++i) {
                auto response = co_await client.send(request);
                if (i == 1) co_return response.body;
            }
        };
        try {
            auto body = testing::await(twice());
            CHECK(proxy.connections() == 1);
            CHECK(has(proxy.requests().at(0), "CONNECT localhost:444 HTTP/1.1\r\n"));
            CHECK(has(proxy.requests().at(1), "GET /a HTTP/1.1\r\nHost: localhost:444\r\n"));
            return body;
        } catch (const NetError& e) { return std::string(e.what()); }
    };
    const Url url{true, "localhost", 444, "/a"};
    CHECK(through("good", url) == "pong");
    CHECK(through("other", url) == "the certificate of https://localhost cannot be trusted: hostname mismatch");
}
TEST_CASE("an unusable file of authorities is a configuration error") {
    for (const char* name : {"SSL_CERT_FILE", "SSL_CERT_DIR"}) {
        Variable trust(name, "/nonexistent/authorities");
        HttpClient client;
        try {
            client.trust();
            FAIL("trusted");
        } catch (const Error& e) {
            CHECK(e.code() == Code::configuration);
            CHECK(has(e.what(), name));
        }
    }
}
