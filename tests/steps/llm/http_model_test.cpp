#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "steps/llm/http_model.hpp"
#include "steps/llm/ollama.hpp"
#include "steps/llm/openai.hpp"
#include "tests/support/rude_server.hpp"
#include <doctest/doctest.h>
#include <future>
using namespace weft;
using namespace weft::llm;
using namespace std::chrono_literals;
using testing::always;
using testing::Peer;
using testing::RudeServer;

namespace {
const std::string key = "sk-canary-12345";
const std::string whole = R"({"model":"m","choices":[{"message":{"content":"42"},"finish_reason":"stop"}]})";
std::string event(const std::string& text, const char* finish = "null") {
    return R"(data: {"choices":[{"delta":{"content":")" + text + R"("},"finish_reason":)" + finish + "}]}\n\n";
}
const std::string chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
std::string chunk(const std::string& text) {
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", text.size());
    return size + text + "\r\n";
}
RudeServer::Session once(int status, std::string body, std::string headers = {}) {
    return [=](Peer& peer) {
        peer.read_request();
        peer.answer(status, body, headers + "Connection: close\r\n");
    };
}
RudeServer::Session stream(std::string bytes, bool whole_answer) {
    return [=](Peer& peer) {
        peer.read_request();
        peer.send(chunked + chunk(bytes) + (whole_answer ? "0\r\n\r\n" : ""));
        if (!whole_answer) peer.reset();
    };
}
struct Outcome {
    ChatReply reply;
    std::vector<std::string> deltas;
    std::string error;
    Code code = Code::usage;
    Duration waited{};
};
// Asks with a clock that jumps over the waits between attempts.
Outcome ask(RudeServer& server, const Protocol& protocol = openai_chat, RetryPolicy retry = {}) {
    HttpModelOptions options{
        .name = "openai:m", .model = "m", .protocol = &protocol, .base = server.url("/v1"), .key = Secret(key)};
    options.retry = retry;
    options.chance = [] { return 0.5; };
    options.wall_clock = [] { return std::chrono::system_clock::from_time_t(784111777); };
    HttpModel model(std::move(options));
    testing::ManualClock clock;
    const auto begin = clock.now();
    const ChatRequest request{.messages = {user("6 * 7?")}};
    Outcome outcome;
    const OnDelta on_delta = [&](std::string_view delta) { outcome.deltas.emplace_back(delta); };
    try {
        outcome.reply = testing::await(model.chat(request, on_delta), clock);
    } catch (const Error& e) {
        outcome.error = e.what();
        outcome.code = e.code();
        CHECK(outcome.error.find(key) == std::string::npos);
    }
    outcome.waited = clock.now() - begin;
    return outcome;
}
}

