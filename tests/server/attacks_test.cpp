// Attacks by clients without permission: each is refused or harmless.
#include "tests/support/served_workflows.hpp"
#include <set>
using namespace weft;
using nlohmann::json;
using testing::Caller;
using testing::request_of;
using testing::ServedWorkflows;

namespace {
constexpr auto token = "a-token-that-nobody-knows";
constexpr auto json_type = "Content-Type: application/json\r\n";
server::ServerOptions guarded() {
    return {.guard = {.hosts = {"weft.example"}, .origins = {"https://app.example"}, .tokens = {token}}};
}
std::string with_token(const std::string& more = {}) {
    return json_type + ("Authorization: Bearer " + std::string(token)) + "\r\n" + more;
}
const std::string hello = R"({"start_event": {"text": "World"}})";
}

TEST_CASE("each attack is refused with its status, and begins no run") {
    struct Row {
        const char* attack;
        std::string request;
        unsigned status;
    };
    const auto run = [](const std::string& headers, const char* host = "localhost") {
        return request_of("POST", "/workflows/hello/run", hello, headers, host);
    };
    const Row rows[] = {
        {"a name of somebody else that leads here (DNS rebinding)", run(with_token(), "evil.example"), 403},
        {"the same with our port", run(with_token(), "evil.example:8080"), 403},
        {"the same by a name that begins with ours", run(with_token(), "localhost.evil.example"), 403},
        {"the same for a stream", request_of("GET", "/events/x", "", with_token(), "evil.example"), 403},
        {"a page of somebody else posts (CSRF)", run(with_token("Origin: https://evil.example\r\n")), 403},
        {"a page without an origin of its own posts", run(with_token("Origin: null\r\n")), 403},
        {"the same by another port of this machine", run(with_token("Origin: http://localhost:1\r\n")), 403},
        {"a form posts, which needs no preflight",
         run("Content-Type: application/x-www-form-urlencoded\r\nAuthorization: Bearer " + std::string(token) + "\r\n"),
         415},
        {"a form posts text that is JSON",
         run("Content-Type: text/plain\r\nAuthorization: Bearer " + std::string(token) + "\r\n"), 415},
        {"a body without a type", run("Authorization: Bearer " + std::string(token) + "\r\n"), 415},
        {"no token", run(json_type), 401},
        {"an empty token", run(json_type + std::string("Authorization: Bearer \r\n")), 401},
        {"the beginning of the token", run(json_type + std::string("Authorization: Bearer a-token\r\n")), 401},
        {"the token and more", run(json_type + ("Authorization: Bearer " + std::string(token)) + "x\r\n"), 401},
        {"the token by another scheme", run(json_type + ("Authorization: Basic " + std::string(token)) + "\r\n"), 401},
        {"the token as a cookie", run(json_type + ("Cookie: weft_session=" + std::string(token)) + "\r\n"), 401},
        {"an empty cookie", run(json_type + std::string("Cookie: weft_session=\r\n")), 401},
        {"a login that was never given", request_of("GET", "/login/AAAAAAAAAA"), 403},
        {"metrics without a token", request_of("GET", "/metrics"), 401},
        {"the models of OpenAI's API without a token", request_of("GET", "/v1/models"), 401},
        {"a file by a path that goes up", request_of("GET", "/page/../../../etc/passwd", "", with_token()), 404},
        {"the same, encoded", request_of("GET", "/page/..%2f..%2f..%2fetc%2fpasswd", "", with_token()), 404},
        {"the same, encoded twice", request_of("GET", "/page/%252e%252e%252fetc", "", with_token()), 404},
        {"the same, of the debugger", request_of("GET", "/debugger/..%2fapp.js", "", with_token()), 404},
        {"a path with a zero byte", request_of("GET", "/page/index.html%00.js", "", with_token()), 400},
        {"a path that is not UTF-8", request_of("GET", "/handlers/%ff%fe", "", with_token()), 400},
        {"a body that is too long",
         "POST /workflows/hello/run HTTP/1.1\r\nHost: localhost\r\n" + with_token() +
             "Content-Length: 99999999\r\n\r\n",
         413},
        {"a head that is too long", "GET / HTTP/1.1\r\nHost: localhost\r\nA: " + std::string(1 << 20, 'a') + "\r\n\r\n",
         431},
        {"JSON that is too deep", request_of("POST", "/workflows/hello/run", std::string(100'000, '['), with_token()),
         400},
        {"two lengths (smuggling)",
         "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", 400},
        {"length and chunks (smuggling)",
         "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400},
    };
    ServedWorkflows world(guarded());
    for (const auto& row : rows) {
        CAPTURE(row.attack);
        const auto answer = world.ask(row.request);
        CHECK_MESSAGE(answer.status() == row.status, answer.text);
        CHECK_FALSE(answer.has(token));
        CHECK_FALSE(answer.has("Access-Control-Allow-Origin"));
        CHECK_FALSE(answer.has("root:"));
    }
    CHECK(world.service->runs->list({}).empty());
}
TEST_CASE("a permitted client is accepted by token, another host name, an allowed origin, or a one-time link") {
    ServedWorkflows world(guarded());
    const auto run = [&](const std::string& headers, const char* host = "localhost") {
        return world.ask(request_of("POST", "/workflows/hello/run", hello, headers, host));
    };
    CHECK(run(with_token()).status() == 200);
    CHECK(run(with_token(), "WEFT.example:443").status() == 200);
    CHECK(run(with_token(), "[::1]:8080").status() == 200);
    CHECK(run(with_token("Origin: https://weft.example\r\n"), "weft.example").status() == 200);
    const auto other = run(with_token("Origin: https://app.example\r\n"));
    CHECK(other.has("Access-Control-Allow-Origin: https://app.example\r\n"));
    CHECK(other.has("Access-Control-Allow-Credentials: true\r\n"));
    CHECK(other.has("Vary: Origin\r\n"));
    const auto preflight = world.ask(
        request_of("OPTIONS", "/workflows/hello/run", "", "Origin: https://app.example\r\n"));
    CHECK(preflight.status() == 204);
    CHECK(preflight.has("Access-Control-Allow-Headers: "));
    CHECK(world.get("/health").status() == 200);

    const auto link = world.service->login_url();
    const auto path = link.substr(link.find("/login/"));
    const auto login = world.get(path);
    CHECK(login.status() == 303);
    CHECK(login.has("HttpOnly; SameSite=Strict"));
    const auto cookie = login.text.substr(login.text.find("weft_session="));
    CHECK(run(json_type + ("Cookie: a=b; " + cookie.substr(0, cookie.find(';'))) + "\r\n").status() == 200);
    CHECK(world.get(path).status() == 403);
}
TEST_CASE("script in every field of every event stays data: JSON that no browser takes for a page") {
    ServedWorkflows world;
    const std::string script = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\u2028";
    const json body = {{"start_event", {{"text", script}}}, {"handler_id", "<b>x</b>"}};

    const auto answer = world.post("/workflows/hello/run", body.dump());
    const auto stream = world.get("/events/%3Cb%3Ex%3C%2Fb%3E");
    const auto page = world.get("/");
    const auto missing = world.get("/handlers/%3Cscript%3E");

    CHECK(answer.json()["result"]["value"]["text"] == "Hello, " + script + "!");
    for (const auto* each : {&answer, &stream, &page, &missing}) CHECK(each->has("X-Content-Type-Options: nosniff"));
    CHECK(answer.has("Content-Type: application/json\r\n"));
    CHECK(missing.has("Content-Type: application/json\r\n"));
    CHECK(stream.has("Content-Type: text/event-stream\r\n"));
    CHECK(page.has("Content-Security-Policy: default-src 'none'; script-src 'self'"));
    CHECK_FALSE(page.has("unsafe-inline"));
}
TEST_CASE("a token is compared in constant time whatever its length, and random texts differ") {
    CHECK(server::equal_in_constant_time("secret", "secret"));
    CHECK_FALSE(server::equal_in_constant_time("secret", "secre"));
    CHECK_FALSE(server::equal_in_constant_time("secret", "secrets"));
    CHECK_FALSE(server::equal_in_constant_time("", "secret"));
    CHECK(server::random_text(40).size() == 40);
    CHECK(server::random_text(40) != server::random_text(40));
}
TEST_CASE("callers are distinguished by their tokens and cookies, even when no token is required") {
    server::Guard guard({.tokens = {token, "another-token-that-nobody-knows"}});
    const auto cookie = guard.log_in(guard.login_code()).value();
    const auto caller = [&](const char* name, const std::string& value, server::Access access) {
        const net::IncomingRequest request{.method = "GET", .headers = {{"Host", "localhost"}, {name, value}}};
        std::size_t found = 99;
        const auto refusal = guard.check(request, access, found);
        CHECK(refusal.has_value() == (access == server::Access::token && found == 0));
        return found;
    };
    for (const auto access : {server::Access::open, server::Access::token}) {
        const auto first = caller("Authorization", std::string("Bearer ") + token, access);
        const auto second = caller("Authorization", "bearer another-token-that-nobody-knows", access);
        const auto third = caller("Cookie", "weft_session=" + cookie, access);
        CHECK(std::set{std::size_t(0), first, second, third}.size() == 4);
        CHECK(caller("Authorization", "Bearer nobody's", access) == 0);
    }
}
TEST_CASE("an address that other machines can reach is refused without a token, and so is a short token") {
    Engine engine;
    const auto refusal = [&](server::ServerOptions options) {
        try {
            server::Server server(engine, {}, std::move(options));
        } catch (const Error& error) { return std::string(error.what()); }
        return std::string();
    };
    CHECK(refusal({.host = "0.0.0.0"}).find("set a token") != std::string::npos);
    CHECK(refusal({.host = "::"}).find("set a token") != std::string::npos);
    CHECK(refusal({.guard = {.tokens = {"short"}}}).find("16 characters") != std::string::npos);
    CHECK(refusal({.certificate = "a.pem"}).find("a certificate and its key") != std::string::npos);
    CHECK(refusal({.host = "0.0.0.0", .without_token = true}).empty());
    CHECK(refusal({.host = "0.0.0.0", .guard = {.tokens = {token}}}).empty());
}
TEST_CASE("a request without a token is refused by its head, and its body is not read") {
    ServedWorkflows world(guarded());
    const auto begin = [](const std::string& host, const std::string& more) {
        return "POST /workflows/hello/run HTTP/1.1\r\nHost: " + host + "\r\nContent-Length: 900000\r\n" + more + "\r\n";
    };
    Caller nobody(world.served), elsewhere(world.served), asking(world.served), known(world.served);

    CHECK(testing::status_of(nobody.ask(begin("localhost", json_type))) == 401);
    CHECK(nobody.closed());
    CHECK(testing::status_of(elsewhere.ask(begin("evil.example", with_token()))) == 403);
    CHECK(testing::status_of(asking.ask(begin("localhost", "Expect: 100-continue\r\n"))) == 401);
    CHECK(known.ask(begin("localhost", with_token())).empty());
    CHECK_FALSE(known.closed());
}
TEST_CASE("requests without a token do not use up the rate of requests with a token") {
    auto options = guarded();
    options.requests_per_second = 2;
    ServedWorkflows world(std::move(options));
    for (int i = 0; i < 20; ++i) CHECK(world.get("/health").status() == 200);
    CHECK(world.ask(request_of("GET", "/workflows", "", with_token())).status() == 200);
}
