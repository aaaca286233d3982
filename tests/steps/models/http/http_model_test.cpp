#include "engine/spawn.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "tests/steps/models/asking.hpp"
#include "tests/support/limit.hpp"
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <future>
#include <thread>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;
using testing::Peer;
using testing::RudeServer;

namespace {
const std::string chunked = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
std::string chunk(const std::string& text) {
    char size[20];
    std::snprintf(size, sizeof size, "%zx\r\n", text.size());
    return size + text + "\r\n";
}
Asked ask(RudeServer& server) {
    HttpModel model(options_for(server));
    testing::ManualClock clock;
    return models::ask(model, clock);
}
}

TEST_CASE("a model answers from a stream, and its server gets the key") {
    RudeServer server({stream(event("4") + event("2", "\"stop\"") + "data: [DONE]\n\n", true)});
    const auto outcome = ask(server);
    CHECK(outcome.error.empty());
    CHECK(outcome.reply.text == "42");
    CHECK(outcome.text == "42");
    const auto request = server.requests().at(0);
    CHECK(request.find("POST /v1/chat/completions HTTP/1.1\r\n") == 0);
    CHECK(request.find("\r\nAuthorization: Bearer " + canary + "\r\n") != std::string::npos);
}
TEST_CASE("calls in a row share a connection") {
    RudeServer server({[](Peer& peer) {
        while (!peer.read_request().empty())
            peer.send(chunked + chunk(event("42", "\"stop\"") + "data: [DONE]\n\n") + "0\r\n\r\n");
    }});
    HttpModel model({.name = "openai:m", .model = "m", .protocol = &openai_chat, .base = server.url("/v1")});
    auto twice = [](ChatModel& m) -> awaitable<void> {
        const ChatRequest request;
        for (int i = 0; i < 2; ++i) co_await m.chat(request);
    };
    testing::await(twice(model));
    CHECK(server.connections() == 1);
}
TEST_CASE("a request's trace is sent in headers, but only if it is valid") {
    const std::string trace = "00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01";
    const auto head_of = [](const std::string& traceparent, const std::string& tracestate) {
        RudeServer server({stream(event("42", "\"stop\"") + "data: [DONE]\n\n", true)});
        HttpModel model(options_for(server));
        testing::ManualClock clock;
        ChatRequest request;
        request.traceparent = traceparent;
        request.tracestate = tracestate;
        CHECK(models::ask(model, clock, request).reply.text == "42");
        return server.requests().at(0);
    };
    const auto both = head_of(trace, "a=b");
    CHECK(both.find("\r\ntraceparent: " + trace + "\r\ntracestate: a=b\r\n") != std::string::npos);
    CHECK(both.substr(both.find("\r\n\r\n")).find("eee19b7ec3c1b174") == std::string::npos);
    CHECK(head_of(trace, "").find("tracestate") == std::string::npos);
    CHECK(head_of(trace, "a\r\nx: y").find("tracestate") == std::string::npos);
    CHECK(head_of("", "a=b").find("trace") == std::string::npos);
    CHECK(head_of(trace + "\r\nx: y", "a=b").find("trace") == std::string::npos);
}
// shows B-A25: temporary failures of a model are retried
TEST_CASE("a temporary fault is retried until it passes") {
    RudeServer server({once(500, "oops"), [](Peer& peer) { peer.reset(); }, once(200, whole_reply)});
    CHECK(ask(server).reply.text == "42");
    CHECK(server.connections() == 3);
}
TEST_CASE("a refusal is final and names the cure") {
    RudeServer refused({once(401, R"({"error":{"message":"bad key )" + canary + R"("}})")});
    CHECK(ask(refused).error == "openai:m refused the key (401); set OPENAI_API_KEY, in the environment or in .env, "
                                "to a valid one for " +
                                    refused.url().origin() + "/v1");
    CHECK(refused.connections() == 1);
    RudeServer echo({once(400, R"({"error":{"message":"what is )" + canary + R"(?"}})")});
    CHECK(ask(echo).error.find("what is ***?") != std::string::npos);
    RudeServer cut({once(400, std::string(65530, ' ') + canary)});  // longer than the examined part
    CHECK(ask(cut).error.find("sk-") == std::string::npos);
    RudeServer moved({once(308, "", "Location: https://elsewhere/v1\r\n")});
    CHECK(ask(moved).error ==
          "openai:m redirects to another address (308) https://elsewhere/v1; give that as the base URL");
    RudeServer page({once(200, "<html></html>", "Content-Type: text/html\r\n")});
    CHECK(ask(page).error == "openai:m answered with a web page; check the base URL: most end in one /v1");
}
TEST_CASE("an unreachable server is an error with the cure") {
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
TEST_CASE("a cancelled call closes its connection and is not repeated") {
    std::atomic<bool> is_said = false;
    std::promise<bool> closed;
    RudeServer server({[&](Peer& peer) {
        peer.read_request();
        peer.send(chunked + chunk(event("4")));
        is_said = true;
        closed.set_value(peer.wait_for_end());
    }});
    HttpModel model({.name = "openai:m", .model = "m", .protocol = &openai_chat, .base = server.url("/v1")});
    auto impatient = [](ChatModel& m, const ChatRequest& request) -> awaitable<void> {
        auto asking = m.chat(request);
        co_await with_timeout(1s, std::move(asking));
    };
    const ChatRequest request;
    testing::ManualClock clock;
    asio::io_context io;
    std::string sentence;
    spawn(Runtime{io.get_executor(), &clock}, impatient(model, request), [&](std::exception_ptr error) {
        try {
            if (error) std::rethrow_exception(error);
            sentence = "a reply";
        } catch (const Error& e) { sentence = e.what(); }
    });
    while (!is_said) io.run_one_for(5ms);
    clock.advance(1s);
    while (sentence.empty()) io.run_one_for(5ms);
    CHECK(sentence == "no result within 1 s");
    auto result = closed.get_future();
    REQUIRE(result.wait_for(test::limit) == std::future_status::ready);
    CHECK(result.get());
    CHECK(server.connections() == 1);
}
TEST_CASE("a request to a silent server is repeated, unless the reply has begun") {
    RudeServer silent({[](Peer& peer) { peer.wait_for_end(); }});
    RudeServer dozing({[](Peer& peer) {
        peer.read_request();
        peer.send(chunked + chunk(event("4")));
        peer.wait_for_end();
    }});
    const auto ask_briefly = [](RudeServer& server, Duration first_byte) {
        auto options = options_for(server);
        options.timeouts.first_byte = first_byte;
        options.timeouts.idle = 50ms;
        options.retry = {.attempts = 2, .base = 1ms};
        HttpModel model(options);
        return models::ask(model, real_clock()).failure.value();
    };
    CHECK(ask_briefly(silent, 50ms).kind() == FaultKind::unknown_outcome);
    while (silent.connections() < 2) std::this_thread::yield();  // the server accepts on its own thread
    CHECK(silent.connections() == 2);
    const auto broken_off = ask_briefly(dozing, test::limit);
    CHECK(broken_off.kind() == FaultKind::truncated);
    CHECK(broken_off.details().partial == "4");
    CHECK(dozing.connections() == 1);
}

namespace {
const auto no_streamed_tools = once(500, R"({"error":{"code":500,"message":"Cannot use tools with stream"}})");
bool streams(const std::string& request) { return request.find(R"("stream":true)") != std::string::npos; }
}
TEST_CASE("a server refusing tools in a stream gets requests for whole replies from then on") {
    RudeServer server({no_streamed_tools, once(200, whole_reply), once(200, whole_reply),
                       stream(event("4") + event("2", "\"stop\"") + "data: [DONE]\n\n", true)});
    HttpModel model(options_for(server));
    testing::ManualClock clock;
    const ChatRequest with_tools{.tools = {{"add", "", "{}"}}, .max_retries = 0};

    const auto first = models::ask(model, clock, with_tools);
    const auto second = models::ask(model, clock, with_tools);
    const auto plain = models::ask(model, clock);

    CHECK(first.text == "42");
    CHECK(first.deltas == 1);
    CHECK(first.waited == 0s);
    CHECK(first.reply.attempts == 2);
    REQUIRE(first.notes.size() == 1);
    CHECK(first.notes[0].text == "openai:m refused the request as it was: its whole reply "
                                 "to a request with tools is requested");
    CHECK(second.reply.attempts == 1);
    CHECK(second.text == "42");
    CHECK(plain.text == "42");
    const auto requests = server.requests();
    REQUIRE(requests.size() == 4);
    CHECK(streams(requests[0]));
    CHECK_FALSE(streams(requests[1]));
    CHECK_FALSE(streams(requests[2]));
    CHECK(streams(requests[3]));  // requests without tools are streamed
    const auto key = [](const std::string& request) { return request.substr(request.find("Idempotency-Key"), 60); };
    CHECK(key(requests[0]) != key(requests[1]));
}
TEST_CASE("a part of a request is left out for good only when the server takes the request without it") {
    const std::string refusal = R"({"error":{"message":"The text about temperature was rejected."}})";
    testing::RudeServer server({once(400, refusal), once(400, refusal), once(200, whole_reply)});
    testing::ManualClock clock;
    auto options = options_for(server);
    options.stream = false;
    HttpModel model(options);
    ChatRequest request;
    request.sampling.temperature = 0.5;
    CHECK(ask(model, clock, request).error.find("was rejected") != std::string::npos);
    CHECK(ask(model, clock, request).text == "42");
    const auto has_temperature = [&](std::size_t i) {
        return server.requests().at(i).find("temperature") != std::string::npos;
    };
    CHECK(has_temperature(0));
    CHECK_FALSE(has_temperature(1));
    CHECK(has_temperature(2));
}
TEST_CASE("an overlong prompt is not sent again when its refusal also names the bound of the reply") {
    const std::string words = "This model's maximum context length is 8192 tokens. However, you requested 8500 tokens "
                              "(8000 in the messages, 500 in the completion). Please reduce the messages.";
    testing::RudeServer server({once(400, R"({"error":{"message":")" + words + "\"}}")});
    testing::ManualClock clock;
    auto options = options_for(server);
    options.stream = false;
    HttpModel model(options);
    ChatRequest request;
    request.sampling.max_tokens = 500;
    CHECK(ask(model, clock, request).form == "long");
    CHECK(server.requests().size() == 1);
}
TEST_CASE("a request in another form has as many retries as the first one") {
    RudeServer server({no_streamed_tools, once(503, ""), once(503, ""), once(200, whole_reply)});
    HttpModel model(options_for(server));
    testing::ManualClock clock;
    const auto asked = models::ask(model, clock, {.tools = {{"add", "", "{}"}}});
    CHECK(asked.text == "42");
    CHECK(asked.waited == 750ms);
}
TEST_CASE("a server refusing tools with and without a stream gets a bounded number of requests") {
    RudeServer server({no_streamed_tools});
    HttpModel model(options_for(server));
    testing::ManualClock clock;
    CHECK(models::ask(model, clock, {.tools = {{"add", "", "{}"}}, .max_retries = 0}).error ==
          "openai:m failed (500): Cannot use tools with stream");
    CHECK(server.connections() == 2);
}
