#include "steps/models/protocols/openai.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "tests/steps/models/protocols/reading.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using nlohmann::json;

namespace {
using Calls = std::vector<ToolCall>;
std::string event(std::string data) {
    std::erase(data, '\n');
    return "data: " + data + "\n\n";
}
std::string delta(const std::string& delta, const std::string& finish = "null") {
    return event(R"({"choices":[{"index":0,"delta":)" + delta + R"(,"finish_reason":)" + finish + "}]}");
}
/// Returns a stream with these elements of tool_calls, one in each chunk.
std::string calls(const std::vector<std::string>& pieces, const std::string& finish = "\"tool_calls\"") {
    std::string bytes;
    for (const auto& piece : pieces) bytes += delta(R"({"tool_calls":[)" + piece + "]}");
    return bytes + delta("{}", finish) + event("[DONE]");
}
Reading read_reply(std::string_view bytes, const ChatRequest& request = {}) {
    return read_any_way(openai_chat, bytes, request);
}
json request_for(const ChatRequest& request) { return json::parse(openai_chat.request(request, "m", false, {})); }
const ToolSpec add{"add", "Adds.", R"({"type":"object"})"};
}

TEST_CASE("calls are assembled from the pieces of every server") {
    struct {
        const char* what;
        std::vector<std::string> pieces;
        Calls calls;
    } const table[] = {
        {"in pieces",
         {R"({"index":0,"id":"a","type":"function","function":{"name":"add","arguments":""}})",
          R"({"index":0,"function":{"arguments":"{\"x\""}})", R"({"index":0,"function":{"arguments":":1}"}})"},
         {{"a", "add", R"({"x":1})"}}},
        {"two, interleaved and out of order",
         {R"({"index":1,"id":"b","function":{"name":"sub","arguments":"{"}})",
          R"({"index":0,"id":"a","function":{"name":"add","arguments":"["}})",
          R"({"index":1,"function":{"arguments":"}"}},{"index":0,"function":{"arguments":"]"}})"},
         {{"a", "add", "[]"}, {"b", "sub", "{}"}}},
        {"id and name again in each piece, or empty",
         {R"({"index":0,"id":"a","function":{"name":"add","arguments":"1"}})",
          R"({"index":0,"id":"a","function":{"name":"add","arguments":"1"}})",
          R"({"index":0,"id":"","function":{"name":"","arguments":null}})"},
         {{"a", "add", "11"}}},
        {"a name in pieces",
         {R"({"index":0,"id":"a","function":{"name":"get_"}})",
          R"({"index":0,"function":{"name":"time","arguments":"{}"}})"},
         {{"a", "get_time", "{}"}}},
        {"no index, whole calls",
         {R"({"id":"a","type":"function","function":{"name":"add","arguments":"{}"}})",
          R"({"id":"b","type":"function","function":{"name":"add","arguments":"{}"}})"},
         {{"a", "add", "{}"}, {"b", "add", "{}"}}},
        {"no index, pieces that go on with the last one",
         {R"({"id":"a","function":{"name":"add","arguments":"{"}})", R"({"function":{"arguments":"}"}})",
          R"({"id":"b","function":{"name":"add"}})", R"({"id":"b","function":{"arguments":"{}"}})"},
         {{"a", "add", "{}"}, {"b", "add", "{}"}}},
        {"neither index nor id",
         {R"({"function":{"name":"add","arguments":"{}"}})", R"({"function":{"name":"sub","arguments":"{}"}})"},
         {{"call00000", "add", "{}"}, {"call00001", "sub", "{}"}}},
        {"an index without an id",
         {R"({"index":3,"function":{"name":"add","arguments":"{}"}})",
          R"({"index":7,"id":"call00000","function":{"name":"sub","arguments":"{}"}})"},
         {{"call00001", "add", "{}"}, {"call00000", "sub", "{}"}}},
        {"arguments that are an object",
         {R"({"index":0,"id":"a","function":{"name":"add","arguments":{"x":1}}})"},
         {{"a", "add", R"({"x":1})"}}},
        {"the whole call again at the end",
         {R"({"index":0,"id":"a","function":{"name":"add","arguments":"{\"x\":"}})",
          R"({"index":0,"function":{"arguments":"1}"}})",
          R"({"index":0,"id":"a","function":{"name":"add","arguments":"{\"x\":1}"}})"},
         {{"a", "add", R"({"x":1})"}}},
        {"the same call twice",
         {R"({"index":0,"id":"a","function":{"name":"add","arguments":"{}"}})",
          R"({"index":1,"id":"a","function":{"name":"add","arguments":"{}"}})"},
         {{"a", "add", "{}"}}},
        {"arguments that are broken stay so",
         {R"({"index":0,"id":"a","function":{"name":"add","arguments":"{\"x\":NaN,}\n"}})"},
         {{"a", "add", "{\"x\":NaN,}\n"}}},
        {"odd elements", {"7", "null", "[]", R"({"index":0,"id":"a","function":{"name":"add"}})"}, {{"a", "add", ""}}},
    };
    for (const auto& row : table) {
        const auto reply = read_reply(calls(row.pieces));
        CHECK_MESSAGE(reply.calls == row.calls, row.what << ": " << reply.error);
        CHECK_MESSAGE(reply.finish == FinishReason::tool_calls, row.what);
        CHECK_MESSAGE(reply.native.empty(), row.what);
    }
}
TEST_CASE("calls without a name, or too many of them, are not calls") {
    CHECK(read_reply(calls({R"({"index":0,"id":"a","function":{"arguments":"{\"a\":1}"}})"})).error ==
          "a call has no name of a tool");
    CHECK(read_reply(calls({R"({"index":0,"id":"","type":"function"})"})).calls.empty());  // LM Studio

    std::vector<std::string> many(129, R"({"function":{"name":"add","arguments":"{}"}})");
    CHECK(read(openai_chat, {calls(many)}).error == "asked for more than 128 calls in one reply");
    many.pop_back();
    CHECK(read(openai_chat, {calls(many)}).calls.size() == 128);
    std::vector<std::string> long_ones(17, R"({"index":0,"function":{"name":"add","arguments":")" +
                                               std::string(1 << 16, 'x') + "\"}}");
    CHECK(read(openai_chat, {calls(long_ones)}).error == "sent more than 1 MiB of arguments for its calls");
}
TEST_CASE("calls count with any finish reason; a refusal has no calls, and truncated calls stay truncated") {
    const std::string call = R"({"index":0,"id":"a","function":{"name":"add","arguments":"{"}})";
    for (const char* finish : {"\"stop\"", "\"tool_calls\"", "\"function_call\"", "\"eos\"", "null"})
        CHECK(read_reply(calls({call}, finish)).finish == FinishReason::tool_calls);
    const auto cut = read_reply(calls({call, R"({"index":1,"id":"b"})"}, "\"length\""));
    CHECK(cut.finish == FinishReason::length);
    CHECK(cut.calls == Calls{{"a", "add", "{"}});
    const auto refused = read_reply(calls({call}, "\"content_filter\""));
    CHECK(refused.finish == FinishReason::refused);
    CHECK(refused.calls.empty());
    const auto broken = read_reply(delta(R"({"tool_calls":[)" + call + "]}"));
    CHECK(broken.error == "broke off its reply before the end");
    CHECK(read_reply(calls({call}, R"("stop","error":{"code":503,"message":"gone"})")).error == "failed (503): gone");
}
TEST_CASE("a whole reply and the older function_call have calls as well") {
    const auto whole = read_reply(
        R"({"choices":[{"message":{"content":null,"tool_calls":[
            {"id":"a","type":"function","function":{"name":"add","arguments":"{}"}},
            {"id":"a","type":"function","function":{"name":"add","arguments":"{}"}},
            {"type":"function","function":{"name":"add","arguments":{"x":[1]}}}]},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":9,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":5},
                     "completion_tokens_details":{"reasoning_tokens":2}}})");
    CHECK(whole == Reading{.finish = FinishReason::tool_calls,
                           .prompt = 9,
                           .completion = 4,
                           .calls = {{"a", "add", "{}"}, {"call00000", "add", R"({"x":[1]})"}},
                           .cached = 5,
                           .reasoning = 2});
    const Calls one = {{"call00000", "add", R"({"x":1})"}};
    CHECK(read_reply(delta(R"({"content":null,"function_call":{"name":"add","arguments":"{\"x\""}})") +
                     delta(R"({"function_call":{"arguments":":1}"}})", "\"function_call\""))
              .calls == one);
    CHECK(read_reply(R"({"choices":[{"message":{"function_call":{"name":"add","arguments":"{\"x\":1}"}}}]})").calls ==
          one);
}
TEST_CASE("generated ids differ from all of the conversation") {
    ChatRequest request{.messages = {user("x"), {Role::assistant, "", {{"call00000", "a", "{}"}, {"", "b", ""}}}}};
    CHECK(read_reply(calls({R"({"function":{"name":"add"}})"}), request).calls == Calls{{"call00002", "add", ""}});
}

