#include "engine/net/http_client.hpp"
#include "engine/net/net_error.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "steps/llm/http_model.hpp"
#include "steps/llm/ollama.hpp"
#include "steps/llm/openai.hpp"
#include "steps/llm/providers.hpp"
#include "tests/support/aimock.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::llm;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::Aimock;

namespace {
const std::string hello =
    "Thought: n\xc3\xa4her am Ziel \xe2\x80\x93 \xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x99\x82\nAnswer: hello";

struct Way {  // of asking
    const Protocol* protocol;
    const char* base;
    bool stream;
};
const Way ways[] = {
    {&openai_chat, "/v1", true}, {&openai_chat, "/v1", false}, {&ollama_chat, "", true}, {&ollama_chat, "", false}};

struct Outcome {
    ChatReply reply;
    std::vector<std::string> deltas;
    std::string error;
    Code code = Code::usage;
};
Outcome ask(const Aimock& server, const Way& way, const std::string& question, std::vector<std::string> stop = {}) {
    HttpModelOptions options{.name = "test:any", .model = "any", .protocol = way.protocol, .stream = way.stream};
    options.base = net::parse_url(server.url() + way.base);
    options.key = Secret("sk-canary");
    HttpModel model(std::move(options));
    const ChatRequest request{.messages = {llm::instruction("Be brief."), user(question)},
                              .stop = std::move(stop),
                              .sampling = {.temperature = 0.25}};
    Outcome outcome;
    const OnDelta on_delta = [&](std::string_view delta) { outcome.deltas.emplace_back(delta); };
    testing::ManualClock clock;  // jumps over the waits between attempts
    try {
        outcome.reply = testing::await(model.chat(request, on_delta), clock);
    } catch (const Error& e) {
        outcome.error = e.what();
        outcome.code = e.code();
    }
    return outcome;
}
net::HttpResponse get(const Aimock& server, const std::string& path) {
    net::HttpClient client;
    net::HttpRequest request;
    request.url = net::parse_url(server.url() + path);
    return testing::await(client.send(request));
}
net::HttpResponse post(const Aimock& server, const std::string& path, const std::string& body,
                       net::HttpHeaders headers = {}) {
    net::HttpClient client;
    net::HttpRequest request{
        .method = "POST", .url = net::parse_url(server.url() + path), .headers = std::move(headers), .body = body};
    return testing::await(client.send(request));
}
}

TEST_CASE("both protocols get the whole reply, streamed and not") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        const auto outcome = ask(server, way, "please say hello");
        CHECK(outcome.error == "");
        CHECK(outcome.reply.text == hello);
        CHECK(outcome.reply.finish == FinishReason::stop);
        CHECK(outcome.reply.model == "any");
        CHECK((outcome.deltas.size() > 5) == way.stream);
        std::string joined;
        for (const auto& delta : outcome.deltas) joined += delta;
        CHECK(joined == hello);
        if (way.protocol == &openai_chat) CHECK(outcome.reply.usage.prompt_tokens > 0);
    }
}
TEST_CASE("the server saw what was asked, as its own journal tells") {
    Aimock server("replies.json");
    for (const auto& way : ways) ask(server, way, "please say hello", {"Observation:"});
    const auto journal = json::parse(get(server, "/__aimock/journal").body);
    REQUIRE(journal.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CAPTURE(i);
        const auto& entry = journal[i];
        const bool openai = ways[i].protocol == &openai_chat;
        CHECK(entry["path"] == (openai ? "/v1/chat/completions" : "/api/chat"));
        CHECK(entry["body"]["model"] == "any");
        CHECK(entry["body"].value("stream", false) == ways[i].stream);
        CHECK(entry["body"]["messages"][1]["content"] == "please say hello");
        CHECK(entry["headers"]["content-type"] == "application/json");
        if (openai) CHECK(entry["body"]["stop"] == json{"Observation:"});
    }
}
TEST_CASE("reasons to finish are told apart") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        if (way.protocol != &openai_chat) continue;
        CHECK(ask(server, way, "be cut short").reply.finish == FinishReason::length);
        CHECK(ask(server, way, "be filtered").reply.finish == FinishReason::refused);
    }
}
TEST_CASE("a server that does not know stop sequences is stopped all the same") {
    Aimock server("replies.json");
    for (const auto& way : ways)
        CHECK(ask(server, way, "invent an observation", {"\nObservation:"}).reply.text == "Action: look");
}
TEST_CASE("a stream that breaks off after some text is a failure") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        if (!way.stream) continue;
        const auto outcome = ask(server, way, "break off");
        CAPTURE(outcome.error);
        CHECK(outcome.error.find("a part of its reply had been shown") != std::string::npos);
        CHECK(outcome.reply.text.empty());
    }
}
TEST_CASE("a refusal is final, an outage passes") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        const auto outcome = ask(server, way, "refuse");
        CHECK(outcome.code == Code::model_refused);
        CHECK(outcome.error.find("test:any did not accept the request (400): the field 'messages' is odd") == 0);
    }
    CHECK(ask(server, ways[0], "fail once").reply.text == "recovered");
    CHECK(ask(server, ways[0], "nothing that the server knows").error ==
          "test:any failed (503): Strict mode: no fixture matched; tried 3 times");
}
TEST_CASE("a rate limit with Retry-After is waited for and tried again") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        REQUIRE(post(server, "/__aimock/error",
                     R"({"status":429,"body":{"message":"slow down","type":"rate_limit_error"}})")
                    .status == 200);
        CHECK(ask(server, way, "please say hello").reply.text == hello);
    }
    CHECK(json::parse(get(server, "/__aimock/journal?status=429").body).size() == 4);
}
TEST_CASE("broken replies of the server are never taken for sound ones") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        const ChatRequest request{.messages = {user("please say hello")}};
        const auto body = way.protocol->request(request, "any", way.stream);
        const std::string path = std::string(way.base) + "/" + way.protocol->path;
        const auto chaos = [&](const char* header) {
            const net::HttpHeaders headers{{"Content-Type", "application/json"}, {header, "1"}};
            return post(server, path, body, headers);
        };
        CHECK_THROWS_AS(chaos("x-aimock-chaos-disconnect"), net::NetError);
        CHECK(chaos("x-aimock-chaos-drop").status == 500);
        CHECK(chaos("x-aimock-chaos-ratelimit").status == 429);
        const auto malformed = chaos("x-aimock-chaos-malformed");
        auto reader = way.protocol->reader(request, {});
        const auto read = [&] {
            reader->feed(malformed.body, {});
            return reader->finish({});
        };
        CHECK_THROWS_AS(read(), Fault);
    }
}
TEST_CASE("an Ollama is found by the models that it lists") {
    Aimock server("replies.json");
    const auto models = testing::await(ollama_models(net::parse_url(server.url()), 5s));
    REQUIRE(models);
    CHECK_FALSE(models->empty());
}
TEST_CASE("the run over the sales goes on by what was observed last") {
    Aimock server("sales_react.json");
    for (const auto& way : ways) {
        const auto says = [&](const char* message, const char* part) {
            return ask(server, way, message).reply.text.find(part) != std::string::npos;
        };
        CHECK(says("How did sales vary between Q1 and Q2 of 2024 in percentage and amount?", "Action: sql_db_query"));
        CHECK(says("Observation: 5500 | 17200", "17200 - 5500"));
        CHECK(says("Observation: 11700", "11700 / 5500 * 100"));
        CHECK(says("Observation: 212.72727272727272", "Answer: Sales rose"));
    }
}
