#include "steps/models/protocols/gemini.hpp"
#include "steps/models/protocols/parts/features.hpp"
#include "tests/steps/models/protocols/reading.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using nlohmann::json;

namespace {
Reading read_reply(std::string_view bytes, const ChatRequest& request = {}) {
    return read_any_way(gemini_generate, bytes, request);
}
json request_for(const ChatRequest& request, const std::string& model = "gemini-2.5-flash") {
    return json::parse(gemini_generate.request(request, model, true, usual_features(model)));
}
std::string chunk(const std::string& parts, const std::string& rest = "", const std::string& more = "") {
    return R"({"candidates":[{"content":{"role":"model","parts":[)" + parts + R"(]},"index":0)" + rest +
           R"(}],"modelVersion":"gemini-x")" + more + "}";
}
std::string event(const std::string& data) { return "data: " + data + "\r\n\r\n"; }
std::string text(const std::string& text) { return R"({"text":")" + text + "\"}"; }
const std::string stop = R"(,"finishReason":"STOP")";
const std::string usage = R"(,"usageMetadata":{"promptTokenCount":10,"toolUsePromptTokenCount":1,)"
                          R"("cachedContentTokenCount":4,"candidatesTokenCount":5,"thoughtsTokenCount":7})";
ChatReply reply_of(std::string_view bytes, const ChatRequest& request = {}) {
    auto reader = gemini_generate.reader(request, Secret());
    reader->feed(bytes, {});
    return reader->finish({});
}
}

