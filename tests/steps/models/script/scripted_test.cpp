// The scripted model: accepted scripts, and clear failures.
#include "engine/error.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "steps/models/script/scripted.hpp"
#include <cstdio>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;

namespace {
ScriptedModel model(const char* json) { return ScriptedModel(Script::from_json(json, "test")); }
ChatReply ask(ChatModel& model, std::vector<Message> messages) {
    ChatRequest request;
    request.messages = std::move(messages);
    return testing::await(model.chat(request));
}
std::string refusal(ChatModel& model, std::vector<Message> messages) {
    try {
        ask(model, std::move(messages));
    } catch (const Error& e) {
        CHECK(e.code() == Code::script_mismatch);
        return e.what();
    }
    return "none";
}
}

TEST_CASE("a script's reply is chosen by the number of the model's messages, so that runs may share it") {
    ScriptedModel two{"first", "second"};
    CHECK(ask(two, {user("a")}).text == "first");
    CHECK(ask(two, {user("a")}).text == "first");
    CHECK(ask(two, {user("a"), assistant("first"), user("b")}).text == "second");
    CHECK(two.name() == "script:replies");
}
TEST_CASE("a script with a question counts from that question, so that a conversation may ask it again") {
    auto m = model(R"({"question": "why?", "replies": [{"reply": "one"}, {"reply": "two"}]})");
    CHECK(ask(m, {user("why?"), assistant("x"), user("so")}).text == "two");
    CHECK(ask(m, {user("why?"), assistant("x"), user("now, why?")}).text == "one");
    CHECK(refusal(m, {user("when?")}) ==
          "the request does not fit the script test: expected the question \"why?\", got \"when?\"");
}
TEST_CASE("an unfitting request shows the expected and the actual request") {
    auto m = model(R"({"replies": [{"when": ["5500", "17200"], "reply": ["a", "b"]}]})");
    CHECK(ask(m, {user("5500 and 17200")}).text == "a\nb");
    CHECK(refusal(m, {user("5500")}) ==
          "the request does not fit the script test: expected \"17200\" in the last message "
          "before reply 1, got \"5500\"");
    CHECK(refusal(m, {user("a"), assistant("b"), user("more")}) ==
          "the request does not fit the script test: expected no request after its 1 replies, got \"more\"");
    CHECK(refusal(m, {}).ends_with("expected a message, got none"));
    CHECK(refusal(m, {user(std::string(1000, 'x'))}).size() < 600);
}
TEST_CASE("a scripted reply comes in deltas, after its delays") {
    auto m = model(R"({"chunk": 4, "pause_ms": 1000, "replies": [{"reply": "abcéfgh", "delay_ms": 5000}]})");
    testing::ManualClock clock;
    const auto begin = clock.now();
    std::vector<std::string> pieces;
    const OnDelta on_delta = [&pieces](std::string_view delta) { pieces.emplace_back(delta); };
    ChatRequest request;
    request.messages.push_back(user("?"));

    auto reply = testing::await(m.chat(request, on_delta), clock);

    CHECK(pieces == std::vector<std::string>{"abc", "éfg", "h"});
    CHECK(clock.now() - begin == 8s);
    CHECK(reply.text == "abcéfgh");
}
TEST_CASE("a script may fail, truncate a reply or refuse") {
    auto m = model(R"({"replies": [{"fail": "the server is on fire"}, {"reply": "x", "finish": "length"}]})");
    CHECK_THROWS_WITH_AS(ask(m, {user("?")}), "the server is on fire", Error);
    CHECK(ask(m, {assistant("a"), user("?")}).finish == FinishReason::length);
}
TEST_CASE("an unusable script is refused with the reason") {
    for (auto [json, why] : {std::pair{"{", "the script test cannot be used"},
                             {"[]", "must be a JSON object"},
                             {"{}", "replies"},
                             {R"({"replies": [], "qestion": "x"})", "the name \"qestion\" is unknown"},
                             {R"({"replies": [{"wen": "x", "reply": ""}]})", "the name \"wen\" is unknown"},
                             {R"({"replies": [{}]})", "needs \"reply\", \"calls\" or \"fail\""},
                             {R"({"replies": [{"reply": [1]}]})", "lines of a reply are texts"},
                             {R"({"replies": [{"reply": 1}]})", "reply"},
                             {R"({"replies": [], "chunk": 0})", "chunk"}}) {
        try {
            Script::from_json(json, "test");
            FAIL(json);
        } catch (const Error& e) {
            CHECK(e.code() == Code::configuration);
            INFO(e.what());
            CHECK(std::string(e.what()).find(why) != std::string::npos);
        }
    }
    CHECK_THROWS_WITH_AS(Script::from_file("no/such.json"),
                         "the script no/such.json cannot be used: the file cannot be read", Error);
    CHECK_THROWS_AS(Script::from_file(std::filesystem::temp_directory_path()), Error);
}
