// The readers of a model's replies: reflections, actions and their arguments, sub-questions, summaries.
#include "steps/agents/reflect/options.hpp"
#include "steps/agents/reflect/replies.hpp"
#include "tests/support/react.hpp"
#include "tools/make_tool.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::agents;
using nlohmann::json;

namespace {
std::string answer(std::string_view argument) {
    const auto action = read_action(R"({"request": "final_answer", "argument": )" + std::string(argument) + "}");
    return action.error.empty() ? action.argument.get<std::string>() : "refused: " + action.error;
}
tools::Registry some_tools() {
    tools::Registry tools;
    tools.add(tools::make_tool("now", "Tells the time.", [] { return std::string("noon"); }));
    tools.add(tools::make_tool("look", "Looks up a name.", [](std::string name) { return name; }, {"name"}));
    tools.add(tools::make_tool("add", "Adds.", [](double a, double b) { return a + b; }, {"a", "b"}));
    tools.add(tools::make_tool(
        "find", "Finds.",
        [](std::optional<int> limit, std::string word) { return word + std::to_string(limit.value_or(0)); },
        {"limit", "word"}));
    return tools;
}
}

// shows B-A13: reflections are read leniently
TEST_CASE("a reflection's label is optional, with any Markdown around it, and the whole text is kept") {
    for (const auto* reply : {"REFLECTION >> I look first.", "I look first.", "Reflection: I look first.",
                              "**REFLECTION >>** I look first.", "  reflection >>\nI look first.\n"})
        CHECK(read_reflection(reply) == "I look first.");
    CHECK(read_reflection("REFLECTION >> a >> b >> c") == "a >> b >> c");
    CHECK(read_reflection("One.\nREFLECTION >> Two.") == "One.\nREFLECTION >> Two.");
    CHECK(read_reflection("REFLECTIONS are good") == "REFLECTIONS are good");
    CHECK(read_reflection("") == "");
}
TEST_CASE("a stray section word at the end of a reflection is dropped, and a word of the text is not") {
    for (const auto* stray :
         {"\nACTION", " ACTION >>", "\n\nFINAL ANSWER", "\n**ACTION:**", "\nFINAL ANSWER >> \n", "\nACTION\nARGUMENT"})
        CHECK(read_reflection("REFLECTION >> I list the tables." + std::string(stray)) == "I list the tables.");
    CHECK(read_reflection("It needs ACTION") == "It needs ACTION");
    CHECK(read_reflection("This is a REACTION") == "This is a REACTION");
    CHECK(read_reflection("ACTION") == "");
}
TEST_CASE("an observation of the model's own invention is cut, and a long reflection is bounded") {
    CHECK(read_reflection("I look.\nOBSERVATION >> a dragon\nSo it is a dragon.") == "I look.");
    CHECK(read_reflection(std::string(100'000, 'x')).size() < 9000);
}
// shows A-11: an action is an object of `request` and `argument`
// shows B-A14
TEST_CASE("an action is an object of request and argument; an absent argument is null, and structure is kept") {
    auto action = read_action(R"(I choose {"request": "look", "argument": "ORDERS"}.)");
    CHECK(action.error == "");
    CHECK(action.request == "look");
    CHECK(action.argument == "ORDERS");
    CHECK(read_action(R"({"request": "now"})").argument.is_null());
    CHECK(read_action(R"({"request": " now ", "argument": null, "thought": "x"})").request == "now");
    CHECK(read_action(R"({"request": "add", "argument": {"a": 1, "b": [2]}})").argument ==
          json::parse(R"({"a":1,"b":[2]})"));
    CHECK(read_action(R"({"request": "add", "argument": 5})").argument == 5);
}
// shows A-14
TEST_CASE("an invalid action is an error that names the missing part") {
    CHECK(read_action(R"({"action": "look", "argument": "x"})").error ==
          "the JSON object has no \"request\"; its keys are: action, argument");
    CHECK(read_action(R"({"request": 5})").error == "\"request\" has to be the name of a tool or of an action");
    CHECK(read_action(R"({"request": ""})").error == "\"request\" has to be the name of a tool or of an action");
    CHECK(read_action("{\"request\": \"" + std::string(200, 'x') + "\"}").error ==
          "\"request\" is too long to be a name");
    CHECK(read_action("I would list the tables.").error == "there is no JSON object in the reply");
    CHECK(read_action(" \n").error == "the reply is empty");
}
// shows B-A20: an empty final answer is refused
// shows A-10
TEST_CASE("a final answer is a text; null and an empty text are refused") {
    CHECK(answer(R"("It is 34.")") == "It is 34.");
    CHECK(answer("34") == "34");
    CHECK(answer("0") == "0");
    CHECK(answer("false") == "false");
    CHECK(answer(R"({"answer": "34"})") == "34");
    for (const auto* nothing : {"null", "\"\"", "\"  \\n\"", "{}", "[]", R"({"answer": null})"})
        CHECK(answer(nothing) ==
              "refused: final_answer needs the answer itself as its argument, as a text that is not empty");
}
// shows A-09
TEST_CASE("a decomposition may name its question, or leave it out") {
    CHECK(read_action(R"({"request": "decomposition", "argument": "Why?"})").argument == "Why?");
    CHECK(read_action(R"({"request": "decomposition", "argument": {"question": "Why?"}})").argument == "Why?");
    CHECK(read_action(R"({"request": "decomposition"})").argument.is_null());
    CHECK(!read_action(R"({"request": "decomposition", "argument": ["a", "b"]})").error.empty());
}
// shows A-05, A-06, A-07, A-08
TEST_CASE("an argument becomes the object for the call of the tool") {
    const auto tools = some_tools();
    const auto of = [&](const char* tool, const json& argument) {
        return arguments_for(tools.find(tool), argument).dump();
    };
    CHECK(of("now", nullptr) == "{}");
    CHECK(of("now", "anything") == "{}");
    CHECK(of("look", "ORDERS") == R"({"name":"ORDERS"})");
    CHECK(of("look", {{"name", "ORDERS"}}) == R"({"name":"ORDERS"})");
    CHECK(of("look", R"({"name": "ORDERS"})") == R"({"name":"ORDERS"})");
    CHECK(of("look", "{ORDERS}") == R"({"name":"{ORDERS}"})");
    CHECK(of("look", R"({"other": 1})") == R"({"name":"{\"other\": 1}"})");
    CHECK(of("add", R"({'a': 1, 'b': 2})") == R"({"a":1,"b":2})");
    CHECK(of("add", 5) == R"({"a":5})");
    CHECK(of("find", "x") == R"({"word":"x"})");
    CHECK(of("nothing", "x") == R"({"argument":"x"})");
    CHECK(of("nothing", nullptr) == "{}");
}
// shows A-16: sub-questions are answered in order, each with the answers before it
// shows A-15
TEST_CASE("sub-questions are a list of texts, each once") {
    const auto read = read_sub_questions("Of course:\n```\n{\"sub_questions\": [\" a? \", 'b?', \"a?\"]}\n```");
    CHECK(read.error == "");
    CHECK(read.sub_questions == std::vector<std::string>{"a?", "b?"});
    for (const auto* bad : {R"({"sub_questions": []})", R"({"sub_questions": "a?"})", R"({"sub_questions": [1]})",
                            R"({"sub_questions": [""]})", R"({"questions": ["a?"]})", "a? b?", ""}) {
        INFO(bad);
        CHECK(!read_sub_questions(bad).error.empty());
        CHECK(read_sub_questions(bad).sub_questions.empty());
    }
    const json many = {{"sub_questions", std::vector<std::string>(51, "a?")}};
    CHECK(read_sub_questions(many.dump()).error == "these are too many sub-questions");
    const json longest = {{"sub_questions", {std::string(3000, 'a')}}};
    CHECK(read_sub_questions(longest.dump()).error == "a sub-question is longer than 2000 bytes");
}
// shows A-18
TEST_CASE("a summary is a text with at least one character") {
    CHECK(read_summary("Here: {\"summary\": \" All is well. \"}").summary == "All is well.");
    for (const auto* bad : {R"({"summary": ""})", R"({"summary": null})", R"({"sum": "x"})", "All is well."})
        CHECK(!read_summary(bad).error.empty());
}
