#include "steps/models/protocols/parts/features.hpp"
#include "steps/models/protocols/responses.hpp"
#include "tests/steps/models/protocols/reading.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::models;
using nlohmann::json;

namespace {
using Calls = std::vector<ToolCall>;
/// Returns an event with this name and type, and further `members`.
std::string event(const std::string& type, const std::string& members) {
    return "event: " + type + "\ndata: {\"type\":\"" + type + "\"," + members + "}\n\n";
}
std::string text(const std::string& delta) {
    return event("response.output_text.delta", R"("item_id":"m1","output_index":0,"content_index":0,"delta":")" +
                                                   delta + R"(","logprobs":[],"obfuscation":"x")");
}
std::string end(const std::string& members = R"("output":[])", const std::string& status = "completed") {
    return event("response." + status,
                 R"("response":{"model":"m-1","status":")" + status + R"(","error":null,)" + members + "}");
}
std::string call_events(const std::string& place, const std::string& id) {
    return event("response.output_item.added",
                 place + R"("item":{"type":"function_call",)" + id + R"("name":"add","arguments":""})") +
           event("response.function_call_arguments.delta", place + R"("item_id":"f1","delta":"{\"x\"")") +
           event("response.function_call_arguments.delta", place + R"("item_id":"f1","delta":":1}")");
}
Reading read_reply(std::string_view bytes, const ChatRequest& request = {}) {
    return read_any_way(openai_responses, bytes, request);
}
json request_for(const ChatRequest& request, const std::string& model = "m") {
    return json::parse(openai_responses.request(request, model, true, usual_features(model)));
}
const Calls add_one = {{"c1", "add", R"({"x":1})"}};
}

