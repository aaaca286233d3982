// call_tool with calls in the arguments.
#include "steps/agents/common/llm_tool.hpp"
#include "steps/agents/react/dialects/call_expression.hpp"
#include "steps/agents/react/dialects/function_dialect.hpp"
#include "tests/support/react.hpp"
#include "tools/arithmetic.hpp"
#include "tools/make_tool.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
struct Desk {
    tools::Registry tools;
    std::vector<std::string> called;
    Context ctx;
    Desk() {
        for (const auto& tool : tools::arithmetic()) tools.add(tool);
        auto show = [this](std::string text, std::optional<int> times) {
            called.push_back("show " + text);
            return text + "!" + std::string(times.value_or(0), '?');
        };
        auto sum = [](const std::vector<double>& numbers, std::map<std::string, double> more) {
            double all = 0;
            for (const auto n : numbers) all += n;
            for (const auto& [name, n] : more) all += n;
            return all;
        };
        tools.add(tools::make_tool("show", "Shows.", show, {"text", "times"}));
        tools.add(tools::make_tool("sum", "Sums.", sum, {"numbers", "more"}));
        tools.add(tools::make_tool("list", "Lists.", [] { return "[1, 2, 3.5]"; }));
    }
    ToolCallEvent event(std::string_view text) {
        auto call = read_call(text, [this](std::string_view name) -> std::optional<std::vector<std::string>> {
            const auto* tool = tools.find(name);
            return tool ? std::optional(tool->parameters()) : std::nullopt;
        });
        REQUIRE(call.error == "");
        ToolCallEvent event;
        event.id = "call_1";
        event.tool = std::move(call.tool);
        event.arguments.text = std::move(call.arguments);
        event.inner = std::move(call.inner);
        return event;
    }
    ToolOutputEvent run(ToolCallEvent event) { return testing::await(call_tool(ctx, std::move(event), tools)); }
    ToolOutputEvent run(std::string_view text) { return run(event(text)); }
};
/// A tool that returns the key of its call.
class Keyed final : public tools::ContextTool {
public:
    const std::string& name() const override { return name_; }
    const std::string& description() const override { return name_; }
    const nlohmann::json& schema() const override { return schema_; }
    using ContextTool::call;
    awaitable<tools::Observation> call(const nlohmann::json& arguments, tools::ToolContext& context) override {
        tools::Observation observation;
        observation.text = "[" + context.key() + "]" + arguments.value("text", "");
        co_return observation;
    }

private:
    const std::string name_ = "keyed";
    const nlohmann::json schema_ = {{"type", "object"}, {"properties", {{"text", {{"type", "string"}}}}}};
};
}

