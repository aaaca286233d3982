#include "steps/models/protocols/ollama.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "tests/steps/models/protocols/reading.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using nlohmann::json;

namespace {
Reading read_reply(std::string_view bytes, const ChatRequest& request = {}) {
    return read_any_way(ollama_chat, bytes, request);
}
std::string part(const std::string& text) {
    return R"({"model":"llama3.2","message":{"role":"assistant","content":")" + text + "\"},\"done\":false}\n";
}
const std::string done = R"({"model":"llama3.2","message":{"role":"assistant","content":""},"done":true,)"
                         R"("done_reason":"stop","prompt_eval_count":11,"eval_count":5})";
}

TEST_CASE("an Ollama request has sampling and stop sequences in its options") {
    CHECK(json::parse(ollama_chat.request({.messages = {user("x")}}, "m:3b", false, {})) ==
          json::parse(R"({"model":"m:3b","messages":[{"role":"user","content":"x"}],"stream":false})"));
    const auto body = json::parse(ollama_chat.request(
        {.messages = {{Role::tool, "ok"}}, .stop = {"Observation:"}, .sampling = {0.1, 64, 3}}, "m", true, {}));
    CHECK(body["stream"] == true);
    CHECK(body["messages"][0]["role"] == "tool");
    CHECK(body["options"] == json::parse(R"({"stop":["Observation:"],"temperature":0.1,"num_predict":64,"seed":3})"));
}
TEST_CASE("a reply in lines is assembled, with usage and reason") {
    const Reading expected{"Thought: easy", "llama3.2", "", FinishReason::stop, 11, 5, "Thought: easy"};
    CHECK(read_reply(part("Thought: ") + part("easy") + done + "\n") == expected);
    CHECK(read_reply(part("Thought: ") + "\r\n" + part("easy") + done) == expected);  // the last line without an end
}
TEST_CASE("a single document is read as a reply") {
    const auto reply = read_reply(
        R"({"model":"m","message":{"content":"hi","thinking":"hm"},"done":true,"done_reason":"length"})");
    const std::string native = R"({"content":"hi","role":"assistant","thinking":"hm"})";
    CHECK(reply == Reading{"hi", "m", "", FinishReason::length, 0, 0, "hi", {}, native, 0, 0});
}
TEST_CASE("reasons to be done are known, old, or unknown") {
    const auto finish = [](const char* rest) {
        return read_reply(R"({"message":{"content":"a"},"done":true)" + std::string(rest) + "}").finish;
    };
    CHECK(finish("") == FinishReason::stop);
    CHECK(finish(R"(,"done_reason":"unload")") == FinishReason::unknown);
    CHECK(read_reply(
              R"({"message":{"content":"","tool_calls":[{"function":{"name":"f"}}]},"done":true,"done_reason":"stop"})")
              .finish == FinishReason::tool_calls);
}
TEST_CASE("a stream of lines is never a reply when it ends early") {
    for (const std::string& bytes : {std::string(), part("a"), part("a") + part("b")})
        CHECK(read_reply(bytes).error == "broke off its reply before the end");
    CHECK(read_reply(part("a") + R"({"model":"ll)").error.find("sent broken JSON") == 0);
    CHECK(read_reply(part("a\xff")).error == "broke off its reply before the end");  // the character itself is repaired
}
TEST_CASE("an error in the middle of the lines is an error with its words") {
    CHECK(read_reply(part("a") + "{\"error\":\"llama runner process has terminated\"}\n").error ==
          "failed: llama runner process has terminated");
}
TEST_CASE("a stop sequence ends an Ollama reply") {
    const auto reply = read_reply(part("x Obser") + part("vation: y") + part("z"), {.stop = {"Observation:"}});
    CHECK(reply.text == "x ");
    CHECK(reply.error.empty());
}
TEST_CASE("an Ollama request has calls as values, their results, and either tools or a schema") {
    const ToolCall one{"call_1", "f", R"({"a":1})"}, two{"call_2", "g", "{"};
    ChatRequest request{.messages = {user("x"), {Role::assistant, "", {one, two}}, models::result(one, "7")},
                        .tools = {{"f", "Does it.", R"({"type":"object"})"}},
                        .schema = {"answer", R"({"type":"object"})"}};
    auto body = json::parse(ollama_chat.request(request, "m", true, {}));
    CHECK(body["messages"][1] == json::parse(R"({"role":"assistant","content":"","tool_calls":[
        {"id":"call_1","function":{"name":"f","arguments":{"a":1}}},
        {"id":"call_2","function":{"name":"g","arguments":{"INVALID_JSON":"{"}}}]})"));
    CHECK(body["messages"][2] ==
          json::parse(R"({"role":"tool","content":"7","tool_name":"f","tool_call_id":"call_1"})"));
    CHECK(body["tools"][0]["function"]["name"] == "f");
    CHECK_FALSE(body.contains("format"));
    request.choice = ToolChoice::none;
    body = json::parse(ollama_chat.request(request, "m", true, {}));
    CHECK_FALSE(body.contains("tools"));
    CHECK(body["format"] == json{{"type", "object"}});
}
TEST_CASE("calls in several lines belong to one reply, which is sent back with its thinking") {
    const auto call = [](const std::string& call) {
        return R"({"message":{"content":"","thinking":"hm","tool_calls":[)" + call + "]},\"done\":false}\n";
    };
    const auto bytes = call(R"({"function":{"name":"f","arguments":{"a":1}}})") +
                       call(R"({"function":{"name":"f","arguments":{"a":1}}},{"id":"own","function":{"name":"g"}})") +
                       call(R"({"id":"own","function":{"name":"g"}})") +
                       call(R"({"function":{"name":"h","arguments":"{\"b\""}},7,{})") + part("so") + done;
    const ChatRequest request{.messages = {user("x")}};
    auto reader = ollama_chat.reader(request, Secret());
    reader->feed(bytes, {});
    const auto reply = reader->finish({});
    const auto reading = read_reply(bytes, request);
    CHECK(reading.error == "");
    CHECK(reading.calls == reply.calls);
    CHECK(reading.native == reply.native.json.text);
    CHECK(reply.calls == std::vector<ToolCall>{{"call00000", "f", R"({"a":1})"},
                                               {"call00001", "f", R"({"a":1})"},
                                               {"own", "g", "{}"},
                                               {"call00002", "h", "{\"b\""}});
    CHECK(reply.finish == FinishReason::tool_calls);
    const auto sent = json::parse(ollama_chat.request({.messages = {user("x"), reply.message()}}, "m", true, {}));
    CHECK(sent["messages"][1] == json::parse(R"({"role":"assistant","content":"so","thinking":"hmhmhmhm","tool_calls":[
        {"function":{"name":"f","arguments":{"a":1}}},{"function":{"name":"f","arguments":{"a":1}}},
        {"id":"own","function":{"name":"g","arguments":{}}},
        {"function":{"name":"h","arguments":{"INVALID_JSON":"{\"b\""}}}]})"));
    const auto shared = read_reply(call(R"({"id":"a","function":{"name":"f"}},{"id":"a","function":{"name":"g"}})") +
                                   done);
    CHECK(shared.calls == std::vector<ToolCall>{{"a", "f", "{}"}, {"call00000", "g", "{}"}});
}