TEST_CASE("a response is assembled from the events of its stream") {
    const auto reply = read_reply(
        event("response.created", R"("response":{"model":"m-1","status":"in_progress","output":[],"usage":null})") +
        event("response.output_item.added",
              R"("output_index":0,"item":{"id":"m1","type":"message","role":"assistant","content":[]})") +
        ": ping\n\n" + text("Hel") + event("response.something.new", R"("x":[1])") + text("lo \\u20ac") +
        event("response.output_text.done", R"("item_id":"m1","output_index":0,"text":"Hello \u20ac")") +
        event("response.output_item.done",
              R"("output_index":0,"item":{"id":"m1","type":"message","role":"assistant","status":"completed",)"
              R"("content":[{"type":"output_text","text":"Hello \u20ac","annotations":[]}]})") +
        end(R"("output":[],"usage":{"input_tokens":9,"output_tokens":4,"input_tokens_details":{"cached_tokens":5},)"
            R"("output_tokens_details":{"reasoning_tokens":2}})") +
        "data: [DONE]\n\n");
    CHECK(reply == Reading{.text = "Hello \xe2\x82\xac",
                           .model = "m-1",
                           .finish = FinishReason::stop,
                           .prompt = 9,
                           .completion = 4,
                           .deltas = "Hello \xe2\x82\xac",
                           .cached = 5,
                           .reasoning = 2});
}
TEST_CASE("a whole response is read also when a stream was requested") {
    const auto reply = read_reply(
        R"( {"model":"m","status":"completed","output":[
             {"type":"message","content":[{"type":"output_text","text":"hi"},{"type":"x"}]},
             {"type":"function_call","call_id":"c1","name":"add","arguments":"{\"x\":1}"},7,null]} )");
    CHECK(reply.text == "hi");
    CHECK(reply.calls == add_one);
    CHECK(reply.finish == FinishReason::tool_calls);
    CHECK(reply.native.empty());
}
TEST_CASE("calls are complete whatever parts the server's events lack") {
    const std::string done = event(
        "response.output_item.done",
        R"("output_index":1,"item":{"id":"f1","type":"function_call","call_id":"c1","name":"add",)"
        R"("arguments":"{\"x\":1}"})");
    const std::string item =
        R"({"type":"function_call","id":"f1","call_id":"c1","name":"add","arguments":"{\"x\":1}"})";
    const std::string silent = R"({"type":"function_call","id":"f1","call_id":"c1","name":"add","arguments":""})";
    const std::string placed = call_events(R"("output_index":1,)", R"("id":"f1","call_id":"c1",)");
    struct {
        const char* what;
        std::string bytes;
    } const table[] = {
        {"all of them", placed + done + end()},
        {"without the end of the item", placed + end()},
        {"without a place", call_events("", R"("id":"f1","call_id":"c1",)") + end()},
        {"without the item's id", call_events(R"("output_index":1,)", R"("call_id":"c1",)") + end()},
        {"only the item", done + done + end()},
        {"only at the end", end(R"("output":[)" + item + "]")},
        {"only at the end, after text", text("hi") + end(R"("output":[{"type":"message","id":"m1"},)" + item + "]")},
        {"arguments of the item at the end", placed + end(R"("output":[)" + silent + "]")},
        {"all but the pieces, and arguments of the item at the end",
         placed.substr(placed.find("event: ", 9)) + end(R"("output":[)" + silent + "]")},
        {"arguments of the end of the arguments",
         placed + event("response.function_call_arguments.done", R"("output_index":1,"arguments":"{}")") + end()},
        {"the end of the arguments",
         call_events(R"("output_index":1,)", R"("id":"f1","call_id":"c1",)").substr(0, placed.find("event: ", 9)) +
             event("response.function_call_arguments.done", R"("output_index":1,"arguments":"{\"x\":1}")") + end()},
    };
    for (const auto& row : table) {
        const auto reply = read_reply(row.bytes);
        CHECK_MESSAGE(reply.calls == add_one, row.what << ": " << reply.error);
        CHECK_MESSAGE(reply.finish == FinishReason::tool_calls, row.what);
    }
    const auto two = read_reply(
        event("response.output_item.added",
              R"("output_index":2,"item":{"type":"function_call","name":"sub","arguments":""})") +
        placed + event("response.function_call_arguments.delta", R"("output_index":2,"delta":"{}")") + end());
    CHECK(two.calls == Calls{add_one[0], {"call00000", "sub", "{}"}});
    const auto renamed = R"("output_index":1,"item":{"type":"function_call","call_id":"c2","name":"add"})";
    CHECK(read_reply(placed + event("response.output_item.done", renamed) + end()).calls.size() == 1);
    CHECK(read_reply(end(R"("output":[{"type":"function_call","arguments":"{\"a\":1}"}])")).error ==
          "a call has no name of a tool");
}
TEST_CASE("text without deltas is not lost, and no text is reported twice") {
    const std::string item = R"({"id":"m1","type":"message","content":[{"type":"output_text","text":"hi"}]})";
    const std::string done = event("response.output_item.done", R"("output_index":0,"item":)" + item);
    const std::string text_done = event("response.output_text.done", R"("output_index":0,"item_id":"m1","text":"hi")");
    const std::string full = end(R"("output":[)" + item + "]");
    for (const auto& bytes : {full, done + end(), text_done + end(), text_done + done + full, text("hi") + done + full,
                              text("h") + text("i") + text_done + full})
        CHECK(read_reply(bytes).text == "hi");
}
TEST_CASE("an incomplete response says why") {
    const std::string placed = call_events(R"("output_index":1,)", R"("id":"f1","call_id":"c1",)");
    const auto cut = read_reply(text("hi") + placed +
                                end(R"("incomplete_details":{"reason":"max_output_tokens"})", "incomplete"));
    CHECK(cut.finish == FinishReason::length);
    CHECK(cut.calls == add_one);
    const auto filtered = read_reply(text("hi") + placed +
                                     end(R"("incomplete_details":{"reason":"content_filter"})", "incomplete"));
    CHECK(filtered.finish == FinishReason::refused);
    CHECK(filtered.calls.empty());
    CHECK(read_reply(text("hi") + end(R"("x":1)", "incomplete")).finish == FinishReason::length);
    for (const auto& bytes :
         {event("response.refusal.delta", R"("delta":"N")") + event("response.refusal.delta", R"("delta":"o.")") +
              event("response.refusal.done", R"("refusal":"No.")") + end(),
          event("response.refusal.done", R"("refusal":"No.")") + end(),
          end(R"("output":[{"type":"message","content":[{"type":"refusal","refusal":"No."}]}])")}) {
        const auto refused = read_reply(bytes);
        CHECK(refused.finish == FinishReason::refused);
        CHECK(refused.text == "No.");
    }
}
TEST_CASE("only a final event ends a response") {
    for (const std::string& bytes :
         {std::string(), text("a"), text("a") + event("response.output_text.done", R"("text":"a")")})
        CHECK(read_reply(bytes).error == "broke off its reply before the end");
    CHECK(read_reply(text("a") + "data: [DONE]\n\n").text == "a");
    CHECK(read_reply("data: {\"type").error == "sent broken JSON: {\"type");
    CHECK(read_reply(end()).error == "");  // an empty reply, which the agent reports to the model
    CHECK(read_reply(R"({"object":"list"})").error == "sent a reply without content");
    std::string many = "{}";
    for (int i = 0; i < 512; ++i) many += ",{}";
    CHECK(read(openai_responses, {end(R"("output":[)" + many + "]")}).error == "sent more than 512 items in one reply");
    CHECK(read_reply(R"({"status":"queued"})").error == "sent a response that is queued instead of a reply");
}
TEST_CASE("an error is found at any place of the stream") {
    const std::string late = text("a");
    const std::pair<std::string, const char*> table[] = {
        {event("error", R"("code":"server_error","message":"gone","param":null)"), ": gone"},
        {"event: error\ndata: {\"message\":\"gone\"}\n\n", ": gone"},
        {event("error", R"("error":{"code":"rate_limit_exceeded","message":"slow down"})"), "(429): slow down"},
        {"data: {\"error\":{\"message\":\"gone\",\"code\":503}}\n\n", "(503): gone"},
        {end(R"("error":{"code":"server_error","message":"gone"})", "failed"), ": gone"},
        {end(R"("x":1)", "failed"), "failed without a reason"},
    };
    for (const auto& [bytes, error] : table) CHECK(read_reply(late + bytes).error.find(error) != std::string::npos);
    CHECK(read_reply(R"({"error":{"message":"no","type":"invalid_request_error"}})").error.find("did not accept") == 0);
}
TEST_CASE("a stop sequence ends a response, because the protocol has none") {
    const ChatRequest request{.stop = {"\nObservation:"}};
    const auto reply = read_reply(text("Action: x\\nObs") + text("ervation: made up") + end(), request);
    CHECK(reply.text == "Action: x");
    CHECK(reply.finish == FinishReason::stop);
    CHECK_FALSE(request_for(request).contains("stop"));
}
TEST_CASE("all line ends, marks and broken bytes give the same response") {
    const std::string bytes = text("a") + text("b") + end();
    for (const char* line_end : {"\r", "\r\n"}) {
        std::string other = "\xEF\xBB\xBF";
        for (char c : bytes) c == '\n' ? other += line_end : other += c;
        CHECK(read_reply(other) == read_reply(bytes));
    }
    CHECK(read_reply(text("a\xff\xe2\x82") + end()).text == "a\xef\xbf\xbd\xef\xbf\xbd");
    for (const char* odd : {"[]", "1", R"({"type":7})", R"({"type":"response.output_text.delta","delta":{}})",
                            R"({"type":"response.output_item.added","output_index":-5,"item":[]})"})
        CHECK(read_reply("data: " + std::string(odd) + "\n\n" + text("a") + end()).text == "a");
}

TEST_CASE("encrypted thoughts are kept with the response and sent back") {
    const std::string thought = R"({"type":"reasoning","id":"r1","summary":[],"encrypted_content":"e=="})";
    const std::string call =
        R"({"type":"function_call","id":"f1","call_id":"c1","name":"add","arguments":"{\"x\":1}"})";
    const auto reply = read_reply(end(R"("output":[)" + thought + "," + call + "]"));
    CHECK(reply.calls == add_one);
    REQUIRE(json::parse(reply.native) == json{json::parse(thought), json::parse(call)});

    const auto sent = [&](std::string native) {
        return request_for({.messages = {user("x"),
                                         {Role::assistant, "", add_one, {}, {}, true, {"responses", {native}}},
                                         result(add_one[0], "2")}})["input"];
    };
    const auto question = json{{"role", "user"}, {"content", "x"}};
    const auto answer = json{{"type", "function_call_output"}, {"call_id", "c1"}, {"output", "2"}};
    CHECK(sent(reply.native) == json{question, json::parse(thought), json::parse(call), answer});
    auto plain = json::parse(call);
    plain.erase("id");
    CHECK(sent("[" + call + R"(,{"type":"reasoning","id":"r1"}])") == json{question, plain, answer});
    for (const char* other : {"{", "{}", "[]", "[7]", R"([{"type":"function_call","call_id":"c2"}])"})
        CHECK(sent(other) == json{question, plain, answer});
}
TEST_CASE("a request of the Responses API has the chosen options") {
    const auto body = request_for({.messages = {models::instruction("Be brief."),
                                                models::instruction("In verse."),
                                                user("x"),
                                                {Role::assistant, "I add.", {{"c1", "add", "{"}}},
                                                result(add_one[0], "Error: no JSON", false),
                                                {Role::tool, "Observation: 7"},
                                                assistant("")},
                                   .tools = {{"add", "Adds.", R"({"type":"object"})"}, {"now", "", ""}},
                                   .choice = ToolChoice::none,
                                   .sampling = {0.5, 100, 7},
                                   .schema = {"answer", R"({"type":"object"})"}});
    CHECK(body == json::parse(R"({"model":"m","store":false,"stream":true,"instructions":"Be brief.\n\nIn verse.",
        "input":[{"role":"user","content":"x"},{"role":"assistant","content":"I add."},
                 {"type":"function_call","call_id":"c1","name":"add","arguments":"{\"INVALID_JSON\":\"{\"}"},
                 {"type":"function_call_output","call_id":"c1","output":"Error: no JSON"},
                 {"role":"user","content":"Observation: 7"},{"role":"assistant","content":""}],
        "tools":[{"type":"function","name":"add","description":"Adds.","parameters":{"type":"object"},"strict":false},
                 {"type":"function","name":"now","description":"","parameters":{"type":"object","properties":{}},
                  "strict":false}],
        "tool_choice":"none","temperature":0.5,"max_output_tokens":100,
        "text":{"format":{"type":"json_schema","name":"answer","schema":{"type":"object"},"strict":false}}})"));
    CHECK(request_for({.messages = {models::instruction("x")}})["input"][0]["role"] == "system");
    CHECK(request_for({}, "o3-mini")["include"] == json{"reasoning.encrypted_content"});
    CHECK(openai_responses.path("m", true) == "responses");
}
