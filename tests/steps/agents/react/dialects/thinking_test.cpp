// The dialect for models that reason by themselves: it requests no thoughts, and shows none.
#include "steps/agents/react/dialects/thinking_dialect.hpp"
#include "tests/support/react.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
Told ask_thinking(AskedModel& model) {
    static const ThinkingDialect thinking;
    Agent agent;
    agent.dialect = &thinking;
    add_tool(agent.tools, "look", [](const nlohmann::json&) { return tools::Observation{"a thing"}; });
    return agent.ask(model, "What is there?");
}
models::ChatReply reasoned(std::string reasoning, std::string text) {
    auto reply = say(std::move(text));
    reply.reasoning = std::move(reasoning);
    return reply;
}
}

// shows L-15: the dialect `thinking` is for models that think by themselves
TEST_CASE("the thinking dialect requests no thought, shows none to the model, and has no stop sequence") {
    AskedModel model([](const models::ChatRequest& request) {
        if (request.messages.size() < 4)
            return reasoned("Answer: too early", "Thought: written all the same\nAction: look\nAction Input: {}");
        return say("Answer: A thing.");
    });
    const auto told = ask_thinking(model);
    CHECK(told.result.response == "A thing.");
    REQUIRE(model.requests.size() == 2);
    CHECK(model.requests[0].stop.empty());
    for (const auto& request : model.requests)
        for (const auto& message : request.messages) {
            CHECK(message.content.find("Thought:") == std::string::npos);
            CHECK(message.content.find("too early") == std::string::npos);
        }
    CHECK(model.requests[1].messages.at(2).content == "Action: look\nAction Input: {}");
    CHECK(model.requests[1].messages.at(3).content == "Observation: a thing");
}
TEST_CASE("the thinking dialect takes unlabelled text as the answer, and cuts off an invented observation") {
    AskedModel bare([](auto&) { return say("It is a thing."); });
    CHECK(ask_thinking(bare).result.response == "It is a thing.");
    AskedModel liar([](const models::ChatRequest& request) {
        if (request.messages.size() < 4) return say("Action: look\nAction Input: {}\nObservation: gold\nAnswer: Gold.");
        return say("Answer: A thing.");
    });
    CHECK(ask_thinking(liar).result.response == "A thing.");
}
TEST_CASE("a template of the thinking dialect needs its places") {
    CHECK_THROWS_AS(ThinkingDialect("no places"), Error);
    CHECK(ThinkingDialect("{tools} {tool_names}").prompt_template() != nullptr);
}
