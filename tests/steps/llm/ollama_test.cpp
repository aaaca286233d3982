#include "steps/llm/ollama.hpp"
#include "tests/steps/llm/reading.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::llm;
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

TEST_CASE("an Ollama request puts sampling and stop sequences into its options") {
    CHECK(json::parse(ollama_chat.request({.messages = {user("x")}}, "m:3b", false)) ==
          json::parse(R"({"model":"m:3b","messages":[{"role":"user","content":"x"}],"stream":false})"));
    const auto body = json::parse(ollama_chat.request(
        {.messages = {{Role::tool, "ok"}}, .stop = {"Observation:"}, .sampling = {0.1, 64, 3}}, "m", true));
    CHECK(body["stream"] == true);
    CHECK(body["messages"][0]["role"] == "tool");
    CHECK(body["options"] == json::parse(R"({"stop":["Observation:"],"temperature":0.1,"num_predict":64,"seed":3})"));
}
TEST_CASE("a reply in lines is put together, with usage and reason") {
    const Reading expected{"Thought: easy", "llama3.2", "", FinishReason::stop, 11, 5, {"Thought: ", "easy"}};
    CHECK(read_reply(part("Thought: ") + part("easy") + done + "\n") == expected);
    CHECK(read_reply(part("Thought: ") + "\r\n" + part("easy") + done) == expected);  // the last line has no end
}
TEST_CASE("one document alone is a reply too") {
    const auto reply = read_reply(
        R"({"model":"m","message":{"content":"hi","thinking":"hm"},"done":true,"done_reason":"length"})");
    CHECK(reply == Reading{"hi", "m", "", FinishReason::length, 0, 0, {"hi"}});
}
TEST_CASE("reasons to be done are known, old, or unknown") {
    const auto finish = [](const char* rest) {
        return read_reply(R"({"message":{"content":"a"},"done":true)" + std::string(rest) + "}").finish;
    };
    CHECK(finish("") == FinishReason::stop);
    CHECK(finish(R"(,"done_reason":"unload")") == FinishReason::unknown);
    CHECK(read_reply(R"({"message":{"content":"","tool_calls":[{}]},"done":true,"done_reason":"stop"})").finish ==
          FinishReason::tool_calls);
}
TEST_CASE("a stream of lines that ends early is never a reply") {
    for (std::string bytes : {std::string(), part("a"), part("a") + part("b")})
        CHECK(read_reply(bytes).error == "broke off its reply before the end");
    CHECK(read_reply(part("a") + R"({"model":"ll)").error.find("sent broken JSON") == 0);
    CHECK(read_reply(part("a\xff")).error.find("sent broken JSON") == 0);
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