TEST_CASE("a server's opaque members are kept and sent back with its calls") {
    const auto bytes =
        delta(R"({"role":"assistant","content":null,"reasoning_content":"Hm, "})") +
        delta(R"({"reasoning_content":"so.","reasoning":null,"x":[],"provider":"p"})") +
        delta(R"({"reasoning_details":[{"type":"reasoning.text","index":0,"text":"Hm, ","signature":null}]})") +
        delta(R"({"reasoning_details":[{"type":"reasoning.text","index":0,"text":"so.","signature":"s="},
                                       {"type":"reasoning.encrypted","index":1,"data":"d"}],"provider":"p"})") +
        delta(R"({"content":"I add.","tool_calls":[{"index":0,"id":"a","function":{"name":"add","arguments":"{\"x\":1"},
                  "extra_content":{"google":{"thought_signature":"t"}}}]})") +
        delta(R"({"tool_calls":[{"index":0,"function":{"arguments":"}"}}]})", "\"tool_calls\"");
    const auto reply = read_reply(bytes);
    const auto expected = json::parse(
        R"({"role":"assistant","content":"I add.","reasoning_content":"Hm, so.","provider":"p",
            "reasoning_details":[{"type":"reasoning.text","index":0,"text":"Hm, so.","signature":"s="},
                                 {"type":"reasoning.encrypted","index":1,"data":"d"}],
            "tool_calls":[{"id":"a","type":"function","function":{"name":"add","arguments":"{\"x\":1}"},
                           "extra_content":{"google":{"thought_signature":"t"}}}]})");
    REQUIRE(json::parse(reply.native) == expected);

    Message message{Role::assistant, reply.text, reply.calls, {}, {}, true, {"openai", {reply.native}}};
    const auto sent = [&] { return request_for({.messages = {message}})["messages"][0]; };
    CHECK(sent() == expected);
    const auto plain = json::parse(
        R"({"role":"assistant","content":"I add.",
            "tool_calls":[{"id":"a","type":"function","function":{"name":"add","arguments":"{\"x\":1}"}}]})");
    for (const Native& other : {Native{"anthropic", {reply.native}}, Native{"openai", {"{"}}, Native{"openai", {"[]"}},
                                Native{"openai", {R"({"role":"assistant","tool_calls":[7]})"}}}) {
        message.native = other;
        CHECK(sent() == plain);
    }
    message.native = {"openai", {reply.native}};
    message.calls.clear();  // the turn has ended
    CHECK(sent() == json{{"role", "assistant"}, {"content", "I add."}});
}
TEST_CASE("every form of message is sent as the protocol has it") {
    const ToolCall first{"a", "add", R"({"x":1})"}, broken{"b", "add", "{\"x\":"}, none{"c", "now", ""};
    const ChatRequest request{.messages = {user("x"),
                                           {Role::assistant, "", {first, broken, none}},
                                           result(first, "1"),
                                           result(broken, "Error: no JSON", false),
                                           result(none, "noon"),
                                           {Role::tool, "Observation: 7"}}};
    const auto body = request_for(request);
    CHECK(body["messages"] == json::parse(R"([
        {"role":"user","content":"x"},
        {"role":"assistant","content":null,"tool_calls":[
            {"id":"a","type":"function","function":{"name":"add","arguments":"{\"x\":1}"}},
            {"id":"b","type":"function","function":{"name":"add",
                "arguments":"{\"INVALID_JSON\":\"{\\\"x\\\":\"}"}},
            {"id":"c","type":"function","function":{"name":"now","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"a","content":"1"},
        {"role":"tool","tool_call_id":"b","content":"Error: no JSON"},
        {"role":"tool","tool_call_id":"c","content":"noon"},
        {"role":"user","content":"Observation: 7"}])"));
    for (const char* name : {"tools", "tool_choice", "response_format"}) CHECK_FALSE(body.contains(name));
    CHECK_FALSE(request_for({.choice = ToolChoice::none}).contains("tool_choice"));
    CHECK(request_for({.tools = {add}, .choice = ToolChoice::none})["tool_choice"] == "none");
    CHECK_FALSE(request_for({.tools = {add}}).contains("tool_choice"));
}
TEST_CASE("a schema is sent as strict exactly if strict mode accepts it") {
    struct {
        const char* schema;
        bool strict;
    } const table[] = {
        {R"({"type":"object","properties":{"x":{"type":"integer"}},"required":["x"],"additionalProperties":false})",
         true},
        {R"({"type":"object","properties":{"x":{"type":"integer"}},"required":[],"additionalProperties":false})",
         false},
        {R"({"type":"object","properties":{"x":{"type":"integer"}},"required":["x"]})", false},
        {R"({"type":"object","properties":{"x":{}},"required":["x"],"additionalProperties":false})", false},
        {R"({"type":"object","properties":{"x":{"type":"array","items":{"type":"object","properties":{}}}},
             "required":["x"],"additionalProperties":false})",
         false},
        {R"({"type":"object","properties":{"x":{"anyOf":[{"$ref":"#/$defs/y"},{"type":"null"}]}},"required":["x"],
             "additionalProperties":false,"$defs":{"y":{"type":["string","null"]}}})",
         true},
        {R"({"type":"object","properties":{"x":{"oneOf":[]}},"required":["x"],"additionalProperties":false})", false},
        {R"({"type":"array","items":{"type":"string"}})", false},
        {R"({"required":7})", false},
    };
    for (const auto& row : table) {
        const auto form = request_for({.schema = {"the answer!", row.schema}})["response_format"];
        CHECK_MESSAGE(
            form == json({{"type", "json_schema"},
                          {"json_schema",
                           {{"name", "the_answer_"}, {"schema", json::parse(row.schema)}, {"strict", row.strict}}}}),
            row.schema);
    }
    CHECK_THROWS_AS(request_for({.schema = {"answer", "{"}}), Error);
}
TEST_CASE("calls are assigned by place when several arrive together without an index") {
    CHECK(read_reply(delta(R"({"tool_calls":[{"id":"a","function":{"name":"add","arguments":""}},
                                             {"id":"b","function":{"name":"sub","arguments":""}}]})") +
                     delta(R"({"tool_calls":[{"function":{"arguments":"{\"x\":1}"}},
                                             {"function":{"arguments":"{\"x\":2}"}}]})") +
                     delta("{}", "\"tool_calls\"") + event("[DONE]"))
              .calls == Calls{{"a", "add", R"({"x":1})"}, {"b", "sub", R"({"x":2})"}});
    CHECK(read_reply(calls({R"({"index":0,"id":"a","function":{"name":"add","arguments":""}})",
                            R"({"index":0,"id":"b","function":{"name":"sub","arguments":""}})",
                            R"({"index":0,"id":"a","function":{"arguments":"{\"x\":1}"}})",
                            R"({"index":0,"id":"b","function":{"arguments":"{\"x\":2}"}})"}))
              .calls == Calls{{"a", "add", R"({"x":1})"}, {"b", "sub", R"({"x":2})"}});
}
TEST_CASE("a call is requested again when only the server behind a gateway could not read it") {
    const auto ended = [](const std::string& native) {
        return read_reply(event(R"({"choices":[{"index":0,"delta":{"content":"Half"},"finish_reason":"error",)"
                                R"("native_finish_reason":")" +
                                native + "\"}]}") +
                          event("[DONE]"))
            .error;
    };
    CHECK(ended("MALFORMED_FUNCTION_CALL") == "MALFORMED_FUNCTION_CALL");
    CHECK(ended("stop") == "broke its reply off, with the reason error");
}
TEST_CASE("one object in the place of the list of calls is a call") {
    CHECK(read_reply(delta(R"({"tool_calls":{"id":"a","function":{"name":"add","arguments":{"x":1}}}})") +
                     delta("{}", "\"tool_calls\"") + event("[DONE]"))
              .calls == Calls{{"a", "add", R"({"x":1})"}});
}
TEST_CASE("a whole reply is read when it arrives as an event") {
    CHECK(read_reply(event(R"({"choices":[{"index":0,"message":{"role":"assistant","content":"42"},)"
                           R"("finish_reason":"stop"}]})") +
                     event("[DONE]"))
              .text == "42");
}
TEST_CASE("messages have reasoning when a server requires it, and a dash when it must not be empty") {
    Features features;
    for (const auto* least : {"", "-"}) {
        features.advance(Feature::reasoning_demanded);
        const auto body = json::parse(
            openai_chat.request({.messages = {user("x"), assistant("y"), user("z")}}, "m", false, features));
        CHECK(body["messages"][1]["reasoning_content"] == least);
    }
}
