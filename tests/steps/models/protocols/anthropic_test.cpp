#include "steps/models/protocols/anthropic.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "tests/steps/models/protocols/reading.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using nlohmann::json;

namespace {
Reading read_reply(std::string_view bytes, const ChatRequest& request = {}) {
    return read_any_way(anthropic_messages, bytes, request);
}
json request_for(const ChatRequest& request, bool stream = false) {
    return json::parse(anthropic_messages.request(request, "claude-x", stream, {}));
}
json messages_for(std::vector<Message> messages) { return request_for({.messages = std::move(messages)})["messages"]; }
/// Returns an event in the server's form: with its name, also in the data.
std::string event(const std::string& type, const std::string& rest = "") {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"" + rest + "}\n\n";
}
std::string begin(int index, const std::string& block) {
    return event("content_block_start", ",\"index\":" + std::to_string(index) + ",\"content_block\":" + block);
}
std::string piece(int index, const std::string& delta) {
    return event("content_block_delta", ",\"index\":" + std::to_string(index) + ",\"delta\":" + delta);
}
std::string text(int index, const std::string& text) {
    return piece(index, R"({"type":"text_delta","text":")" + text + "\"}");
}
std::string finished(int index) { return event("content_block_stop", ",\"index\":" + std::to_string(index)); }
const std::string start = event("message_start", R"(,"message":{"id":"msg_1","model":"claude-x","content":[],"usage":)"
                                                 R"({"input_tokens":10,"cache_creation_input_tokens":4,)"
                                                 R"("cache_read_input_tokens":30,"output_tokens":1}})");
const std::string text_block = R"({"type":"text","text":""})";
std::string stop(const std::string& reason) {
    return event("message_delta",
                 R"(,"delta":{"stop_reason":")" + reason + R"("},"usage":{"input_tokens":0,"output_tokens":12})") +
           event("message_stop");
}
ChatReply reply_of(std::string_view bytes, const ChatRequest& request = {}) {
    auto reader = anthropic_messages.reader(request, Secret());
    reader->feed(bytes, {});
    return reader->finish({});
}
}

