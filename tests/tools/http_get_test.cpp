// The tool that reads pages, with local servers.
#include "engine/error.hpp"
#include "engine/testing/await.hpp"
#include "tests/support/rude_server.hpp"
#include "tools/http_get.hpp"
#include "tools/registry.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::tools;
using namespace std::chrono_literals;
using testing::always;
using testing::Peer;
using testing::RudeServer;

namespace {
constexpr auto plain = "Content-Type: text/plain\r\n";
std::string port_of(const RudeServer& server) { return std::to_string(server.url().port); }
/// Requests an address like a model.
Observation get(const std::string& url, HttpGetOptions options) {
    Registry registry;
    registry.add(http_get(std::move(options)));
    return testing::await(registry.call("http_get", nlohmann::json{{"url", url}}.dump()));
}
Observation get(const RudeServer& server, const std::string& path = "/", HttpGetOptions options = {}) {
    options.hosts.push_back("127.0.0.1:" + port_of(server));
    options.allow_loopback = true;
    return get(server.url(path).text(), options);
}
bool says(const Observation& seen, const std::string& part) {
    INFO(seen.text);
    CHECK(!seen.ok);
    return seen.text.find(part) != std::string::npos;
}
RudeServer::Session redirects(const std::string& location) {
    return always(302, "elsewhere", "Location: " + location + "\r\n");
}
}

