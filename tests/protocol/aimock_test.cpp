#include "engine/net/net_error.hpp"
#include "engine/net/url.hpp"
#include "engine/testing/await.hpp"
#include "steps/models/http/providers.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/responses.hpp"
#include "tests/protocol/asking.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/model_server.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using namespace weft::models::testing;
using namespace std::chrono_literals;
using nlohmann::json;
using weft::testing::Aimock;

namespace {
const std::string hello =
    "Thought: n\xc3\xa4her am Ziel \xe2\x80\x93 \xe4\xbd\xa0\xe5\xa5\xbd \xf0\x9f\x99\x82\nAnswer: hello";

Outcome ask(const Aimock& server, const Way& way, const std::string& question, std::vector<std::string> stop = {}) {
    return ask(server.url(), way,
               {.messages = {models::instruction("Be brief."), user(question)},
                .stop = std::move(stop),
                .sampling = {.temperature = 0.25}});
}
bool says_reason(const Way& way) { return way.protocol != &ollama_chat; }  // aimock's Ollama always says "stop"
}

TEST_CASE("every protocol reads the whole reply, its reason and its usage, streamed or not") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        CAPTURE(way.name());
        const auto outcome = ask(server, way, "please say hello");
        CHECK(outcome.error == "");
        CHECK(outcome.reply.text == hello);
        if (!way.stream) CHECK(outcome.deltas.size() == 1);
        std::string joined;
        for (const auto& delta : outcome.deltas) joined += delta;
        CHECK(joined == hello);
        if (says_reason(way)) {
            CHECK(outcome.reply.usage == Usage{21, 9});
            const auto finish = ask(server, way, "be cut short").reply.finish;
            if (way.protocol == &openai_responses) CHECK(finish != FinishReason::stop);  // aimock sends no reason
            else CHECK(finish == FinishReason::length);
        }
        CHECK(outcome.reply.finish == FinishReason::stop);
    }
}
TEST_CASE("the server's journal has the requests as they were made") {
    Aimock server("replies.json");
    for (const auto& way : ways) ask(server, way, "please say hello", {"Observation:"});
    const auto journal = journal_of(server.url());
    REQUIRE(journal.size() == ways.size());
    for (std::size_t i = 0; i < ways.size(); ++i) {
        const auto& way = ways[i];
        CAPTURE(way.name());
        const auto &entry = journal[i], &body = entry["body"];
        CHECK(entry["path"] == std::string(way.base) + "/" + way.protocol->path("any", way.stream));
        CHECK(entry["headers"]["content-type"] == "application/json");
        std::string header = way.protocol->key.name;
        for (char& c : header) c = static_cast<char>(c | 0x20);
        CHECK(entry["headers"].contains(header));
        if (way.protocol->fixed.name) CHECK(entry["headers"][way.protocol->fixed.name] == way.protocol->fixed.value);
        CHECK(body["model"] == "any");
        CHECK(body.value("stream", false) == way.stream);
        CHECK(body["temperature"] == 0.25);
        CHECK(body["messages"][0] == json{{"role", "system"}, {"content", "Be brief."}});
        CHECK(body["messages"][1] == json{{"role", "user"}, {"content", "please say hello"}});
        if (body.contains("stop")) CHECK(body["stop"] == json{"Observation:"});
    }
}
TEST_CASE("a model is stopped by the client when its server does not know stop sequences") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        CAPTURE(way.name());
        CHECK(ask(server, way, "invent an observation", {"\nObservation:"}).reply.text == "Action: look");
    }
}
TEST_CASE("a stream is a failure when it breaks off after some text") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        if (!way.stream) continue;
        const auto outcome = ask(server, way, "break off");
        CAPTURE(way.name());
        CHECK(outcome.error.find("a part of its reply had been shown") != std::string::npos);
        CHECK(outcome.reply.text.empty());
    }
}
TEST_CASE("a refusal is final, and an outage is retried") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        CAPTURE(way.name());
        const auto outcome = ask(server, way, "refuse");
        CHECK(outcome.code == Code::model_refused);
        CHECK(outcome.error.find("test:any did not accept the request (400): the field 'messages' is odd") == 0);
    }
    CHECK(ask(server, ways[0], "fail once").reply.text == "recovered");
    CHECK(ask(server, ways[0], "nothing that the server knows").error ==
          "test:any failed (503): Strict mode: no fixture matched; tried 3 times");
}
TEST_CASE("a request at a rate limit is repeated after the time in Retry-After") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        CAPTURE(way.name());
        const char* error = R"({"status":429,"body":{"message":"slow down","type":"rate_limit_error"}})";
        REQUIRE(post(server.url() + "/__aimock/error", error).first == 200);
        const auto outcome = ask(server, way, "please say hello");
        CHECK(outcome.reply.text == hello);
        CHECK(outcome.waited >= 1s);  // the server's Retry-After
    }
    CHECK(json::parse(get(server.url() + "/__aimock/journal?status=429").second).size() == ways.size());
}
TEST_CASE("broken replies of the server are always errors") {
    Aimock server("replies.json");
    for (const auto& way : ways) {
        CAPTURE(way.name());
        const ChatRequest request{.messages = {user("please say hello")}};
        const auto body = way.protocol->request(request, "any", way.stream, {});
        const auto url = server.url() + way.base + "/" + way.protocol->path("any", way.stream);
        CHECK_THROWS_AS(post(url, body, "x-aimock-chaos-disconnect"), net::NetError);
        CHECK(post(url, body, "x-aimock-chaos-drop").first == 500);
        CHECK(post(url, body, "x-aimock-chaos-ratelimit").first == 429);
        const auto malformed = post(url, body, "x-aimock-chaos-malformed");
        auto reader = way.protocol->reader(request, {});
        const auto read = [&] {
            reader->feed(malformed.second, {});
            return reader->finish({});
        };
        CHECK_THROWS_AS(read(), Fault);
    }
}
TEST_CASE("an Ollama is found by the models that it lists") {
    Aimock server("replies.json");
    const auto models = weft::testing::await(ollama_models(net::parse_url(server.url()), test::limit));
    REQUIRE(models);
    CHECK_FALSE(models->empty());
}
