#include "engine/error.hpp"
#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include "engine/testing/await.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/rude_server.hpp"
#include <doctest/doctest.h>
#include <map>
using namespace weft;
using namespace weft::net;
using namespace std::chrono_literals;
using testing::Peer;
using testing::RudeServer;

namespace {
using Environment = std::map<std::string, std::string>;
ProxySettings settings(const Environment& environment) {
    return ProxySettings::from([&](const std::string& name) -> std::optional<std::string> {
        const auto found = environment.find(name);
        return found == environment.end() ? std::nullopt : std::optional(found->second);
    });
}
std::string choice(const Environment& environment, const char* url) {
    try {
        const auto all = settings(environment);
        const auto* proxy = all.find(parse_url(url));
        return proxy ? proxy->url.origin() + (proxy->authorization.empty() ? "" : " " + proxy->authorization) : "none";
    } catch (const Error& error) { return error.what(); }
}
struct Answered {
    HttpResponse response;
    std::optional<NetError> error;
    std::string sentence() const { return error ? error->what() : "no error"; }
};
Answered ask(const Environment& environment, Url url) {
    HttpClient client({.proxies = settings(environment)});
    HttpRequest request{.url = std::move(url)};
    request.timeouts = {.connect = test::limit, .first_byte = test::limit, .idle = test::limit, .total = test::limit};
    Answered result;
    try {
        result.response = testing::await(client.send(request));
    } catch (const NetError& e) { result.error = e; }
    return result;
}
RudeServer::Session say(std::string text) {
    return [text](Peer& peer) {
        peer.read_request();
        peer.send(text);
        peer.wait_for_end();
    };
}
std::string with_user(const RudeServer& proxy) {
    return "http://me:hunt%40r2@127.0.0.1:" + std::to_string(proxy.url().port);
}
const Url inside{true, "model.example", 443, "/"};
}

