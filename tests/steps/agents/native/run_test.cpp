// Whole runs of the tool_agent workflow, with models that are functions.
#include "engine/timeout.hpp"
#include "steps/agents/common/answer_form.hpp"
#include "steps/models/model_error.hpp"
#include "tests/support/tool_agent.hpp"
#include "tools/make_tool.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace std::chrono_literals;
using models::ToolCall;

namespace {
tools::Observation twice(const nlohmann::json& a) { return {std::to_string(2 * a.value("n", 0))}; }
/// A model with a list of replies, which repeats the last one.
AskedModel in_turn(std::vector<models::ChatReply> replies) {
    return AskedModel(
        [replies, i = std::size_t(0)](auto&) mutable { return replies[std::min(i++, replies.size() - 1)]; });
}
std::vector<models::Message> results_of(const models::ChatRequest& request) {
    std::vector<models::Message> results;
    for (const auto& message : request.messages)
        if (message.role == models::Role::tool) results.push_back(message);
    return results;
}
const std::vector<ToolCall> two = {{"a", "twice", R"({"n": 1})"}, {"b", "twice", R"({"n": 2})"}};

/// A tool that notes the begin and the end of its calls by the test's clock.
std::shared_ptr<tools::Tool> slow(std::vector<std::string>& log) {
    auto work = [&log](int n) -> awaitable<std::string> {
        log.push_back("+" + std::to_string(n));
        co_await sleep_for(std::chrono::seconds(10 - n));
        log.push_back("-" + std::to_string(n));
        co_return std::to_string(n);
    };
    return tools::make_tool("slow", "Takes its time.", work, {"n"});
}
const std::vector<ToolCall> slow_calls = {{"a", "slow", R"({"n": 1})"}, {"b", "slow", R"({"n": 2})"}};
}

