// The tool that asks the model.
#include "steps/agents/common/llm_tool.hpp"
#include "tests/support/react.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
tools::Observation asked(models::ChatModel& model, const std::string& input, const models::Sampling& sampling = {}) {
    tools::Registry tools;
    tools.add(agents::llm_tool(model, sampling));
    return testing::await(tools.call("llm_tool", nlohmann::json{{"input", input}}.dump()));
}
}

// shows D-12: `llm_tool` asks the model itself
TEST_CASE("llm_tool asks the model of the agent, with its sampling, and gives the reply") {
    AskedModel model([](auto&) { return say("Paris."); });

    const auto observation = asked(model, "The capital of France?", {.temperature = 0.25, .max_tokens = 50});

    CHECK(observation.ok);
    CHECK(observation.text == "Paris.");
    REQUIRE(model.requests.size() == 1);
    const auto& request = model.requests[0];
    CHECK(request.messages.back().role == models::Role::user);
    CHECK(request.messages.back().content == "The capital of France?");
    CHECK(request.sampling.temperature == 0.25);
    CHECK(request.sampling.max_tokens == 50);
    CHECK(request.stop.empty());
}
// shows B-D07: an error of `llm_tool` is an observation
TEST_CASE("an error in llm_tool is an observation with the reason") {
    AskedModel down([](auto&) -> models::ChatReply { throw Error(Code::model_unreachable, "there is no model"); });
    AskedModel refuses([](auto&) { return say("I will not", models::FinishReason::refused); });
    AskedModel silent([](auto&) { return say(" \n"); });
    const auto check = [](models::ChatModel& model, const char* text) {
        const auto observation = asked(model, "x");
        CHECK(!observation.ok);
        CHECK(observation.text == text);
    };
    check(down, "Error: there is no model");
    check(refuses, "Error: the model refuses to reply to this");
    check(silent, "Error: the model gave no answer: it was empty");
    CHECK(asked(silent, " ").text == "Error: the input is empty: say what is asked");
}
TEST_CASE("a truncated reply of llm_tool says so") {
    AskedModel long_winded([](auto&) { return say("Once upon", models::FinishReason::length); });
    CHECK(asked(long_winded, "x").text == "Once upon\n[cut off: longer than the model may write]");
}
