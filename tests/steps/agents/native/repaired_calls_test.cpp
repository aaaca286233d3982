// Calls of the protocol, with names and arguments from observed models.
#include "steps/agents/native/repaired_calls.hpp"
#include "tests/support/tool_agent.hpp"
#include "tools/make_tool.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
const tools::Registry& registry() {
    static const auto tools = [] {
        tools::Registry all;
        all.add(tools::make_tool("math_sum", "", [](const std::string& of) { return of; }, {"of"}));
        all.add(tools::make_tool("half", "", [](double number) { return number / 2; }, {"number"}));
        all.add(tools::make_tool("a-b", "", [] { return std::string("x"); }));
        all.add(tools::make_tool("a_b", "", [] { return std::string("x"); }));
        return all;
    }();
    return tools;
}
/// Returns the name and arguments of each call in one text, which begins with ! if no call was repaired.
std::string mended(const std::string& name, const std::string& arguments) {
    std::vector<models::ToolCall> all = {{"c1", name, arguments}};
    std::string out = mend_calls(all, registry()) ? "" : "!";
    for (const auto& call : all) out += call.name + call.arguments;
    return out;
}
}

TEST_CASE("a call's arguments are repaired when they have only one meaning") {
    for (const auto* text :
         {R"({"of": "6*7")", R"({"of": "6*7"}})", R"({"of": "6*7"}</tool_call>)", "{'of': '6*7'}",
          "```json\n{\"of\": \"6*7\"}\n```", R"(<think>x</think>{"of": "6*7"})", R"({"arguments": {"of": "6*7"}})",
          R"({"name": "math_sum", "parameters": {"of": "6*7"}})", "{of: '6*7',}"}) {
        CAPTURE(std::string(text));
        CHECK(mended("math_sum", text) == R"(math_sum{"of":"6*7"})");
    }
}
TEST_CASE("a call's arguments stay unchanged when they are valid or ambiguous") {
    for (const auto* text : {R"({"of": "6*7"})", R"({"of": "6*)", R"({"of": )", "{", "", "[1]", R"({"no": "6*7")",
                             R"({"of": "1"}{"of": "2"})", R"({"of": 6)", R"({"arguments": {"no": 1}})", "6*7"})
        CHECK(mended("math_sum", text) == "!math_sum" + std::string(text));
    CHECK(mended("half", R"({"number": 4)") == R"(!half{"number": 4)");
    CHECK(mended("nobody", R"({"of": "6*7")") == R"(!nobody{"of": "6*7")");
}
TEST_CASE("a call's name is repaired when it matches one tool") {
    for (const auto* name : {"math_sumjson", "<function=math_sum>", "math_sum</function>", "Math_Sum", "math-sum"})
        CHECK(mended(name, R"({"of":"1"})") == R"(math_sum{"of":"1"})");
    CHECK(mended(R"x(math_sum({"of": "1"}))x", "{}") == R"(math_sum{"of":"1"})");
    CHECK(mended("A_B", "{}") == "!A_B{}");
    CHECK(mended("sum", "{}") == "!sum{}");
}
TEST_CASE("a call of several tools at once becomes several calls") {
    const std::string two = R"({"tool_uses": [{"recipient_name": "functions.math_sum", "parameters": {"of": "1"}},)"
                            R"({"recipient_name": "functions.half", "parameters": {"number": 4}}]})";
    CHECK(mended("multi_tool_use.parallel", two) == R"(math_sum{"of":"1"}half{"number":4})");
    CHECK(mended("multi_tool_use.parallel", "{}") == "!multi_tool_use.parallel{}");
}
TEST_CASE("a native agent runs a repaired call, and shows it repaired to the model") {
    NativeAgent agent;
    agent.add("twice", [](const nlohmann::json& a) { return tools::Observation{std::to_string(2 * a.value("n", 0))}; });
    auto reply = calls({{"c1", "twice", "{'n': 4}"}});
    reply.native = {"some", {"[]"}};
    AskedModel model([&reply, turn = 0](auto&) mutable { return turn++ ? say("8.") : reply; });
    const auto told = agent.ask(model);
    CHECK(told.result.response == "8.");
    REQUIRE(model.requests.size() == 2);
    const auto& messages = model.requests[1].messages;
    CHECK(messages.at(2).native.protocol.empty());
    CHECK(messages.at(2).calls.at(0).arguments == R"({"n":4})");
    CHECK(messages.at(3).content == "8");
}