TEST_CASE("a native agent calls tools, gives each call one result in the order of the calls, and answers") {
    NativeAgent agent;
    agent.add("twice", twice);
    auto model = in_turn({calls(two, "Both."), say("2 and 4.")});
    const auto told = agent.ask(model);
    CHECK(told.result.response == "2 and 4.");
    CHECK(told.names == std::vector<std::string>{"TurnEvent", "ActionEvent", "ActionEvent", "ObservationEvent",
                                                 "ObservationEvent", "TurnEvent", "AnswerEvent"});
    REQUIRE(model.requests.size() == 2);
    CHECK(model.requests[0].tools.size() == 1);
    const auto results = results_of(model.requests[1]);
    REQUIRE(results.size() == 2);
    CHECK((results[0].call == "a" && results[0].content == "2" && results[0].tool == "twice"));
    CHECK((results[1].call == "b" && results[1].content == "4"));
    CHECK(model.requests[1].messages[2].calls == two);
    CHECK(told.result.sources.size() == 2);
    CHECK((told.result.tool_calls == 2 && told.result.requests == 2));
}
TEST_CASE("a model's text beside its calls is reported as thought, and is sent back as the protocol wrote it") {
    NativeAgent agent;
    agent.add("twice", twice);
    auto reply = calls(two, "Both.");
    reply.reasoning = "Hm.";
    reply.native = {"some", {R"({"reasoning_content":"Hm."})"}};
    AskedModel model([&, turn = 0](auto& request) mutable {
        if (turn++) return say("2 and 4.");
        request.on_reasoning("Hm.");
        return reply;
    });
    const auto told = agent.ask(model);
    CHECK(told.thought == "Hm.");
    CHECK(told.result.response == "2 and 4.");
    CHECK(model.requests.at(1).messages[2].content == "Both.");
    CHECK(model.requests[1].messages[2].native == reply.native);
}
TEST_CASE("calls of parallel tools run in parallel, and others one after another") {
    for (const bool parallel : {true, false}) {
        NativeAgent agent;
        std::vector<std::string> log;
        auto tool = slow(log);
        agent.add(parallel ? tools::parallel(tool) : tool);
        auto model = in_turn({calls(slow_calls), say("Done.")});
        const auto told = agent.ask(model);
        using Log = std::vector<std::string>;
        CHECK(log == (parallel ? Log{"+1", "+2", "-2", "-1"} : Log{"+1", "-1", "+2", "-2"}));
        const auto results = results_of(model.requests.at(1));
        REQUIRE(results.size() == 2);
        CHECK((results[0].content == "1" && results[1].content == "2"));
        CHECK(told.result.response == "Done.");
    }
}
TEST_CASE("one sequential tool makes all calls of a reply wait for each other") {
    NativeAgent agent;
    std::vector<std::string> log;
    agent.add(tools::parallel(slow(log)));
    agent.add(
        "write", [&log](auto&) { return log.push_back("write"), tools::Observation{"written"}; }, false);
    auto model = in_turn({calls({slow_calls[0], {"w", "write", "{}"}, slow_calls[1]}), say("Done.")});
    agent.ask(model);
    CHECK(log == std::vector<std::string>{"+1", "-1", "write", "+2", "-2"});
}
TEST_CASE("a faulty call has its fault as result: broken arguments, an unknown tool, a failing tool") {
    NativeAgent agent;
    int ran = 0;
    agent.add("twice", [&ran](const auto& a) { return ++ran, twice(a); });
    agent.add("fails", [](auto&) -> tools::Observation { throw tools::ToolError("no luck"); });
    auto model = in_turn({calls({{"a", "twice", "{\"n\": "},
                                 {"b", "nobody", "{}"},
                                 {"c", "fails", "{}"},
                                 {"d", "twice", "[1]"},
                                 {"e", "twice", "{\"n\": 3}"}}),
                          say("Done.")});
    const auto told = agent.ask(model);
    const auto results = results_of(model.requests.at(1));
    REQUIRE(results.size() == 5);
    for (int i : {0, 1, 2, 3}) CHECK_FALSE(results[std::size_t(i)].ok);
    CHECK(results[0].content.find("wrong arguments for twice") != std::string::npos);
    CHECK(results[1].content.find("there is no tool 'nobody'") != std::string::npos);
    CHECK(results[2].content.find("no luck") != std::string::npos);
    CHECK((results[4].ok && results[4].content == "6"));
    CHECK(ran == 1);
    CHECK(told.result.response == "Done.");
}
TEST_CASE("replies in a row without a runnable call end the run") {
    NativeAgent agent;
    agent.add("twice", twice);
    auto model = in_turn({calls({{"a", "twice", "{"}})});
    const auto told = agent.ask(model);
    CHECK(told.error.find("3 replies of the model in a row could not be followed") != std::string::npos);
    CHECK(model.requests.size() == 3);
}
TEST_CASE("a truncated reply is never executed, and the model gets a note about it") {
    NativeAgent agent;
    int ran = 0;
    agent.add("twice", [&ran](const auto& a) { return ++ran, twice(a); });
    auto cut = calls(two, "I call");
    cut.finish = models::FinishReason::length;
    auto model = in_turn({cut, say("Short.")});
    const auto told = agent.ask(model);
    CHECK(ran == 0);
    CHECK(told.result.response == "Short.");
    const auto& messages = model.requests.at(1).messages;
    CHECK(messages[2].calls.empty());
    CHECK(messages.back().content.find("cut off") != std::string::npos);
}
TEST_CASE("calls without ids or with equal ids get different ids") {
    NativeAgent agent;
    agent.add("twice", twice);
    auto reply = calls({{"x", "twice", R"({"n": 1})"}, {"x", "twice", R"({"n": 2})"}});
    reply.native = {"some", {"[]"}};
    auto model = in_turn({reply, say("Done.")});
    agent.ask(model);
    const auto results = results_of(model.requests.at(1));
    REQUIRE(results.size() == 2);
    CHECK(results[0].call != results[1].call);
    CHECK(model.requests[1].messages[2].native.protocol.empty());
    CHECK(model.requests[1].messages[2].calls[1].id == results[1].call);
}
TEST_CASE("a model without tool calls is asked in text, with one warning") {
    NativeAgent agent;
    agent.add("twice", twice);
    ScriptedModel scripted{"Thought: I double.\nAction: twice\nAction Input: {\"n\": 4}", "Thought: So.\nAnswer: 8"};
    const auto by_name = agent.ask(scripted);
    CHECK(by_name.result.response == "8");
    CHECK(by_name.names.front() == "WarningEvent");
    AskedModel refusing([turn = 0](const models::ChatRequest& request) mutable {
        if (!request.tools.empty()) throw models::ToolsUnsupported("it cannot call tools (400)");
        return say(++turn == 1 ? "Thought: t\nAction: twice\nAction Input: {\"n\": 4}" : "Answer: 8");
    });
    const auto by_server = agent.ask(refusing);
    CHECK(by_server.result.response == "8");
    CHECK(std::count(by_server.names.begin(), by_server.names.end(), "WarningEvent") == 1);
}
TEST_CASE("a run ends in the best answer when the same call has the same result again and again") {
    NativeAgent agent;
    agent.add("twice", twice);
    AskedModel model([](const models::ChatRequest& request) {
        if (request.choice == models::ToolChoice::none) return say("I give up.");
        return calls({{"a", "twice", R"({"n": 1})"}});
    });
    const auto told = agent.ask(model);
    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.result.limit == "repeated_calls");
    CHECK(told.result.response == "I give up.");
    CHECK(results_of(model.requests.back()).size() == 5);
}
TEST_CASE("an answer has the requested form, is repaired, or the run fails with the reason") {
    NativeAgent agent;
    agent.options.form = std::make_shared<AnswerForm>(
        nlohmann::json::parse(R"({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]})"));
    auto repaired = in_turn({say("Four."), say(R"({"n": "4"})"), say("```json\n{\"n\": 4}\n```")});
    CHECK(agent.ask(repaired).result.response == R"({"n":4})");
    CHECK_FALSE(repaired.requests[0].schema.schema.empty());
    CHECK(repaired.requests[2].messages.back().content.find("answer.n: expected integer, got a string") !=
          std::string::npos);
    auto never = in_turn({say(R"({"m": 4})")});
    const auto told = agent.ask(never);
    CHECK(told.error.find("answer.n: missing") != std::string::npos);
    CHECK(never.requests.size() == 3);
}
TEST_CASE("a long conversation loses its oldest turns, and no call loses its result") {
    NativeAgent agent;
    agent.add("twice", [](const auto& a) { return tools::Observation{twice(a).text + std::string(400, '.')}; });
    agent.options.context_tokens = 300;
    AskedModel model([n = 0](const models::ChatRequest&) mutable {
        if (++n > 6) return say("Done.");
        return calls({{"c" + std::to_string(n), "twice", "{\"n\": " + std::to_string(n) + "}"}});
    });
    agent.ask(model, "Double.");
    for (const auto& request : model.requests) {
        std::vector<std::string> open;
        for (const auto& message : request.messages) {
            for (const auto& call : message.calls) open.push_back(call.id);
            if (message.role != models::Role::tool) continue;
            REQUIRE_FALSE(open.empty());
            CHECK(open.front() == message.call);
            open.erase(open.begin());
        }
        CHECK(open.empty());
    }
    const auto& last = model.requests.back().messages;
    CHECK(last.size() < 8);
    CHECK(last[1].content.find("[Left out here, to save room: ") != std::string::npos);
}
TEST_CASE("a prompt refused as too long is shortened and sent again") {
    NativeAgent agent;
    agent.add("twice", [](const auto& a) { return tools::Observation{twice(a).text + std::string(3000, '.')}; });
    AskedModel model([n = 0](const models::ChatRequest& request) mutable {
        if (request.messages.size() > 6) throw models::PromptTooLong("it is too long");
        if (++n > 4) return say("Done.");
        return calls({{"c" + std::to_string(n), "twice", "{\"n\": " + std::to_string(n) + "}"}});
    });
    CHECK(agent.ask(model).result.response == "Done.");
}