TEST_CASE("an Anthropic request has its instructions separately and a number of tokens") {
    CHECK(request_for(
              {.messages = {models::instruction("Be brief."), user("6 * 7?"), models::instruction("In French.")}}) ==
          json::parse(R"({"model":"claude-x","max_tokens":8192,"system":
                          [{"type":"text","text":"Be brief.\n\nIn French.","cache_control":{"type":"ephemeral"}}],
                          "messages":[{"role":"user","content":[{"type":"text","text":"6 * 7?"}]}]})"));
    const auto body = request_for({.messages = {user("x")},
                                   .tools = {{"add", "Adds.", R"({"type":"object"})"}, {"now", "The time.", ""}},
                                   .choice = ToolChoice::none,
                                   .stop = {"Observation:", "\n\n", ""},
                                   .sampling = {1.5, 64, 3},
                                   .schema = {"answer", R"({"type":"object","additionalProperties":false})"}},
                                  true);
    CHECK(body == json::parse(R"({"model":"claude-x","max_tokens":64,"stream":true,"stop_sequences":["Observation:"],
              "temperature":1.0,"messages":[{"role":"user","content":[{"type":"text","text":"x"}]}],
              "tools":[{"name":"add","description":"Adds.","input_schema":{"type":"object"}},
                       {"name":"now","description":"The time.","input_schema":{"type":"object","properties":{}},
                        "cache_control":{"type":"ephemeral"}}],
              "tool_choice":{"type":"none"},
              "output_config":{"format":{"type":"json_schema",
              "schema":{"type":"object","additionalProperties":false}}}})"));
    CHECK_THROWS_AS(request_for({.tools = {{"add", "Adds.", "{"}}}), Error);
    CHECK_THROWS_AS(request_for({.schema = {"answer", "[1]"}}), Error);
}
TEST_CASE("turns alternate, results are first in a message, and the user begins") {
    const ToolCall one{"call:1", "f", R"({"a":1})"}, two{"call_2", "g", "{\"a\":"};
    CHECK(messages_for({assistant("Hello."),
                        user("a"),
                        user("b"),
                        {Role::assistant, "", {one, two}},
                        user("late"),
                        models::result(one, "7"),
                        models::result(two, "no JSON", false),
                        {Role::tool, "seen"},
                        assistant(" "),
                        user("")}) == json::parse(R"x([
        {"role":"user","content":[{"type":"text","text":"(The conversation began earlier.)"
}]
},
        {"role":"assistant","content":[{"type":"text","text":"Hello."}]},
        {"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},
        {"role":"assistant","content":[{"type":"tool_use","id":"call_1","name":"f","input":{"a":1}},
            {"type":"tool_use","id":"call_2","name":"g","input":{"INVALID_JSON":"{\"a\":"}}]},
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"7"},
            {"type":"tool_result","tool_use_id":"call_2","content":"no JSON","is_error":true},
            {"type":"text","text":"late"},{"type":"text","text":"seen"}]}])x"));
    CHECK(messages_for({models::instruction("Say hello.")}) ==
          json::parse(R"([{"role":"user","content":[{"type":"text","text":"Say hello."}]}])"));
    CHECK(messages_for({user("a"), {Role::assistant, "", {one}}, models::result(one, "", false)})[2]["content"][0] ==
          json::parse(R"({"type":"tool_result","tool_use_id":"call_1","content":"It failed.","is_error":true})"));
    CHECK(messages_for({user("a\xff")})[0]["content"][0]["text"] == "a\xef\xbf\xbd");
}
TEST_CASE("an Anthropic stream becomes a reply with usage and reason") {
    const Reading expected{
        "easy \xe2\x82\xac", "claude-x", "", FinishReason::length, 44, 12, "easy \xe2\x82\xac", {}, "", 30, 0};
    const auto bytes = start + event("ping") + ": comment\n\n" + begin(0, text_block) + text(0, "ea\\u0073y ") +
                       piece(0, R"({"type":"news_delta","text":"x"})") + event("news") + text(0, "\xe2\x82\xac") +
                       finished(0) + stop("max_tokens");
    CHECK(read_reply(bytes + "trailing") == expected);
    std::string crlf;
    for (const char c : bytes) crlf += c == '\n' ? std::string("\r\n") : std::string(1, c);
    CHECK(read_reply(crlf) == expected);
    CHECK(read_reply(start + begin(0, text_block) + text(0, "a\xff") + stop("end_turn")).text == "a\xef\xbf\xbd");
    CHECK(read_reply(start + text(0, "a") + stop("end_turn")).text == "a");  // a delta of a block without a begin
}
TEST_CASE("a whole message is read as a reply") {
    const std::string whole_native = R"([{"text":"a","type":"text"},{"text":"b","type":"text"},)"
                                     R"({"signature":"s","thinking":"hm","type":"thinking"}])";
    CHECK(read_reply(R"( {"type":"message","model":"m","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},
                         {"type":"thinking","thinking":"hm","signature":"s"},7],"stop_reason":"end_turn",
                         "usage":{"input_tokens":3,"output_tokens":2}} )") ==
          Reading{"ab", "m", "", FinishReason::stop, 3, 2, "ab", {}, whole_native, 0, 0});
    CHECK(read_reply(R"({"type":"message"})").error == "sent a reply without content");
    CHECK(read_reply(R"({"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}})").error ==
          "failed (529): Overloaded");
}
TEST_CASE("calls are assembled from interleaved pieces, and the reply is sent back unchanged") {
    const auto bytes = start + begin(0, R"({"type":"thinking","thinking":"","signature":""})") +
                       piece(0, R"({"type":"thinking_delta","thinking":"hm"})") +
                       piece(0, R"({"type":"signature_delta","signature":"c2ln"})") + finished(0) +
                       begin(1, R"({"type":"redacted_thinking","data":"x"})") + begin(2, text_block) + finished(2) +
                       begin(4, R"({"type":"tool_use","id":"toolu_2","name":"g","input":{}})") +
                       begin(3, R"({"type":"tool_use","id":"toolu_1","name":"f","input":{}})") +
                       begin(3, R"({"type":"tool_use","id":"toolu_1","name":"f","input":{}})") +
                       piece(3, R"({"type":"input_json_delta","partial_json":""})") +
                       piece(3, R"({"type":"input_json_delta","partial_json":"{\"a\": "})") +
                       piece(4, R"({"type":"input_json_delta","partial_json":"{\"b\""})") +
                       piece(3, R"({"type":"input_json_delta","partial_json":"1}"})") + finished(3) + finished(4) +
                       begin(5, R"({"type":"tool_use","name":"now","input":{}})") + finished(5) + stop("tool_use");
    const ChatRequest request{.messages = {user("x")}};
    const auto reply = reply_of(bytes, request);
    CHECK(reply.calls == std::vector<ToolCall>{
                             {"toolu_1", "f", "{\"a\": 1}"}, {"toolu_2", "g", "{\"b\""}, {"call00000", "now", "{}"}});
    CHECK(reply.finish == FinishReason::tool_calls);
    const auto sent = messages_for({user("x"), reply.message(), models::result(reply.calls[2], "noon")});
    CHECK(sent[1]["content"] == json::parse(R"([{"type":"thinking","thinking":"hm","signature":"c2ln"},
        {"type":"redacted_thinking","data":"x"},{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":1}},
        {"type":"tool_use","id":"toolu_2","name":"g","input":{"INVALID_JSON":"{\"b\""}},
        {"type":"tool_use","id":"call00000","name":"now","input":{}}])"));
    CHECK(sent[2]["content"][0]["tool_use_id"] == "call00000");
    const auto reading = read_reply(bytes, request);
    CHECK(reading.error == "");
    CHECK(reading.calls == reply.calls);
    CHECK(reading.native == reply.native.json.text);
}
TEST_CASE("an empty thought is sent back, and an empty text is not") {
    auto reply = reply_of(start + begin(0, R"({"type":"thinking","thinking":"","signature":"c2ln"})") +
                          begin(1, text_block) + text(1, " \\n") + begin(2, text_block) + text(2, "42") +
                          stop("end_turn"));
    CHECK(messages_for({user("x"), reply.message()})[1]["content"] ==
          json::parse(R"([{"type":"thinking","thinking":"","signature":"c2ln"},{"type":"text","text":"42"}])"));
    CHECK(reply_of(start + begin(0, text_block) + text(0, "42") + stop("end_turn")).native == Native{});
    reply.native.json.text = "broken";
    CHECK(messages_for({user("x"), reply.message()})[1]["content"][0]["text"] == " \n42");
}
TEST_CASE("reasons to stop are known or unknown") {
    const std::pair<const char*, FinishReason> reasons[] = {
        {"end_turn", FinishReason::stop},    {"stop_sequence", FinishReason::stop},
        {"refusal", FinishReason::refused},  {"pause_turn", FinishReason::unknown},
        {"tool_use", FinishReason::unknown},  // no such reason
        {"news", FinishReason::unknown}};
    for (const auto& [reason, finish] : reasons) {
        const std::string name = reason;  // clang 14 cannot capture a binding
        CAPTURE(name);
        CHECK(reply_of(start + begin(0, text_block) + text(0, "a") + stop(name)).finish == finish);
    }
    CHECK(reply_of(start + begin(0, R"({"type":"tool_use","id":"a","name":"f"})") + stop("end_turn")).finish ==
          FinishReason::tool_calls);
}
TEST_CASE("a stream of Anthropic is whole when it has a reason to stop, and parts may share an index") {
    const auto body = start + begin(0, text_block) + text(0, "a");
    const auto reason = event("message_delta", R"(,"delta":{"stop_reason":"end_turn"})");
    CHECK(read_reply(body + reason).text == "a");
    CHECK(read_reply(body + reason + "data: [DONE]\n\n").text == "a");
    CHECK(read_reply(body + "data: [DONE]\n\n").error == "broke off its reply before the end");
    const auto calls = read_reply(body + begin(0, R"({"type":"tool_use","id":"a","name":"f"})") +
                                  begin(0, R"({"type":"tool_use","id":"b","name":"f"})") + stop("tool_use"))
                           .calls;
    CHECK(calls == std::vector<ToolCall>{{"a", "f", "{}"}, {"b", "f", "{}"}});
}
TEST_CASE("a stream of Anthropic is never a reply when it breaks its rules or breaks off") {
    const auto body = start + begin(0, text_block) + text(0, "a");
    const std::pair<std::string, const char*> broken[] = {
        {"", "broke off its reply before the end"},
        {body, "broke off its reply before the end"},
        {body + begin(0, R"({"type":"thinking","thinking":""})"), "began one part of its reply twice"},
        {body + finished(0) + text(0, "b"), "sent a piece of a part of its reply that had ended"},
        {body + piece(3, R"({"type":"input_json_delta","partial_json":"1"})"),
         "sent a piece of a part of its reply that has not begun"},
        {body + event("error", R"(,"error":{"type":"overloaded_error","message":"Overloaded"})"),
         "failed (529): Overloaded"},
        {body + event("error"), "failed without a reason"},
        {body + "data: {\"type\":", "sent broken JSON: {\"type\":"}};
    for (const auto& [bytes, error] : broken) CHECK(read(anthropic_messages, {bytes}).error == error);
    for (const char* odd : {"[]", "1", "null", R"({"type":7})", R"({"type":"content_block_start","content_block":1})",
                            R"({"type":"message_start","message":[]})", R"({"type":"message_delta","usage":7})"})
        CHECK(reply_of("data: " + std::string(odd) + "\n\n" + body + stop("end_turn")).text == "a");
}
TEST_CASE("a stop sequence ends an Anthropic reply") {
    const auto reply = reply_of(start + begin(0, text_block) + text(0, "x Obser") + text(0, "vation: y") + text(0, "z"),
                                {.stop = {"Observation:"}});
    CHECK(reply.text == "x ");
    CHECK(reply.finish == FinishReason::stop);
}
TEST_CASE("a server's blocks are sent back unchanged, and results have its ids") {
    const auto odd = reply_of(start + begin(0, "{}") + finished(0) +
                              begin(1, R"({"type":"tool_use","id":"functions.look:0","name":"look","input":{}})") +
                              finished(1) + stop("tool_use"));
    REQUIRE(odd.calls.size() == 1);
    const auto messages = messages_for({user("x"), odd.message(), models::result(odd.calls[0], "y")});
    CHECK(messages[1]["content"][1]["id"] == "functions.look:0");
    CHECK(messages[2]["content"][0]["tool_use_id"] == "functions.look:0");
}
TEST_CASE("a schema is sent without the parts that the server refuses") {
    const auto sent = [](const char* schema) {
        const auto body = request_for({.messages = {user("x")}, .schema = {"answer", schema}});
        return body.contains("output_config") ? body["output_config"]["format"]["schema"].dump() : std::string();
    };
    CHECK(sent(R"({"type":"object","properties":{"n":{"type":"integer","minimum":0}},"additionalProperties":false})") ==
          R"({"additionalProperties":false,"properties":{"n":{"type":"integer"}},"type":"object"})");
    CHECK(sent(R"({"type":"object","properties":{"n":{"type":"integer"}}})") == "");
    CHECK(sent(R"({"type":"object","additionalProperties":false,"properties":{"a":{"type":"array","items":
              {"type":"object","properties":{}}}}})") == "");
}
TEST_CASE("a reply's bound is lowered when a server refuses it, and keeps its name") {
    Features features;
    for (const int most : {8192, 8192, 4096}) {
        CHECK(json::parse(anthropic_messages.request({.messages = {user("x")}}, "m", true, features))["max_tokens"] ==
              most);
        features.advance(Feature::max_tokens);
    }
    CHECK(feature_sentence(Feature::max_tokens, features).find("max_completion_tokens") == std::string::npos);
}
