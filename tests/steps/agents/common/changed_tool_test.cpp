// Tools whose description has changed since their approval was requested; servers may change it at any time.
#include "steps/agents/common/approvals.hpp"
#include "tests/support/reflect.hpp"
#include "tests/support/tool_agent.hpp"
#include "tools/changing.hpp"
#include "tools/wrapper.hpp"
#include <doctest/doctest.h>
using namespace test;
using nlohmann::json;

namespace {
/// A tool of a server, which may change its description at any time.
struct Foreign final : tools::ToolWrapper {
    explicit Foreign(std::shared_ptr<tools::Tool> tool) : ToolWrapper(std::move(tool)) {}
    std::string version() const override { return now; }
    std::string change() const override { return now == accepted ? "" : "it is now " + now; }
    void accept(const std::string& version) override { accepted = version; }
    std::string now = "one", accepted = "one";
};
struct Changing {
    std::vector<std::string> log;
    Context ctx;
    tools::Registry tools;
    std::shared_ptr<Foreign> tool;
    Changing() {
        auto pay = std::make_shared<FunctionTool>("pay", [this](const json& arguments) {
            log.push_back(arguments.dump());
            return tools::Observation{"paid"};
        });
        tool = std::make_shared<Foreign>(tools::changing(std::move(pay)));
        tools.add(tool);
    }
    auto ask() { return ask_for_approvals(ctx, {call()}, tools); }
    /// Returns the calls, or none if there is a new question.
    std::vector<ToolCallEvent> hear(Decision decision) {
        ToolApprovalEvent answer;
        answer.decision = decision;
        answer.arguments.text = "{}";
        auto next = hear_approvals(ctx, {std::move(answer)}, tools);
        if (auto* again = std::get_if<0>(&next)) mistake = again->at(0).mistake;
        auto* calls = std::get_if<1>(&next);
        return calls ? std::move(*calls) : std::vector<ToolCallEvent>();
    }
    std::string mistake;
    static ToolCallEvent call() {
        ToolCallEvent one;
        one.id = "call_1";
        one.tool = "pay";
        one.arguments.text = "{}";
        return one;
    }
};
}
TEST_CASE("an approval of a changed tool accepts only the change that was shown") {
    for (const auto decision : {Decision::approve, Decision::edit, Decision::always, Decision::reject}) {
        Changing world;
        world.tool->now = "two";
        const auto questions = world.ask();
        REQUIRE(questions.size() == 1);
        CHECK(questions[0].why == "it is now two");
        CHECK(questions[0].fingerprint == world.tools.fingerprint("pay"));
        CHECK(world.tool->accepted == "one");  // the question itself accepts nothing
        world.hear(decision);
        CHECK(world.tool->accepted == (decision == Decision::reject ? "one" : "two"));
    }
}
TEST_CASE("an approval does not cover changes of a tool while a human looks at it") {
    for (const auto decision : {Decision::approve, Decision::always}) {
        Changing world;
        world.tool->now = "two";
        REQUIRE(world.ask().size() == 1);
        world.tool->now = "three";
        CHECK(world.hear(decision).empty());
        CHECK(world.mistake.find("have changed since you were asked") != std::string::npos);
        CHECK(world.tool->accepted == "one");
        CHECK(world.hear(decision).size() == 1);  // now the description is accepted
        CHECK(world.tool->accepted == "three");
    }
}
TEST_CASE("a stored approval does not cover the changed tool of another process") {
    for (const auto decision : {Decision::approve, Decision::edit, Decision::always}) {
        Changing world;
        REQUIRE(world.ask().size() == 1);
        world.tool->now = world.tool->accepted = "two";  // known there only in this form
        CHECK(world.hear(decision).empty());
        CHECK(world.hear(Decision::reject).size() == 1);
    }
}
TEST_CASE("a tool allowed for a run needs a new approval when it has changed") {
    Changing world;
    REQUIRE(world.ask().size() == 1);
    world.hear(Decision::always);
    CHECK(world.ask().empty());
    world.tool->now = "two";
    const auto output = testing::await(call_tool(world.ctx, Changing::call(), world.tools));
    CHECK_FALSE(output.ran);
    CHECK(output.output == "Error: pay was not called, because it is now two. Call it again by itself, and a person "
                           "is asked to approve it.");
    CHECK(world.ask().size() == 1);
    CHECK(world.log.empty());
    world.tools.accept("pay", world.tools.fingerprint("pay"));  // allowed in another form in another run
    CHECK(world.ask().size() == 1);
}
