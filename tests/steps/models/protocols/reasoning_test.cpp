// A model's reasoning beside its text: read, reported, recorded and, within a turn, sent back.
#include "engine/testing/await.hpp"
#include "steps/models/protocols/anthropic.hpp"
#include "steps/models/protocols/gemini.hpp"
#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/recording/recording.hpp"
#include "tests/steps/models/protocols/reading.hpp"
#include "tests/support/folder.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using nlohmann::json;

namespace {
struct Thought {
    std::string reasoning, told, text, error;
    std::vector<std::string> order;  // r or t for each piece of reasoning or text
    ChatReply reply;
};
Thought think(const Protocol& protocol, const std::vector<std::string_view>& pieces, ChatRequest request = {},
              const Secret& key = {}) {
    Thought thought;
    const auto note = [&](const char* what) {
        if (thought.order.empty() || thought.order.back() != what) thought.order.emplace_back(what);
    };
    request.on_reasoning = [&](std::string_view piece) { thought.told += piece, note("r"); };
    const OnDelta on_delta = [&](std::string_view) { note("t"); };
    try {
        const auto reader = protocol.reader(request, key);
        for (const auto piece : pieces) reader->feed(piece, on_delta);
        thought.reply = reader->finish(on_delta);
        thought.reasoning = thought.reply.reasoning;
        thought.text = thought.reply.text;
    } catch (const Fault& fault) { thought.error = fault.what(); }
    return thought;
}
std::string event(const std::string& data) { return "data: " + data + "\n\n"; }
std::string delta(const std::string& members, const char* finish = "null") {
    return event(R"({"choices":[{"index":0,"delta":{)" + members + R"(},"finish_reason":)" + finish + "}]}");
}
/// A model that reasons, calls and answers on request.
struct Thinking final : ChatModel {
    std::string name() const override { return "thinking"; }
    awaitable<ChatReply> chat(const ChatRequest& request, const OnDelta& on_delta) override {
        ChatReply reply;
        reply.reasoning = "Hm, sk-canary-12345.";
        reply.text = "42";
        if (request.on_reasoning) request.on_reasoning(reply.reasoning);
        if (on_delta) on_delta(reply.text);
        co_return reply;
    }
};
}

TEST_CASE("reasoning_content or reasoning is separated from the text in a stream however it is cut") {
    for (const std::string name : {"reasoning_content", "reasoning"}) {
        const auto bytes = delta(R"("role":"assistant","content":null,")" + name + R"(":"Six ")") +
                           delta("\"" + name + R"(":"times \u20ac.")") + delta(R"("content":"4")") +
                           delta(R"("content":"2")", "\"stop\"") + event("[DONE]");
        testing::for_all_cuts(bytes, [](const auto& pieces) {
            const auto thought = think(openai_chat, pieces);
            REQUIRE(thought.reasoning == "Six times \xe2\x82\xac.");
            REQUIRE(thought.told == thought.reasoning);
            REQUIRE(thought.text == "42");
            REQUIRE(thought.order == std::vector<std::string>{"r", "t"});
        });
    }
}
TEST_CASE("reasoning is read from a whole reply, and once when a server sends it under both names") {
    for (const char* members : {R"("reasoning_content":"Hm.")", R"("reasoning":"Hm.","reasoning_content":null)",
                                R"("reasoning":"Hm.","reasoning_content":"Hm.")"}) {
        const auto thought = think(openai_chat,
                                   {std::string(R"({"choices":[{"message":{"content":"42",)") + members + "}}]}"});
        CHECK(thought.reasoning == "Hm.");
        CHECK(thought.told == "Hm.");
        CHECK(thought.text == "42");
    }
    CHECK(think(openai_chat, {R"({"choices":[{"message":{"content":"42","reasoning":{"effort":"low"}}}]})"})
              .reasoning.empty());
}
TEST_CASE("reasoning is reported in the same way by other protocols") {
    CHECK(think(ollama_chat, {R"({"message":{"content":"42","thinking":"Hm."},"done":true})"}).told == "Hm.");
    CHECK(think(anthropic_messages, {R"({"content":[{"type":"thinking","thinking":"Hm.","signature":"s"},)"
                                     R"({"type":"text","text":"42"}],"stop_reason":"end_turn"})"})
              .told == "Hm.");
    CHECK(think(gemini_generate, {R"({"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true},)"
                                  R"({"text":"42"}]},"finishReason":"STOP"}]})"})
              .told == "Hm.");
}
TEST_CASE("a thought is kept when a stop sequence ends the text") {
    const auto thought = think(openai_chat,
                               {delta(R"("reasoning_content":"Hm.")"), delta(R"("content":"a STOP b")", "\"stop\"")},
                               {.stop = {"STOP"}});
    CHECK(thought.text == "a ");
    CHECK(thought.reasoning == "Hm.");
}
TEST_CASE("reasoning shows no key, also in pieces, and is bounded") {
    const std::string key = "sk-canary-12345";
    const auto thought = think(openai_chat,
                               {delta(R"("reasoning_content":"my sk-can")"),
                                delta(R"("reasoning_content":"ary-12345, sk-ca")"),
                                delta(R"("content":"42")", "\"stop\""), event("[DONE]")},
                               {}, Secret(key));
    CHECK(thought.told == "my ***, sk-ca");
    CHECK(thought.reasoning == thought.told);
    CHECK(thought.order == std::vector<std::string>{"r", "t"});
    const auto much = delta(R"("reasoning_content":")" + std::string(900'000, 'x') + "\"");
    CHECK(think(openai_chat, {much, much, much, much, much}).error == "sent too much: reasoning of more than 4 MB");
}
TEST_CASE("a thought before a call is sent back with it under its own name, and is not sent after the turn") {
    for (const std::string name : {"reasoning_content", "reasoning"}) {
        const auto thought = think(
            openai_chat, {delta("\"" + name + R"(":"I add.")"),
                          delta(R"("tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":"{}"}}])",
                                "\"tool_calls\""),
                          event("[DONE]")});
        CHECK(thought.reasoning == "I add.");
        const auto sent = [](Message message) {
            return json::parse(openai_chat.request({.messages = {std::move(message)}}, "m", true, {}))["messages"][0];
        };
        CHECK(sent(thought.reply.message())[name] == "I add.");
        CHECK_FALSE(sent(assistant("42")).contains(name));
    }
}
TEST_CASE("a recording has the reasoning without secrets, and its replay reports it before the text") {
    const test::Folder folder;
    const auto path = folder.path("r.jsonl");
    const auto ask = [](ChatModel& model) {
        std::string told;
        ChatRequest request{.messages = {user("6 * 7?")}};
        request.on_reasoning = [&](std::string_view piece) { told += "(" + std::string(piece) + ")"; };
        const OnDelta on_delta = [&](std::string_view piece) { told += piece; };
        const auto reply = testing::await(model.chat(request, on_delta));
        return told + "|" + reply.reasoning;
    };
    Thinking thinking;
    {
        RecordingModel recording(thinking, path, {Secret("sk-canary-12345")});
        CHECK(ask(recording) == "(Hm, sk-canary-12345.)42|Hm, sk-canary-12345.");
    }
    CHECK(ask(*ReplayModel::from_file(path)) == "(Hm, ***.)42|Hm, ***.");
}
