#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/parts/write_json.hpp"
#include "tests/steps/models/protocols/reading.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <random>
using namespace weft;
using namespace weft::models;
using nlohmann::json;

namespace {
Reading read_reply(std::string_view bytes, const ChatRequest& request = {}) {
    return read_any_way(openai_chat, bytes, request);
}
std::string event(const std::string& data) { return "data: " + data + "\n\n"; }
std::string delta(const std::string& text, const std::string& finish = "null") {
    return event(R"({"model":"m-1","choices":[{"index":0,"delta":{"content":")" + text + R"("},"finish_reason":)" +
                 finish + "}]}");
}
json request_for(const ChatRequest& request, const std::string& model = "gpt-4o", bool stream = true) {
    return json::parse(openai_chat.request(request, model, stream, usual_features(model)));
}
const std::string done = event("[DONE]");
}

TEST_CASE("a request has exactly the chosen options") {
    CHECK(request_for(
              {.messages = {models::instruction("Be brief."), user("6 * 7?"), assistant("42"), {Role::tool, "ok"}}},
              "m", false) ==
          json::parse(
              R"({"model":"m","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"6 * 7?"},
                         {"role":"assistant","content":"42"},{"role":"user","content":"ok"}]})"));
    const auto body = request_for({.messages = {user("x")}, .stop = {"Observation:", ""}, .sampling = {0.5, 100, 7}});
    CHECK(body["stop"] == json{"Observation:"});
    CHECK(body["temperature"] == 0.5);
    CHECK(body["max_tokens"] == 100);
    CHECK(body["seed"] == 7);
    CHECK(body["stream"] == true);
    CHECK(body["stream_options"]["include_usage"] == true);
}
TEST_CASE("a request has only options that its model accepts") {
    const ChatRequest request{
        .messages = {user("x")}, .stop = {"a", "b", "c", "d", "e"}, .sampling = {.max_tokens = 9}};
    CHECK(request_for(request)["stop"].size() == 4);
    const auto reasoning = request_for(request, "o3-mini");
    CHECK_FALSE(reasoning.contains("stop"));
    CHECK_FALSE(reasoning.contains("max_tokens"));
    CHECK(reasoning["max_completion_tokens"] == 9);
}
TEST_CASE("tools are declared with their schemas, and a schema that is not JSON is the caller's mistake") {
    const auto body = request_for({.tools = {{"add", "Adds.", R"({"type":"object"})"}}});
    CHECK(body["tools"][0]["function"]["parameters"]["type"] == "object");
    CHECK_THROWS_AS(request_for({.tools = {{"add", "Adds.", "{"}}}), Error);
}
TEST_CASE("invalid UTF-8 does not spoil a request") {
    CHECK(request_for({.messages = {user("a\xff")}})["messages"][0]["content"] == "a\xef\xbf\xbd");
}

TEST_CASE("JSON of any strings is written with the same bytes as the library's") {
    constexpr std::string_view parts[] = {"a",    "abcdefgh",     "\"",       "\\",           "/",
                                          "\n",   "\x01",         "\x1f",     "\x7f",         "\xc3\xa4",
                                          "\xff", "\xe2\x82\xac", "\xe2\x82", "\xed\xa0\x80", "\xf0\x9f\x98\x80",
                                          "{}"};
    std::minstd_rand random(1);
    int wrong = 0;
    for (int i = 0; i < 5000; ++i) {
        std::string text, written;
        for (auto n = random() % 12; n > 0; --n) text += parts[random() % std::size(parts)];
        const json value = {{text, {text, 1, -2.5, nullptr, true, json::array(), json::object()}}, {"empty", ""}};
        write_json(written, value);
        wrong += written != value.dump(-1, ' ', false, json::error_handler_t::replace);
    }
    CHECK(wrong == 0);
}

