// Hosts and origins: the operators' settings, and the headers of browsers, probes and attackers.
#include "engine/error.hpp"
#include "tests/support/served_workflows.hpp"
#include "workflows/server/guard/origin.hpp"
using namespace weft;
using namespace weft::server;
using testing::request_of;
using testing::ServedWorkflows;

namespace {
constexpr auto token = "a-token-that-nobody-knows";
ServerOptions guarded() { return {.guard = {.hosts = {}, .origins = {"https://app.example"}, .tokens = {token}}}; }
std::string refusal_of(std::string (*normal)(std::string_view), std::string_view given) {
    try {
        return "taken as " + normal(given);
    } catch (const Error& error) {
        CHECK(error.code() == Code::configuration);
        return error.what();
    }
}
}

TEST_CASE("an origin is accepted as browsers write it, or refused with the reason why it can never match") {
    struct Row {
        const char *given, *normal;
    };
    const Row taken[] = {
        {"https://app.example", "https://app.example"},
        {" https://APP.example/ ", "https://app.example"},
        {"HTTPS://app.example:443", "https://app.example"},
        {"http://app.example:80/", "http://app.example"},
        {"http://app.example:443", "http://app.example:443"},
        {"http://app.example:08080", "http://app.example:8080"},
        {"http://localhost:3000/", "http://localhost:3000"},
        {"http://[0:0:0:0:0:0:0:1]:3000", "http://[::1]:3000"},
        {"http://10.0.0.7", "http://10.0.0.7"},
        {"https://xn--bcher-kva.example", "https://xn--bcher-kva.example"},
        {"chrome-extension://abcdefghijklmnop/", "chrome-extension://abcdefghijklmnop"},
        {"tauri://localhost", "tauri://localhost"},
        {"https://app.example.", "https://app.example."},
    };
    for (const auto& row : taken) {
        CAPTURE(row.given);
        CHECK(normal_origin(row.given) == row.normal);
    }
    const Row refused[] = {
        {"https://app.example/path", "an origin has no path: write https://app.example"},
        {"https://app.example?x", "no path"},
        {"https://app.example//", "no path"},
        {"app.example", "no scheme: write https://app.example"},
        {"app.example:8080", "no scheme"},
        {"//app.example", "no scheme"},
        {"://app.example", "no scheme"},
        {"*", "no wildcards"},
        {"https://*.app.example", "no wildcards"},
        {"http://localhost:*", "no wildcards"},
        {"null", "any page may send it"},
        {"", "no scheme"},
        {"wss://app.example", "no page comes from wss://"},
        {"file:///index.html", "no page comes from file://"},
        {"https://", "no host"},
        {"https://user@app.example", "no host"},
        {"https://app.example:99999", "no host"},
        {"https://app.example:0", "no host"},
        {"https://app.example:80a", "no host"},
        {"https://b\xC3\xBC"
         "cher.example",
         "xn--"},
        {"https://app..example", "no host"},
        {"https://app example", "no host"},
        {"http://127.1", "no host"},
        {"http://0x7f000001", "no host"},
        {"http://[::1", "no host"},
        {"https://a.example,https://b.example", "no path"},
    };
    for (const auto& row : refused) {
        CAPTURE(row.given);
        const auto said = refusal_of(normal_origin, row.given);
        CHECK_MESSAGE(said.find(row.normal) != said.npos, said);
        CHECK(said.starts_with("the allowed origin \""));
    }
    CHECK_THROWS_AS(Guard({.hosts = {}, .origins = {"*"}, .tokens = {}}), Error);
}
TEST_CASE("a host is accepted without its port, and refused if no request can name it") {
    CHECK(normal_host("WEFT.example:8080") == "weft.example");
    CHECK(normal_host("::1") == "[::1]");
    CHECK(normal_host("[fe80::1%eth0]") == "[fe80::1]");
    CHECK(normal_host("weft_1.internal") == "weft_1.internal");
    CHECK(normal_host("weft.example.:80") == "weft.example");
    for (const auto* given : {"https://weft.example", "weft.example/x", "*", "*.example", "", "a b", "[::1].evil"}) {
        CAPTURE(given);
        CHECK(refusal_of(normal_host, given).find("without a scheme") != std::string::npos);
    }
}
TEST_CASE("an encoded body is refused with the name of its encoding") {
    const Guard guard({});
    const auto status = [&](const std::string& encoding, const std::string& body) {
        std::size_t caller = 0;
        net::IncomingRequest request{.method = "POST", .target = "/", .body = body};
        request.headers = {{"Host", "localhost"}, {"Content-Type", "application/json"}};
        if (!encoding.empty()) request.headers.push_back({"Content-Encoding", encoding});
        const auto refusal = guard.check(request, Access::token, caller);
        if (refusal) CHECK(refusal->detail.find("Content-Encoding " + encoding + ",") != std::string::npos);
        return refusal ? refusal->status : 200;
    };
    for (const auto* encoding : {"gzip", "br", "gzip, identity"}) CHECK(status(encoding, "\x1f\x8b") == 415);
    CHECK(status("", "{}") == 200);
    CHECK(status("Identity", "{}") == 200);
    CHECK(status("gzip", "") == 200);
}
TEST_CASE("a host is known when it is written with the dot of the root, and without it") {
    for (const auto* allowed : {"weft.example", "weft.example."}) {
        const Guard guard({.hosts = {allowed}, .origins = {}, .tokens = {}});
        const auto is_refused = [&](const std::string& host) {
            std::size_t caller = 0;
            const net::IncomingRequest request{.method = "GET", .target = "/", .headers = {{"Host", host}}};
            return guard.check(request, Access::open, caller).has_value();
        };
        for (const auto* known : {"weft.example", "WEFT.example.", "weft.example.:8080", "localhost.", "[::1]"})
            CHECK_FALSE(is_refused(known));
        for (const auto* other : {"evil.weft.example.", "weft.example..", "weft.example.evil.", "127.0.0.1.", "."})
            CHECK(is_refused(other));
    }
}
TEST_CASE("a page of the server itself is accepted behind proxies that name the scheme's own port") {
    CHECK(is_origin_of("https://weft.example", "weft.example"));
    CHECK(is_origin_of("https://weft.example", "WEFT.example:443"));
    CHECK(is_origin_of("http://weft.example", "weft.example:80"));
    CHECK(is_origin_of("http://127.0.0.1:8080", "127.0.0.1:8080"));
    CHECK_FALSE(is_origin_of("https://weft.example", "weft.example:8443"));
    CHECK_FALSE(is_origin_of("https://weft.example:8443", "weft.example"));
    CHECK_FALSE(is_origin_of("https://evil.example", "weft.example"));
    CHECK_FALSE(is_origin_of("null", "null"));
    CHECK_FALSE(is_origin_of("https://[::1].evil", "[::1].evil"));
}
TEST_CASE("a preflight allows all requests of an allowed origin, on any path") {
    ServedWorkflows world(guarded());
    const std::string stainless = "authorization,content-type,x-stainless-os, x-stainless-retry-count";
    const auto asked = [&](const std::string& origin, const std::string& path = "/v1/chat/completions") {
        return world.ask(request_of("OPTIONS", path, "",
                                    "Origin: " + origin + "\r\nAccess-Control-Request-Method: PATCH\r\n" +
                                        "Access-Control-Request-Headers: " + stainless + ", b@d\r\n" +
                                        "Access-Control-Request-Private-Network: true\r\n"));
    };
    for (const auto* path : {"/v1/chat/completions", "/events/x", "/nothing/of/the/kind"}) {
        CAPTURE(path);
        const auto answer = asked("https://app.example", path);
        CHECK(answer.status() == 204);
        CHECK(answer.has("Access-Control-Allow-Origin: https://app.example\r\n"));
        CHECK(answer.has("x-stainless-os, x-stainless-retry-count\r\n"));
        CHECK(answer.has("Access-Control-Allow-Methods: GET, HEAD, POST, DELETE, PATCH\r\n"));
        CHECK(answer.has("Access-Control-Allow-Private-Network: true\r\n"));
        CHECK_FALSE(answer.has("b@d"));
    }
    const auto refused = asked("https://evil.example");
    CHECK(refused.status() == 403);
    CHECK_FALSE(refused.has("Access-Control-Allow"));
}
TEST_CASE("a request is refused with the header that it needs when it has no Host") {
    ServedWorkflows world;
    for (const auto* request : {"GET /workflows HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\nHost:\r\n\r\n",
                                "GET /v1/models HTTP/1.0\r\n\r\n", "GET /workflows HTTP/1.1\r\nHost: \r\n\r\n"}) {
        CAPTURE(request);
        const auto answer = world.ask(request);
        CHECK(answer.status() == 400);
        CHECK_MESSAGE(answer.has("the request has no Host: send the header Host"), answer.text);
    }
    CHECK(world.ask("GET /workflows HTTP/1.0\r\nHost: localhost\r\n\r\n").status() == 200);
    CHECK(world.ask("GET /workflows HTTP/1.0\r\nHost: evil.example\r\n\r\n").status() == 403);
}
TEST_CASE("a page of an allowed origin can read every refusal, also one before the body arrives") {
    ServedWorkflows world(guarded());
    const std::string origin = "Origin: https://app.example\r\n", json_type = "Content-Type: application/json\r\n";
    const std::string known = json_type + "Authorization: Bearer " + token + "\r\n" + origin;
    const auto head = [](const std::string& path, const std::string& headers) {
        return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n";
    };
    struct Row {
        const char* refusal;
        std::string request;
        unsigned status;
    };
    const Row rows[] = {
        {"no token, before the body", head("/workflows/hello/run", origin + json_type + "Content-Length: 10\r\n"), 401},
        {"no token, with the body", request_of("POST", "/workflows/hello/run", "{}", json_type + origin), 401},
        {"the same of OpenAI's API", head("/v1/chat/completions", origin + "Content-Length: 10\r\n"), 401},
        {"a body that is too long", head("/workflows/hello/run", known + "Content-Length: 99999999\r\n"), 413},
        {"the same of OpenAI's API", head("/v1/chat/completions", known + "Content-Length: 99999999\r\n"), 413},
        {"chunks that are too long",
         head("/workflows/hello/run", known + "Transfer-Encoding: chunked\r\n") + "fffffff\r\n", 413},
        {"an expectation", head("/workflows/hello/run", known + "Expect: magic\r\nContent-Length: 2\r\n"), 417},
        {"two lengths", head("/workflows/hello/run", known + "Content-Length: 1\r\nContent-Length: 2\r\n"), 400},
        {"another host", "GET /workflows HTTP/1.1\r\nHost: evil.example\r\n" + origin + "\r\n", 403},
        {"a wrong type",
         request_of("POST", "/workflows/hello/run", "{}",
                    "Authorization: Bearer " + std::string(token) + "\r\n" + origin),
         415},
        {"no such run", request_of("GET", "/handlers/x", "", known), 404},
    };
    for (const auto& row : rows) {
        CAPTURE(row.refusal);
        const auto answer = world.ask(row.request);
        CHECK_MESSAGE(answer.status() == row.status, answer.text);
        CHECK(answer.has("Access-Control-Allow-Origin: https://app.example\r\n"));
        CHECK(answer.has("Access-Control-Expose-Headers: "));
    }
    const auto too_long = world.ask(head("/v1/chat/completions", known + "Content-Length: 99999999\r\n"));
    CHECK(too_long.json()["error"]["message"].is_string());
}
TEST_CASE("a probe reads whether the server is healthy, by any host name") {
    ServedWorkflows world(guarded());
    for (const auto* request :
         {"GET /health HTTP/1.1\r\nHost: 10.244.0.5:8080\r\n\r\n", "GET /health HTTP/1.0\r\n\r\n",
          "GET /health?x=1 HTTP/1.1\r\nHost: evil.example\r\nOrigin: https://evil.example\r\n\r\n",
          "GET /health HTTP/1.1\r\nHost:\r\n\r\n"}) {
        CAPTURE(request);
        const auto answer = world.ask(request);
        CHECK(answer.status() == 200);
        CHECK(answer.has("healthy"));
        CHECK_FALSE(answer.has("Access-Control-Allow-Origin"));
    }
    CHECK(world.ask("HEAD /health HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n").status() == 200);
    CHECK(world.ask("OPTIONS / HTTP/1.0\r\n\r\n").status() == 204);
    CHECK(world.ask("POST /health HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n").status() == 403);
}