TEST_CASE("the environment chooses the proxy of a request") {
    struct Row {
        Environment environment;
        const char *url, *expected;
    };
    const char *https = "https://a.example/", *http = "http://a.example/";
    const Row rows[] = {
        {{}, https, "none"},
        {{{"https_proxy", "http://p:1"}}, https, "http://p:1"},
        {{{"https_proxy", "http://p:1"}}, http, "none"},
        {{{"https_proxy", "p:1"}, {"HTTPS_PROXY", "q:1"}}, https, "http://p:1"},
        {{{"https_proxy", ""}, {"HTTPS_PROXY", "q:1"}}, https, "http://q:1"},
        {{{"http_proxy", "p"}}, http, "http://p:1080"},
        {{{"http_proxy", "[::1]"}}, http, "http://[::1]:1080"},
        {{{"http_proxy", "p:80/"}}, http, "http://p"},
        {{{"HTTP_PROXY", "p:1"}}, http, "none"},  // possibly a client's header
        {{{"all_proxy", "p:1"}, {"http_proxy", "q:1"}}, https, "http://p:1"},
        {{{"ALL_PROXY", "p:1"}, {"http_proxy", "q:1"}}, http, "http://q:1"},
        {{{"https_proxy", "http://me:hunt%40r2@p:1"}}, https, "http://p:1 Basic bWU6aHVudEByMg=="},
        {{{"https_proxy", "me@p:1"}}, https, "http://p:1 Basic bWU6"},
        {{{"https_proxy", "http://me:a/b@c@p:1"}}, https, "http://p:1 Basic bWU6YS9iQGM="},
        {{{"https_proxy", "socks5://me:secret@p:1"}}, http, "none"},
        {{{"https_proxy", "socks5://me:secret@p:1"}},
         https,
         "the environment variable https_proxy names a proxy of a kind that is not supported: give one that begins "
         "with http://"},
        {{{"all_proxy", "https://p:1"}},
         https,
         "the environment variable all_proxy names a proxy of a kind that is not supported: give one that begins "
         "with http://"},
        {{{"https_proxy", "me:secret@:x"}},
         https,
         "the environment variable https_proxy is not a proxy's address: write it like http://host:port"},
    };
    for (const auto& row : rows) CHECK(choice(row.environment, row.url) == row.expected);
}
TEST_CASE("no_proxy lists the hosts with a direct connection") {
    const auto straight = [](const char* list, const char* url) {
        return choice({{"all_proxy", "p:1"}, {"no_proxy", list}}, url) == "none";
    };
    struct Row {
        const char *list, *url;
        bool expected;
    };
    const Row rows[] = {
        {"", "http://localhost", false},  // no host is exempt by default
        {"*", "https://a.example", true},
        {"b.example,a.example", "https://A.example", true},
        {"a.example", "https://x.y.a.example", true},
        {"a.example", "https://xa.example", false},
        {".a.example", "https://a.example", true},
        {"b.example *.a.example", "https://x.a.example", true},
        {"A.EXAMPLE", "https://a.example", true},
        {"a.example:8080", "http://a.example:8080", true},
        {"a.example:8080", "http://a.example", false},
        {"localhost, 127.0.0.1", "http://127.0.0.1:11434", true},
        {"10.0.0.0/8", "http://10.200.3.4", true},
        {"10.0.0.0/8", "http://11.0.0.1", false},
        {"10.0.0.0/99", "http://10.0.0.0", false},
        {"10.0.0.0/8", "http://10.example", false},
        {"::1", "http://[::1]:80", true},
        {"[::1]:81", "http://[::1]:81", true},
        {"[::1]:81", "http://[::1]:82", false},
        {"fd00::/8", "http://[fd12::3]", true},
        {",, ,", "http://a.example", false},
    };
    for (const auto& row : rows) {
        CAPTURE(row.list);
        CAPTURE(row.url);
        CHECK(straight(row.list, row.url) == row.expected);
    }
    CHECK(choice({{"all_proxy", "p:1"}, {"NO_PROXY", "a.example"}}, "http://a.example") == "none");
}
TEST_CASE("an http request goes through its proxy in absolute form, and servers share its connections") {
    RudeServer proxy({testing::always(200, "pong")});
    HttpClient client({.proxies = settings({{"http_proxy", with_user(proxy)}})});
    auto both = [&]() -> awaitable<void> {
        for (const char* url : {"http://a.example/x?y", "http://b.example:81/"}) {
            const HttpRequest request{.url = parse_url(url)};
            co_await client.send(request);
        }
    };
    testing::await(both());
    CHECK(proxy.connections() == 1);
    CHECK(proxy.requests().at(0).find("GET http://a.example/x?y HTTP/1.1\r\nHost: a.example\r\n") == 0);
    CHECK(proxy.requests().at(1).find("GET http://b.example:81/ HTTP/1.1\r\nHost: b.example:81\r\n") == 0);
    CHECK(proxy.requests().at(1).find("\r\nProxy-Authorization: Basic bWU6aHVudEByMg==\r\n") != std::string::npos);
}
TEST_CASE("an error names a refusing proxy without its password") {
    const auto https = [&](std::string answer, bool user = true) {
        RudeServer proxy({say(std::move(answer))});
        auto named = user ? with_user(proxy) : proxy.url().origin();
        auto result = ask({{"https_proxy", named}}, inside);
        CHECK(proxy.requests().at(0).find("CONNECT model.example:443 HTTP/1.1\r\nHost: model.example:443\r\n") == 0);
        CHECK((proxy.requests().at(0).find("Basic bWU6aHVudEByMg==") != std::string::npos) == user);
        auto sentence = result.sentence();
        if (const auto at = sentence.find(proxy.url().origin()); at != sentence.npos)
            sentence.replace(at, proxy.url().origin().size(), "PROXY");
        return std::to_string(static_cast<int>(result.error->failure())) + " " + sentence;
    };
    const auto kind = [](Failure failure) { return std::to_string(static_cast<int>(failure)) + " "; };
    const std::string write = ": write them into the environment variable that names it, as "
                              "http://user:password@host:port";
    CHECK(https("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n") ==
          kind(Failure::proxy_refused) + "the proxy PROXY refuses its user and password (407)" + write);
    CHECK(https("HTTP/1.1 407 No\r\nContent-Length: 3\r\n\r\nabc", false) ==
          kind(Failure::proxy_refused) + "the proxy PROXY needs a user and a password (407)" + write);
    CHECK(https("HTTP/1.1 403 No\r\n\r\n") ==
          kind(Failure::proxy_refused) + "the proxy PROXY does not let us through to https://model.example (403)");
    CHECK(https("HTTP/1.1 502 No\r\n\r\n") ==
          kind(Failure::connect) + "the proxy PROXY found no way to https://model.example (502)");
    CHECK(https("HTTP/1.1 200 Yes\r\n\r\n220 smtp") ==
          kind(Failure::protocol) + "the proxy PROXY sent bytes before a request");
    CHECK(https("220 smtp\r\n").find(kind(Failure::protocol) + "the server's answer is not readable HTTP") == 0);
}
TEST_CASE("a plain request's 407 is an error of the proxy") {
    RudeServer proxy({testing::always(407, "")});
    const auto result = ask({{"http_proxy", proxy.url().origin()}}, parse_url("http://a.example"));
    CHECK(result.error->failure() == Failure::proxy_refused);
}
TEST_CASE("an error names a missing or silent proxy") {
    const auto nowhere = ask({{"https_proxy", "http://me:secret@127.0.0.1:1"}}, inside);
    CHECK(nowhere.sentence() == "no connection to http://127.0.0.1:1: Connection refused "
                                "(the proxy http://127.0.0.1:1, for https://model.example)");

    RudeServer silent({say("")});
    HttpClient client({.proxies = settings({{"https_proxy", with_user(silent)}})});
    HttpRequest request{.url = inside};
    request.timeouts.connect = 1s;
    const auto name = silent.url().origin();
    CHECK_THROWS_WITH_AS(
        testing::await(client.send(request)),
        (name + " did not answer within 1 s (the proxy " + name + ", for https://model.example)").c_str(), NetError);
}
TEST_CASE("a client that checks addresses ignores proxy variables") {
    RudeServer proxy({testing::always(200, "proxy")}), server({testing::always(200, "server")});
    HttpClient client(
        {.check = [](const boost::asio::ip::address&) {}, .proxies = settings({{"http_proxy", proxy.url().origin()}})});
    const HttpRequest request{.url = server.url()};
    CHECK(testing::await(client.send(request)).body == "server");
    CHECK(proxy.connections() == 0);
}