TEST_CASE("a streamed reply is assembled, with usage and reason") {
    const auto reply = read_reply(
        event(R"({"choices":[{"delta":{"role":"assistant","content":null}}]})") + delta("Thought: ") + ": ping\n\n" +
        delta("ea\\u0073y \xe2\x82\xac") + delta("", "\"length\"") +
        event(R"({"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}})") + done + "trailing");
    CHECK(reply ==
          Reading{"Thought: easy \xe2\x82\xac", "m-1", "", FinishReason::length, 7, 3, "Thought: easy \xe2\x82\xac"});
}
TEST_CASE("a whole reply is read also when a stream was requested") {
    const auto reply = read_reply(
        R"( {"model":"m","choices":[{"message":{"role":"assistant","content":"hi","reasoning_content":"hm"},
                                      "finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2}} )");
    CHECK(reply == Reading{"hi",
                           "m",
                           "",
                           FinishReason::stop,
                           1,
                           2,
                           "hi",
                           {},
                           R"({"content":"hi","reasoning_content":"hm","role":"assistant"})"});
}
TEST_CASE("omissions and additions of compatible servers are harmless") {
    CHECK(read_reply(event(R"({"choices":[{"delta":{"reasoning_content":"hm","reasoning":"hm","content":"a","x":{}},)"
                           R"("finish_reason":"stop"}]})") +
                     done) ==
          Reading{"a",
                  "",
                  "",
                  FinishReason::stop,
                  0,
                  0,
                  "a",
                  {},
                  R"({"content":"a","reasoning":"hm","reasoning_content":"hm","role":"assistant"})"});
    CHECK(read_reply(delta("a", "\"stop\"")).text == "a");  // ends without [DONE]
    CHECK(read_reply(delta("a") + done).finish == FinishReason::unknown);
    CHECK(read_reply(delta("a", "\"eos_token\"") + done).finish == FinishReason::stop);
    CHECK(read_reply(R"({"choices":[{"message":{"content":""},"finish_reason":"stop"}]})").error.empty());
    CHECK(read_reply("{\"choices\":[{\"message\":{\"content\":\"a\xff\"}}]}").text == "a\xef\xbf\xbd");
    CHECK(read_reply(R"({"choices":[{"message":{"content":[{"type":"text","text":"a"},{"type":"x"}]},)"
                     R"("finish_reason":"stop"}],"usage":null})")
              .text == "a");
    CHECK(read_reply(event(R"({"choices":[{"index":1,"delta":{"content":"other"}},)"
                           R"({"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]})"))
              .text == "a");
    CHECK(read_reply("data:" + delta("a\xff", "\"stop\"").substr(6)).text == "a\xef\xbf\xbd");
}
TEST_CASE("refusals differ from answers") {
    CHECK(read_reply(delta("I ", "\"content_filter\"") + done).finish == FinishReason::refused);
    const auto reply = read_reply(
        R"({"choices":[{"message":{"content":null,"refusal":"No."},"finish_reason":"stop"}]})");
    CHECK(reply.finish == FinishReason::refused);
    CHECK(reply.text == "No.");
    CHECK(read_reply(delta("", "\"tool_calls\"") + done).finish == FinishReason::tool_calls);
}
TEST_CASE("a stop sequence ends the reply wherever it was cut into deltas") {
    const ChatRequest request{.stop = {"\nObservation:"}};
    const auto reply = read_reply(delta("Action: x\\nObs") + delta("ervat") + delta("ion: invented") + delta("more"),
                                  request);
    CHECK(reply.error.empty());
    CHECK(reply.text == "Action: x");
    CHECK(reply.finish == FinishReason::stop);
    CHECK(read_reply(delta("a\\nObs", "\"stop\"") + done, request).text == "a\nObs");
}
TEST_CASE("a stream that ends early is never a reply") {
    for (const std::string& bytes : {std::string(), delta("a"), delta("a") + ": ping\n\n"})
        CHECK(read_reply(bytes).error == "broke off its reply before the end");
    CHECK(read_reply("<html>hello</html>").error.find("answered with a web page; check the base URL") == 0);
    CHECK(read_reply("data: {\"choi").error == "sent broken JSON: {\"choi");
    CHECK(read_reply(R"({"choices":[{"message":)").error.find("sent broken JSON") == 0);
    CHECK(read_reply(done).error == "sent a reply without choices");
    CHECK(read_reply(R"({"choices":[]})").error == "sent a reply without choices");
    CHECK(read_reply(R"({"choices":[{"message":{"content":null}}]})").error == "sent a reply without content");
}
TEST_CASE("a reply without text is a reply when it has a reason to finish") {
    for (const char* nothing : {R"({"choices":[{"message":{"content":null},"finish_reason":"stop"}]})",
                                R"({"choices":[{"message":{"reasoning":"hm"},"finish_reason":"stop"}]})"}) {
        const auto reply = read_reply(nothing);
        CHECK(reply.error == "");
        CHECK(reply.text == "");
        CHECK(reply.finish == FinishReason::stop);
    }
}
TEST_CASE("a character is whole when its server cuts it between two chunks") {
    const std::string first = delta("a\\ud83d"), second = delta("\\ude00b", "\"stop\"");
    CHECK(read_reply(first + second + done).text == "a\U0001F600b");
    CHECK(read_reply(first + delta("c", "\"stop\"") + done).text == "a\uFFFDc");
    CHECK(read_reply(first + delta("", "\"stop\"") + done).text == "a\uFFFD");
    const auto call = [](const std::string& piece) {
        return event(
            R"({"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":")" + piece +
            R"("}}]}}]})");
    };
    CHECK(read_reply(call(R"({\"x\":\"\ud83d)") + call(R"(\ude00\"})") + done).calls ==
          std::vector<ToolCall>{{"call00000", "f", "{\"x\":\"\U0001F600\"}"}});
}
TEST_CASE("an error object in a stream is an error with its words") {
    CHECK(
        read_reply(delta("a") + event(R"({"error":{"message":"slot\u001b[2J gone","type":"server_error","code":503}})"))
            .error == "failed (503): slot [2J gone");
    CHECK(read_reply(R"({"error":"model overloaded"})").error == "failed: model overloaded");
    CHECK(read_reply(event(R"({"error":{}})")).error.find("failed: ") == 0);
}
TEST_CASE("hostile JSON is refused") {
    CHECK(read(openai_chat, {event(std::string(100000, '['))}).error == "sent JSON that is nested too deeply");
    for (const char* odd :
         {"[]", "1", "null", "\"x\"", R"({"choices":{}})", R"({"choices":[1,null,[]]})", R"({"choices":[{"delta":7}]})",
          R"({"usage":[1]})", R"({"usage":{"prompt_tokens":-5}})", R"({"model":{}})"})
        CHECK(read_reply(event(odd) + delta("a", "\"stop\"")).text == "a");
}