TEST_CASE("a Gemini request names the model in its path and the key nowhere in it") {
    CHECK(gemini_generate.path("gemini-x", false) == "models/gemini-x:generateContent");
    CHECK(gemini_generate.path("gemini-x", true) == "models/gemini-x:streamGenerateContent?alt=sse");
    CHECK(gemini_generate.path("tunedModels/a", false) == "tunedModels/a:generateContent");
    CHECK(gemini_generate.path("a?key=b#c", false) == "models/a%3Fkey%3Db%23c:generateContent");
    CHECK(std::string(gemini_generate.key.name) == "x-goog-api-key");
}
TEST_CASE("a Gemini request has its instructions separately and its options in one place") {
    CHECK(request_for(
              {.messages = {models::instruction("Be brief."), user("6 * 7?"), models::instruction("In French.")}}) ==
          json::parse(R"({"systemInstruction":{"parts":[{"text":"Be brief.\n\nIn French."}]},
                          "contents":[{"role":"user","parts":[{"text":"6 * 7?"}]}]})"));
    ChatRequest request{.messages = {user("x")},
                        .tools = {{"add", "Adds.", R"({"type":"object"})"}, {"now", "The time.", ""}},
                        .choice = ToolChoice::none,
                        .stop = {"a", "", "b", "c", "d", "e", "f"},
                        .sampling = {0.5, 64, (std::int64_t(1) << 40) + 3},
                        .schema = {"answer", R"({"type":"object"})"}};
    const auto expected = json::parse(R"({"contents":[{"role":"user","parts":[{"text":"x"}]}],
        "tools":[{"functionDeclarations":[
            {"name":"add","description":"Adds.","parametersJsonSchema":{"type":"object"}},
            {"name":"now","description":"The time."}]}],
        "toolConfig":{"functionCallingConfig":{"mode":"NONE"}},
        "generationConfig":{"temperature":0.5,"maxOutputTokens":64,"stopSequences":["a","b","c","d","e"],"seed":3}})");
    CHECK(request_for(request) == expected);
    CHECK(request_for(request, "gemini-3-pro")["generationConfig"]["responseMimeType"] == "application/json");
    request.tools.clear();
    CHECK(request_for(request)["generationConfig"]["responseJsonSchema"] == json{{"type", "object"}});
    CHECK_THROWS_AS(request_for({.schema = {"answer", "[1]"}}), Error);
}
TEST_CASE("turns of user and model alternate, and results have the names of their calls") {
    const ToolCall one{"call_1", "f", R"({"a":1})"}, two{"call_2", "g", "{\"a\":"};
    const std::vector<Message> messages{assistant("Hello."),
                                        user("a"),
                                        user("b"),
                                        {Role::assistant, "", {one, two}},
                                        models::result(one, "7"),
                                        models::result(two, "no JSON", false),
                                        {Role::tool, "seen"},
                                        assistant(" ")};
    const auto contents = json::parse(R"x([
        {"role":"user","parts":[{"text":"(The conversation began earlier.)"
}]
},
        {"role":"model","parts":[{"text":"Hello."}]},{"role":"user","parts":[{"text":"a"},{"text":"b"}]},
        {"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":1}}},
            {"functionCall":{"name":"g","args":{"INVALID_JSON":"{\"a\":"}}}]},
        {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"7"}}},
            {"functionResponse":{"name":"g","response":{"error":"no JSON"}}},{"text":"seen"}]}])x");
    CHECK(request_for({.messages = messages})["contents"] == contents);
    CHECK(request_for({.messages = messages}, "gemini-3-pro")["contents"][3]["parts"][0]["thoughtSignature"] ==
          "skip_thought_signature_validator");
    CHECK(request_for({.messages = {models::instruction("Say hello.")}}) ==
          json::parse(R"({"contents":[{"role":"user","parts":[{"text":"Say hello."}]}]})"));
}
TEST_CASE("events, an array and one document give the same reply") {
    const auto first = chunk(R"({"text":"hm","thought":true},)" + text("Thought: "), "",
                             R"(,"usageMetadata":{"promptTokenCount":9})");
    const auto last = chunk(text("ea\\u0073y \xe2\x82\xac"), R"(,"finishReason":"MAX_TOKENS")", usage);
    const std::string native = R"([{"text":"hm","thought":true},{"text":"Thought: easy )"
                               "\xe2\x82\xac\"}]";
    const Reading expected{"Thought: easy \xe2\x82\xac",
                           "gemini-x",
                           "",
                           FinishReason::length,
                           11,
                           12,
                           "Thought: easy \xe2\x82\xac",
                           {},
                           native,
                           4,
                           7};
    CHECK(read_reply(": comment\n\n" + event(first) + event(last)) == expected);
    CHECK(read_reply(event(first) + "data: " + last) == expected);  // the last event without an end
    CHECK(read_reply(event(first) + event(last) + event("[DONE]")) == expected);
    CHECK(read_reply("[" + first + "\n,\r\n" + last + "\n]\n") == expected);
    CHECK(read_reply(" " + chunk(text("a") + "," + text("b"), stop)).text == "ab");
    CHECK(read_reply(event(chunk(text("a\xff"), stop))).text == "a\xef\xbf\xbd");
}
TEST_CASE("calls without ids get one each, and all parts are sent back unchanged") {
    const auto bytes = event(chunk(R"({"text":"I ","thought":true})")) +
                       event(chunk(R"({"text":"see","thought":true})")) +
                       event(chunk(R"({"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"c2ln"})")) +
                       event(chunk(R"({"functionCall":{"name":"f","args":{"a":1}}},{"functionCall":{"name":"g"}},)"
                                   R"({"functionCall":{"id":"own","name":"h","args":{}}})")) +
                       event(chunk(R"({"text":"","thoughtSignature":"bGFzdA=="})", stop));
    const ChatRequest request{.messages = {user("x")}};
    const auto reply = reply_of(bytes, request);
    CHECK(reply.calls == std::vector<ToolCall>{{"call00000", "f", R"({"a":1})"},
                                               {"call00001", "f", R"({"a":1})"},
                                               {"call00002", "g", "{}"},
                                               {"own", "h", "{}"}});
    CHECK(reply.finish == FinishReason::tool_calls);
    CHECK(reply.text.empty());
    const auto sent = request_for({.messages = {user("x"), reply.message(), models::result(reply.calls[0], "7"),
                                                models::result(reply.calls[3], "8")}})["contents"];
    CHECK(sent[1]["parts"] == json::parse(R"([{"text":"I see","thought":true},
        {"functionCall":{"name":"f","args":{"a":1}},"thoughtSignature":"c2ln"},
        {"functionCall":{"name":"f","args":{"a":1}}},{"functionCall":{"name":"g"}},
        {"functionCall":{"id":"own","name":"h","args":{}}},{"text":"","thoughtSignature":"bGFzdA=="}])"));
    CHECK(sent[2]["parts"][0] == json::parse(R"({"functionResponse":{"name":"f","response":{"output":"7"}}})"));
    CHECK(sent[2]["parts"][1] ==
          json::parse(R"({"functionResponse":{"id":"own","name":"h","response":{"output":"8"}}})"));
    const auto reading = read_reply(bytes, request);
    CHECK(reading.error == "");
    CHECK(reading.calls == reply.calls);
    CHECK(reading.native == reply.native.json.text);
    CHECK(reply_of(event(chunk(text("a"))) + event(chunk(text("b"), stop))).native == Native{});
}
TEST_CASE("reasons to finish are known, refusals, or unknown") {
    const std::pair<const char*, FinishReason> reasons[] = {
        {"STOP", FinishReason::stop},         {"MAX_TOKENS", FinishReason::length},
        {"SAFETY", FinishReason::refused},    {"RECITATION", FinishReason::refused},
        {"BLOCKLIST", FinishReason::refused}, {"PROHIBITED_CONTENT", FinishReason::refused},
        {"SPII", FinishReason::refused},      {"OTHER", FinishReason::unknown},
        {"LANGUAGE", FinishReason::unknown}};
    for (const auto& [reason, finish] : reasons) {
        const std::string name = reason;  // clang 14 cannot capture a binding
        CAPTURE(name);
        CHECK(reply_of(event(chunk(text("a"), R"(,"finishReason":")" + std::string(name) + "\""))).finish == finish);
    }
    const auto blocked = reply_of(R"({"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{}})");
    CHECK(blocked.finish == FinishReason::refused);
    CHECK(blocked.text.empty());
}
TEST_CASE("a broken or unreadable reply of Gemini is never a reply") {
    const auto body = event(chunk(text("a")));
    const std::pair<std::string, const char*> broken[] = {
        {"", "broke off its reply before the end"},
        {body, "broke off its reply before the end"},
        {"[" + chunk(text("a")) + "]", "broke off its reply before the end"},
        {body + event(chunk(text("b"), R"(,"finishReason":"FINISH_REASON_UNSPECIFIED")")),
         "broke off its reply before the end"},
        {"{}", "sent a reply without candidates"},
        {"[]", "sent a reply without candidates"},
        {R"({"candidates":[]})", "sent a reply without candidates"},
        {event(chunk("", R"(,"finishReason":"UNEXPECTED_TOOL_CALL")")), "UNEXPECTED_TOOL_CALL"},
        {event(chunk("", R"(,"finishMessage":"Malformed function call: f(","finishReason":"MALFORMED_FUNCTION_CALL")")),
         "MALFORMED_FUNCTION_CALL: Malformed function call: f("},
        {body + event(R"({"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}})"),
         "failed (503): overloaded"},
        {R"([{"error":{"code":503,"message":"overloaded"}}])", "failed (503): overloaded"},
        {body + "data: {\"candi", "sent broken JSON: {\"candi"}};
    for (const auto& [bytes, error] : broken) CHECK(read(gemini_generate, {bytes}).error == error);
    for (const char* odd : {"[1]", "1", "null", R"({"candidates":7})", R"({"candidates":[1,{"index":1}]})",
                            R"({"candidates":[{"content":[1]}]})", R"({"candidates":[{"content":{"parts":[1,null]}}]})",
                            R"({"usageMetadata":[1],"modelVersion":1,"promptFeedback":1})"})
        CHECK(reply_of(event(odd) + event(chunk(text("a"), stop))).text == "a");
}
TEST_CASE("a stop sequence ends a reply of Gemini") {
    const auto reply = reply_of(event(chunk(text("x Obser"))) + event(chunk(text("vation: y"))) +
                                    event(chunk(text("z"))),
                                {.stop = {"Observation:"}});
    CHECK(reply.text == "x ");
    CHECK(reply.finish == FinishReason::stop);
}
TEST_CASE("tools are declared in the terms of OpenAPI when a server knows no others") {
    const ChatRequest request{
        .messages = {user("x")},
        .tools = {{"add", "Adds.", R"({"$schema":"s","type":"object","additionalProperties":false,"required":["a"],
                   "properties":{"a":{"type":["null","integer"],"default":1},
                                 "all":{"type":"array","items":{"const":1,"type":"string"}}}})"},
                  {"now", "The time.", R"({"type":"object","properties":{}})"}}};
    Features features;
    features.set(Feature::json_schemas, 1);
    const auto body = json::parse(gemini_generate.request(request, "gemini-2.5-flash", true, features));
    CHECK(body["tools"][0]["functionDeclarations"][0] ==
          json::parse(R"({"name":"add","description":"Adds.","parameters":{"type":"object","required":["a"],
                          "properties":{"a":{"type":"integer"},"all":{"type":"array","items":{"type":"string"}}}}})"));
    CHECK(body["tools"][0]["functionDeclarations"][1] == json::parse(R"({"name":"now","description":"The time."})"));
}
TEST_CASE("a call gets the placeholder signature when a server demands one") {
    Message asked = assistant("");
    asked.calls = {{"a", "add", "{}"}};
    asked.native = {"gemini", {R"([{"functionCall":{"name":"add","args":{}}}])"}};
    Features features;
    features.set(Feature::signatures, 1);
    for (const auto* native : {"gemini", "another"}) {
        asked.native.protocol = native;
        const auto body = json::parse(gemini_generate.request(
            {.messages = {user("x"), asked, models::result(asked.calls[0], "1")}}, "gemini-2.5-flash", true, features));
        CHECK(body["contents"][1]["parts"][0]["thoughtSignature"] == "skip_thought_signature_validator");
    }
}