TEST_CASE("a tool gets the key of its call, and calls in the arguments have their own keys") {
    Desk desk;
    desk.tools.add(std::make_shared<Keyed>());
    const auto keyed = [&desk](std::string_view text, std::string key) {
        auto event = desk.event(text);
        return testing::await(
                   call_tool_with_key(desk.ctx, std::move(event), desk.tools, usual_options(), std::move(key)))
            .output;
    };

    CHECK(keyed("keyed()", "run 1/7") == "[run 1/7]");
    CHECK(keyed("keyed(keyed(keyed()))", "run 1/7") == "[run 1/7][run 1/7/2][run 1/7/1]");
    CHECK(keyed("keyed(keyed())", "") == "[][]");
}
TEST_CASE("a tool's request to a model has the key of the tool's call") {
    Desk desk;
    AskedModel model([](auto&) { return say("Paris."); });
    desk.tools.add(llm_tool(model));
    auto event = desk.event("llm_tool(show(\"The capital of France\"))");

    const auto output = testing::await(
        call_tool_with_key(desk.ctx, std::move(event), desk.tools, usual_options(), "run 1/7"));

    CHECK(output.output == "Paris.");
    REQUIRE(model.requests.size() == 1);
    CHECK(model.requests[0].key == "run 1/7");
}
// shows D-08
TEST_CASE("calls in the arguments run first, and their results replace them") {
    Desk desk;
    const auto output = desk.run("divide(add(multiply(465, 321), b=95297), 13.2)");

    CHECK(output.output == "18527.424242424244");
    CHECK(output.ok);
    CHECK(output.arguments.text == R"({"a":244562,"b":13.2})");
    REQUIRE(output.within.size() == 2);
    CHECK(output.within[0].call == "call_1.1");
    CHECK(output.within[0].tool == "multiply");
    CHECK(output.within[0].output == "149265");
    CHECK(output.within[1].arguments.text == R"({"a":149265,"b":95297})");
}
TEST_CASE("a result is a text where a text is required, else the value in it") {
    Desk desk;
    CHECK(desk.run("show(add(1, 2))").output == "3!");
    CHECK(desk.run("show(\"x\", times=add(1, 2))").output == "x!???");
    CHECK(desk.run("sum(list(), {})").output == "6.5");
    CHECK(desk.run("sum([1, add(1, 1)], {\"a/b~\": multiply(2, 3)})").output == "9");
    CHECK(desk.run("show(show(show(\"a\")))").output == "a!!!");
}
// shows B-A10: every call has exactly one observation
TEST_CASE("a failing call in the arguments makes the observation, which names it, and no further call runs") {
    Desk desk;
    const auto output = desk.run("show(divide(1, 0), times=add(1, 1))");

    CHECK(!output.ok);
    CHECK(output.output ==
          "Error: show was not called: divide among its arguments failed. Error: division by zero: b must not be 0");
    CHECK(desk.called.empty());
    CHECK(output.within.empty());

    CHECK(desk.run("show(nobody(1))")
              .output.starts_with(
                  "Error: show was not called: nobody among its arguments failed. Error: there is no tool 'nobody'"));
    CHECK(desk.run("add(1, show(\"x\"))").output.find("wrong arguments for add") != std::string::npos);
    CHECK(desk.run("add(1, show(\"x\"))").within.size() == 1);
}
TEST_CASE("texts resembling calls in arguments never run") {
    Desk desk;
    auto event = desk.event("show(\"show(\\\"x\\\")\")");
    CHECK(event.inner.empty());
    CHECK(desk.run(event).output == "show(\"x\")!");

    ToolCallEvent plain;  // from any other dialect
    plain.tool = "show";
    plain.arguments.text = R"x({"text": "add(1, 2)", "inner": [{"tool": "show", "into": 1, "place": "/text"}]})x";
    CHECK(desk.run(plain).output == "add(1, 2)!");
    CHECK(desk.called.size() == 2);
}
TEST_CASE("an event with unconnected calls is refused, and no call runs") {
    Desk desk;
    const auto refused = [&](auto change) {
        auto event = desk.event("show(show(\"x\"))");
        change(event);
        const auto output = desk.run(event);
        return !output.ok && desk.called.empty() && output.output.starts_with("Error: show was not called: ");
    };
    CHECK(refused([](auto& event) { event.inner[0].into = 7; }));
    CHECK(refused([](auto& event) { event.inner[0].into = -1; }));
    CHECK(refused([](auto& event) { event.inner[0].into = 0; }));
    CHECK(refused([](auto& event) { event.inner[0].place = "/other"; }));
    CHECK(refused([](auto& event) { event.inner[0].place = ""; }));
    CHECK(refused([](auto& event) { event.inner[0].place = "text"; }));
    CHECK(refused([](auto& event) { event.inner[0].arguments.text = "{"; }));
    CHECK(refused([](auto& event) { event.inner.resize(16, event.inner[0]); }));
    CHECK(refused([](auto& event) {
        event.inner.resize(8, event.inner[0]);
        for (int i = 0; i < 8; ++i) event.inner[static_cast<std::size_t>(i)].into = i + 1;
    }));
}
TEST_CASE("each call in the arguments is reported as an action and an observation, and is a source of the answer") {
    Agent agent;
    for (const auto& tool : tools::arithmetic()) agent.tools.add(tool);
    const FunctionDialect dialect(agent.tools);
    agent.dialect = &dialect;
    AskedModel model([](const models::ChatRequest& request) {
        const bool first = request.messages.back().content.find("<STEPS>") == std::string::npos;
        return say(first ? R"x({"action": "add(multiply(2, 3), 1)"})x" : R"x({"action": "finish(7)"})x");
    });

    const auto told = agent.ask(model, "2 * 3 + 1?");

    CHECK(told.result.response == "7");
    CHECK(told.names == std::vector<std::string>{"TurnEvent", "ActionEvent", "ActionEvent", "ObservationEvent",
                                                 "ObservationEvent", "TurnEvent", "AnswerEvent"});
    REQUIRE(told.observations.size() == 2);
    CHECK(told.observations[0].text == "6");
    CHECK(told.observations[0].id == "call_1.1");
    CHECK(told.observations[1].text == "7");
    REQUIRE(told.result.sources.size() == 2);
    CHECK(told.result.sources[0].tool == "multiply");
    CHECK(told.result.sources[1].arguments.text == R"({"a":6,"b":1})");
}