TEST_CASE("a model answers, piece by piece, and is told the key") {
    RudeServer server({stream(event("4") + event("2", "\"stop\"") + "data: [DONE]\n\n", true)});
    const auto outcome = ask(server);
    CHECK(outcome.error.empty());
    CHECK(outcome.reply.text == "42");
    CHECK(outcome.deltas == std::vector<std::string>{"4", "2"});
    const auto request = server.requests().at(0);
    CHECK(request.find("POST /v1/chat/completions HTTP/1.1\r\n") == 0);
    CHECK(request.find("\r\nAuthorization: Bearer " + key + "\r\n") != std::string::npos);
}
TEST_CASE("calls in a row share a connection") {
    RudeServer server({[](Peer& peer) {
        while (!peer.read_request().empty())
            peer.send(chunked + chunk(event("42", "\"stop\"") + "data: [DONE]\n\n") + "0\r\n\r\n");
    }});
    HttpModel model({.name = "openai:m", .model = "m", .protocol = &openai_chat, .base = server.url("/v1")});
    auto twice = [](ChatModel& m) -> awaitable<void> {
        const ChatRequest request;
        for (int i = 0; i < 2; ++i) {
            auto asking = m.chat(request);
            co_await std::move(asking);
        }
    };
    testing::await(twice(model));
    CHECK(server.connections() == 1);
}
TEST_CASE("B-A25: what passes is tried again until it has passed") {
    RudeServer server({once(500, "oops"), [](Peer& peer) { peer.reset(); }, once(200, whole)});
    CHECK(ask(server).reply.text == "42");
    CHECK(server.connections() == 3);
}
TEST_CASE("after the last attempt the error says what happened and how often") {
    RudeServer server({once(503, R"({"error":{"message":"overloaded"}})")});
    const auto outcome = ask(server);
    CHECK(outcome.error == "openai:m failed (503): overloaded; tried 3 times");
    CHECK(outcome.code == Code::model_failed);
    CHECK(server.connections() == 3);
    CHECK(outcome.waited >= 750ms);  // half of 500 ms and of 1 s
}
TEST_CASE("the wait that a server asks for is kept, as seconds and as a date") {
    RudeServer server({once(429, "", "Retry-After: 7\r\n"),
                       once(429, "", "Retry-After: Sun, 06 Nov 1994 08:49:47 GMT\r\n"), once(200, whole)});
    const auto outcome = ask(server);
    CHECK(outcome.reply.text == "42");
    CHECK(outcome.waited >= 17750ms);
    CHECK(outcome.waited < 18s);
}
TEST_CASE("a server that asks to wait for long is not waited for") {
    RudeServer server({once(429, "<html>slow down</html>", "Retry-After: 3600\r\n")});
    const auto outcome = ask(server);
    CHECK(outcome.error ==
          "openai:m limits how often it is asked (429); it asks to wait 3600 s before the next try");
    CHECK(outcome.code == Code::model_refused);
    CHECK(server.connections() == 1);
}
TEST_CASE("a refusal is final and says what to change") {
    RudeServer refused({once(401, R"({"error":{"message":"bad key )" + key + R"("}})")});
    CHECK(ask(refused).error ==
          "openai:m refused the key (401); set OPENAI_API_KEY, in the environment or in .env, to a valid one");
    CHECK(refused.connections() == 1);
    RudeServer echo({once(400, R"({"error":{"message":"what is )" + key + R"(?"}})")});
    CHECK(ask(echo).error.find("what is ***?") != std::string::npos);
    RudeServer cut({once(400, std::string(8180, ' ') + key)});  // longer than what is looked at
    CHECK(ask(cut).error.find("sk-") == std::string::npos);
    RudeServer moved({once(308, "", "Location: https://elsewhere/v1\r\n")});
    CHECK(ask(moved).error ==
          "openai:m redirects to another address (308) https://elsewhere/v1; give that as the base URL");
    RudeServer page({once(200, "<html></html>", "Content-Type: text/html\r\n")});
    CHECK(ask(page).error == "openai:m answered with a web page; check the base URL");
}
TEST_CASE("a reply that breaks off before any text is asked for again, and after text never") {
    {
        RudeServer server({stream("data: {\"choi", false), once(200, whole)});
        CHECK(ask(server).reply.text == "42");
    }
    RudeServer server({stream(event("4"), false), once(200, whole)});
    const auto outcome = ask(server);
    CHECK(outcome.deltas == std::vector<std::string>{"4"});
    CHECK(outcome.code == Code::model_unreachable);
    CHECK(outcome.error.find("a part of its reply had been shown, so it was not asked again") != std::string::npos);
    CHECK(server.connections() == 1);
}
TEST_CASE("a stream that ends without its end is never a success") {
    RudeServer server({stream(event("4"), true)});
    const auto outcome = ask(server);
    CHECK(outcome.code == Code::model_failed);
    CHECK(outcome.error.find("openai:m broke off its reply before the end") == 0);
}
TEST_CASE("an error object in a stream before any text is tried again") {
    RudeServer server({stream("data: {\"error\":{\"message\":\"busy\",\"code\":503}}\n\n", true), once(200, whole)});
    CHECK(ask(server).reply.text == "42");
}
TEST_CASE("a reply without choices is asked for once more, not for ever") {
    RudeServer server({once(200, R"({"choices":[]})")});
    CHECK(ask(server, openai_chat, {.attempts = 10}).error == "openai:m sent a reply without choices; tried 2 times");
}
TEST_CASE("nobody there is unreachable, with what to do") {
    RudeServer::Session none = [](Peer&) {};
    std::unique_ptr<RudeServer> server = std::make_unique<RudeServer>(std::vector{none});
    HttpModel model({.name = "ollama:m",
                     .model = "m",
                     .protocol = &ollama_chat,
                     .base = server->url("/"),
                     .retry = {.attempts = 1}});
    server.reset();
    const ChatRequest request;
    try {
        testing::await(model.chat(request));
        FAIL("answered");
    } catch (const Error& e) {
        CHECK(e.code() == Code::model_unreachable);
        CHECK(std::string(e.what()).find("ollama serve") != std::string::npos);
    }
}
TEST_CASE("cancelling a call closes its connection and is not tried again") {
    std::promise<bool> closed;
    RudeServer server({[&](Peer& peer) {
        peer.read_request();
        peer.send(chunked + chunk(event("4")));
        closed.set_value(peer.wait_for_end());
    }});
    HttpModel model({.name = "openai:m", .model = "m", .protocol = &openai_chat, .base = server.url("/v1")});
    auto impatient = [](ChatModel& m, const ChatRequest& request) -> awaitable<void> {
        auto asking = m.chat(request);
        co_await with_timeout(50ms, std::move(asking));
    };
    const ChatRequest request;
    CHECK_THROWS_WITH_AS(testing::await(impatient(model, request)), "no result within 0.05 s", Error);
    auto result = closed.get_future();
    REQUIRE(result.wait_for(2s) == std::future_status::ready);
    CHECK(result.get());
    CHECK(server.connections() == 1);
}
