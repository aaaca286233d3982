// The native agent's treatment of replies with neither a call of the protocol nor an answer.
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/answer_form.hpp"
#include "steps/agents/common/ask_for.hpp"
#include "steps/models/model_error.hpp"
#include "tests/support/tool_agent.hpp"
#include "workflows/plain_answer_steps.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
tools::Observation twice(const nlohmann::json& a) { return {std::to_string(2 * a.value("n", 0))}; }
/// A model with a list of replies, which repeats the last one.
AskedModel in_turn(std::vector<models::ChatReply> replies) {
    return AskedModel(
        [replies, i = std::size_t(0)](auto&) mutable { return replies[std::min(i++, replies.size() - 1)]; });
}
models::ChatReply unreadable(std::string why) {
    auto reply = say("", models::FinishReason::unreadable);
    reply.fault = std::move(why);
    return reply;
}
models::ChatReply thought(std::string reasoning) {
    auto reply = say("");
    reply.reasoning = std::move(reasoning);
    return reply;
}
const std::string written = "<tool_call>{\"name\": \"twice\", \"arguments\": {\"n\": 4}}</tool_call>";
}

TEST_CASE("a native agent runs calls written as text, and shows them to the model as calls of the protocol") {
    NativeAgent agent;
    agent.add("twice", twice);
    auto reply = say(written + written);
    reply.native = {"some", {R"({"content":"x"})"}};
    auto model = in_turn({reply, say("8.")});
    const auto told = agent.ask(model);
    CHECK(told.result.response == "8.");
    CHECK(told.names == std::vector<std::string>{"TurnEvent", "ActionEvent", "ActionEvent", "ObservationEvent",
                                                 "ObservationEvent", "TurnEvent", "AnswerEvent"});
    REQUIRE(!told.result.reasoning.empty());
    CHECK(told.result.reasoning[0].note.find("the call came as text") != std::string::npos);
    REQUIRE(model.requests.size() == 2);
    const auto& messages = model.requests[1].messages;
    REQUIRE(messages.size() == 5);
    CHECK((messages[2].content.empty() && messages[2].native.protocol.empty()));
    REQUIRE(messages[2].calls.size() == 2);
    CHECK(messages[2].calls[0].arguments == R"({"n":4})");
    CHECK(messages[2].calls[0].id != messages[2].calls[1].id);
    CHECK((messages[3].content == "8" && messages[3].call == messages[2].calls[0].id));
}
TEST_CASE("a native agent explains the form of a call to the model when its call as text cannot run") {
    NativeAgent agent;
    agent.add("twice", twice);
    auto model = in_turn({say("I see. " + written), say("8.")});
    const auto told = agent.ask(model);
    CHECK(told.result.response == "8.");
    CHECK(told.result.tool_calls == 0);
    CHECK(model.requests.at(1).messages.back().content.find("Call a tool only by the protocol") != std::string::npos);
    auto again = in_turn({say("<function=nobody>{}</function>")});
    CHECK(agent.ask(again).error.find("there is no tool 'nobody'") != std::string::npos);
}
TEST_CASE("a native agent has no answer when its last turn is a call as text") {
    for (const auto& last : {say(written), say("Well. " + written), unreadable("bad"), thought("Hm.")}) {
        NativeAgent agent;
        agent.add("twice", twice);
        agent.options.max_steps = 1;
        auto model = in_turn({calls({{"a", "twice", R"({"n": 1})"}}), last});
        const auto told = agent.ask(model);
        CHECK(told.result.outcome == AnswerOutcome::limit);
        CHECK(told.result.response == "No answer was found before the run came to its limit.");
    }
}
TEST_CASE("a reply fitting the form is the answer even if it has the form of a call") {
    NativeAgent agent;
    agent.add("twice", twice);
    const auto schema = nlohmann::json::parse(
        R"({"type": "object", "properties": {"name": {"type": "string"}, "arguments": {"type": "object"}}})");
    agent.options.form = std::make_shared<const AnswerForm>(schema);
    const std::string call = R"({"arguments":{"n":4},"name":"twice"})";
    auto model = in_turn({say(call)});
    CHECK(agent.ask(model).result.response == call);
    agent.options.form = std::make_shared<const AnswerForm>(
        nlohmann::json::parse(R"({"type": "object", "required": ["sum"], "additionalProperties": false,
                                  "properties": {"sum": {"type": "integer"}}})"));
    auto other = in_turn({say(call), say(R"({"sum": 8})")});
    const auto told = agent.ask(other);
    CHECK(told.result.response == R"({"sum":8})");
    CHECK(told.result.tool_calls == 1);
}
TEST_CASE("a native agent tells the model when its server could not read a call, or a reply was only reasoning") {
    for (const auto& [first, why] :
         {std::pair{unreadable("Failed to call a function."), "Failed to call a function"},
          std::pair{thought("Hm."), "it was only reasoning"}, std::pair{say(" "), "it was empty"}}) {
        NativeAgent agent;
        agent.add("twice", twice);
        auto model = in_turn({first, say("8.")});
        CHECK(agent.ask(model).result.response == "8.");
        REQUIRE(model.requests.size() == 2);
        CHECK(model.requests[1].messages.size() > model.requests[0].messages.size());
        CHECK(model.requests[1].messages.back().content.find(why) != std::string::npos);
        auto always = in_turn({first});
        CHECK(agent.ask(always).error.find(why) != std::string::npos);
        CHECK(always.requests.size() == static_cast<std::size_t>(agent.options.max_faults));
    }
}
TEST_CASE("react tells the model when its server could not read a call, or a reply was only reasoning") {
    for (const auto& first : {unreadable("Failed to call a function."), thought("Hm.")}) {
        NativeAgent agent;
        agent.add("twice", twice);
        AskedModel model([&first](const models::ChatRequest& request) {
            if (!request.tools.empty()) throw models::ToolsUnsupported("it cannot call tools (400)");
            return request.messages.size() < 3 ? first : say("Thought: I know.\nAnswer: 8");
        });
        const auto told = agent.ask(model);
        CHECK(told.result.response == "8");
        REQUIRE(told.faults.size() == 1);
        CHECK(told.faults[0].error == lack_of(first));
        REQUIRE(model.requests.size() == 3);
        CHECK(model.requests[2].messages.back().content.find(lack_of(first)) != std::string::npos);
    }
}
TEST_CASE("an empty plain answer is an error that says whether the model only reasoned") {
    for (const auto& [reply, why] : {std::pair{thought("Hm."), "the model gave no answer: it was only reasoning"},
                                     std::pair{say(" "), "the model gave no answer: it was empty"},
                                     std::pair{unreadable("bad"), "the server could not read the call in it: bad"}}) {
        auto model = in_turn({reply});
        Context ctx;
        UserMessageEvent question;
        question.text = "What?";
        CHECK_THROWS_WITH_AS(testing::await(workflows::answer_plainly(ctx, question, model, ReactOptions())),
                             doctest::Contains(why), Error);
    }
}
TEST_CASE("a reply without text is requested again when a form is required, and its reasoning is not an answer") {
    const auto form = std::make_shared<const AnswerForm>(nlohmann::json::parse(R"({"type": "object"})"));
    for (const auto& first : {thought("{}"), unreadable("bad")}) {
        auto model = in_turn({first, say(R"({"n": 8})")});
        models::ChatRequest request;
        request.messages.push_back(models::user("What?"));
        CHECK(testing::await(ask_json(model, std::move(request), form)) == nlohmann::json{{"n", 8}});
        CHECK(model.requests.at(1).messages.back().content.find(lack_of(first)) != std::string::npos);
    }
}