// shows W-07
TEST_CASE("http_get gives the text of a page, and sends nothing but a plain request") {
    RudeServer server(
        {always(200, "<title>Tea</title><p>is <b>hot</b>", "Content-Type: text/html; charset=utf-8\r\n")});

    const auto seen = get(server, "/wiki/Green tea#hot");

    CHECK(seen.ok);
    CHECK(seen.text == "Tea\n\nis hot");
    REQUIRE(server.requests().size() == 1);
    CHECK(server.requests()[0].starts_with("GET /wiki/Green%20tea HTTP/1.1\r\n"));
    CHECK(server.requests()[0].find("Cookie") == std::string::npos);
    CHECK(server.requests()[0].find("Authorization") == std::string::npos);
}
TEST_CASE("http_get gives texts of other types unchanged, and refuses other content") {
    for (const char* type : {"text/plain", "application/json", "application/ld+json; charset=utf-8", "TEXT/CSV"}) {
        RudeServer server({always(200, "<b>1</b>", "Content-Type: " + std::string(type) + "\r\n")});
        CHECK(get(server).text == "<b>1</b>");
    }
    for (const char* type : {"image/png", "application/octet-stream", "application/pdf"}) {
        RudeServer server({always(200, "x", "Content-Type: " + std::string(type) + "\r\n")});
        CHECK(says(get(server), std::string("not text (") + type + ")"));
    }
    RudeServer binary({always(200, std::string("a\0b", 3))});
    CHECK(says(get(binary), "this is not text"));
    RudeServer none({always(200, "")});
    CHECK(get(none).text == "The page holds no text.");
}
TEST_CASE("http_get is off until hosts are named, and requests no other hosts") {
    CHECK_THROWS_WITH_AS(http_get({}), doctest::Contains("no host is allowed"), Error);
    CHECK_THROWS_AS(http_get({.hosts = {"*"}}), Error);
    RudeServer server({always(200, "secret", plain)});
    CHECK(says(get(server.url("/").text(), {.hosts = {"example.org"}, .allow_loopback = true}),
               "is not allowed; allowed are example.org"));
    for (const char* url : {"file:///etc/passwd", "example.org", "ftp://example.org/", "http://u:p@example.org/", ""})
        CHECK(says(get(url, {.hosts = {"example.org"}}), "Error: the address"));
    CHECK(server.connections() == 0);
}
TEST_CASE("a host of this machine or its network is refused in any notation") {
    RudeServer server({always(200, "secret", plain)});
    for (const std::string host :
         {"127.0.0.1", "localhost", "2130706433", "0x7f000001", "017700000001", "127.1", "0.0.0.0", "[::1]",
          "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "10.0.0.1", "169.254.169.254", "[fe80::1]", "[fd00::1]"}) {
        const auto origin = host + ":" + port_of(server);
        CHECK(says(get("http://" + origin + "/", {.hosts = {origin}}), "which is not public"));
    }
    CHECK(server.connections() == 0);
}
TEST_CASE("redirects are followed within the list, at most five, and each is checked again") {
    RudeServer target({always(200, "here", plain)});
    RudeServer round({[&](Peer& peer) {
        for (;;) {
            const auto request = peer.read_request();
            if (request.empty()) return;
            const auto at = request.find("/hop/");
            const int left = request[at + 5] - '0';
            const bool done = left == 0;
            if (!peer.answer(done ? 200 : 302, done ? "here" : "",
                             done ? plain : "Location: ../hop/" + std::to_string(left - 1) + "\r\n"))
                return;
        }
    }});
    CHECK(get(round, "/hop/5").text == "here");
    CHECK(says(get(round, "/hop/6"), "more than 5 times"));

    RudeServer allowed({redirects(target.url("/x").text())});
    CHECK(get(allowed, "/", {.hosts = {"127.0.0.1:" + port_of(target)}}).text == "here");
    CHECK(target.connections() == 1);
    CHECK(says(get(allowed), "is not allowed"));
    for (const auto& [location, why] :
         {std::pair<std::string, const char*>{"file:///etc/passwd", "does not begin with http"},
          {"http://localhost:" + port_of(target) + "/", "is not allowed"},
          {"//u:p@127.0.0.1:" + port_of(target) + "/", "user name"},
          {"/", "redirects to itself"},
          {"", "without saying where"}}) {
        RudeServer server({redirects(location)});
        CHECK(says(get(server), why));
    }
    CHECK(target.connections() == 1);
}
TEST_CASE("a redirect to a private address is refused although its host is allowed") {
    RudeServer server({redirects("http://169.254.169.254/latest/meta-data")});
    CHECK(says(get(server, "/", {.hosts = {"169.254.169.254"}}), "169.254.169.254, which is not public"));
}
TEST_CASE("a long text is cut between characters, with a mark, and no more of it is fetched than needed") {
    const std::string euro = "\u20AC";
    std::string body;
    while (body.size() < 200'000) body += euro;
    RudeServer server({always(200, body, plain)});

    for (std::size_t bytes : {std::size_t(1000), std::size_t(64u << 10)}) {
        const auto seen = get(server, "/", {.bytes = bytes});
        CHECK(seen.ok);
        CHECK(seen.text.size() <= bytes);
        CHECK(seen.text.size() > bytes - 100);
        CHECK(seen.text.find(euro + "\n[truncated: the first ") != std::string::npos);
        CHECK(seen.text.ends_with("bytes of the text are shown]"));
    }
    RudeServer endless({[](Peer& peer) {
        peer.read_request();
        peer.send("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 900000000000\r\n\r\n");
        const std::string piece(64 << 10, 'x');
        while (peer.send(piece)) {}
    }});
    const auto seen = get(endless);
    CHECK(seen.ok);
    CHECK(seen.text.size() <= 64u << 10);
}
TEST_CASE("a failing, broken or hanging server makes an observation") {
    RudeServer missing({always(404, "<h1>Not here</h1>", "Content-Type: text/html\r\n")});
    CHECK(says(get(missing), "Error: the server answers with the status 404: Not here"));
    RudeServer broken({[](Peer& peer) { peer.read_request(), peer.reset(); }});
    CHECK(says(get(broken), "closed the connection"));
    RudeServer silent({[](Peer& peer) { peer.read_request(), peer.wait_for_end(); }});
    CHECK(says(get(silent, "/", {.deadline = 50ms}), "within"));
    RudeServer odd({[](Peer& peer) { peer.read_request(), peer.send("\x01\x02\x03\r\n\r\n"); }});
    CHECK(!get(odd).ok);
}
