// Decorated replies of small models: an unambiguous one runs, and the model gets a note of ignored text.
#include "steps/agents/react/dialects/text_parser.hpp"
#include "tests/support/bare_tools.hpp"
#include "tests/support/function_reply.hpp"
#include <doctest/doctest.h>
using namespace weft::agents;

namespace {
Reply parse(std::string_view text, const Grammar& grammar = react_grammar,
            const weft::tools::Registry* tools = &test::bare_tools()) {
    TextParser parser(grammar, tools);
    parser.feed(text);
    return parser.finish();
}
void is_call(std::string_view text, std::string_view tool, std::string_view input,
             const Grammar& grammar = react_grammar, const weft::tools::Registry* tools = &test::bare_tools()) {
    const auto r = parse(text, grammar, tools);
    INFO(text, "|", r.error, "|", r.action, "|", r.action_input);
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.action == tool);
    CHECK(r.action_input == input);
}
void is_error(std::string_view text, std::string_view error, const Grammar& grammar = react_grammar,
              const weft::tools::Registry* tools = &test::bare_tools()) {
    const auto r = parse(text, grammar, tools);
    INFO(text, "|", r.error, "|", r.action_input);
    CHECK(r.kind == ReplyKind::error);
    CHECK(r.error.find(error) != std::string::npos);
    CHECK(r.note.empty());
}
constexpr auto sum = R"({"a":1,"b":2})";
constexpr auto product = R"({"expression":"4 * 7"})";
}

TEST_CASE("text after the object of an input is ignored in each dialect, and the reply has a note about it") {
    const std::string object = "{\"a\": 1, \"b\": 2}";
    for (const std::string rest : {" is what I want", "\nThis adds.", " {\"a\": 3}", "}", "\n}\n", "\n```",
                                   "\n```\nDone.", "\n{\"a\": 3, \"b\": 4}", " Observation: 3", "\n\xFF"}) {
        for (const auto* grammar : {&react_grammar, &langchain_grammar}) {
            const auto text = "Action: add\nAction Input: " + object + rest;
            is_call(text, "add", sum, *grammar);
            CHECK(parse(text, *grammar).note ==
                  "the text behind the JSON object of the Action Input was ignored. Write nothing after that object.");
        }
        const auto line = "Action: add: " + object + rest;
        is_call(line, "add", sum, pause_grammar);
        CHECK(parse(line, pause_grammar).note ==
              "the text behind the JSON object of the argument was ignored. Write nothing after that object.");
    }
    is_call("Action: calculate\nAction Input: ```json\n{\"expression\": \"4 * 7\"}\n```\nThat is it.", "calculate",
            product, langchain_grammar);
}
TEST_CASE("a complete input gets no note, even in a fence or before a comment") {
    for (const auto* text :
         {"Action: add\nAction Input: {\"a\": 1, \"b\": 2}",
          "```\nAction: add\nAction Input: {\"a\": 1, \"b\": 2}\n```",
          "Action: add\nAction Input: ```json\n{\"a\": 1, \"b\": 2}\n```",
          "**Action: add**\n**Action Input: {a: 1, b: 2}**",
          "Action: add\nAction Input: {\"a\": 1, \"b\": 2} // one and two",
          "Action: add\nAction Input: {\"a\": 1, \"b\": 2}\n\nThought: then\nAction: half\nAction Input: 3"}) {
        is_call(text, "add", sum);
        CHECK(parse(text).note.empty());
    }
    CHECK(parse("Action: calculate: 4 * 7\nPAUSE", pause_grammar).note.empty());
}
TEST_CASE("an invented observation after an ignored rest is cut, and never runs") {
    const auto r = parse("Action: add\nAction Input: {\"a\": 1, \"b\": 2} gives\n\xEF\xBB\xBFObservation: 9\n"
                         "Action: half\nAction Input: {\"number\": 9}\nAnswer: 9");
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.action_input == sum);
    CHECK(r.invented);
    CHECK(r.ignored == 0);
    CHECK(r.text == "Action: add\nAction Input: {\"a\": 1, \"b\": 2} gives");
    CHECK(parse("Action: calculate\n4 * 7\n\\Observation: 28\nAnswer: 28").invented);
}
TEST_CASE("an input written as a call of its own tool is the text in the parentheses") {
    for (const auto* input :
         {"add({\"a\": 1, \"b\": 2})", "add(a=1, b=2)", "add(1, b=2)", "add( {'a': 1, 'b': 2,} )", "`add(a=1, b=2)`",
          "```python\nadd(a=1, b=2)\n```", "add({\"a\": 1, \"b\": 2});", "add(a=1, b=2)\nThis adds."}) {
        is_call(std::string("Action: add\nAction Input: ") + input, "add", sum);
        is_call(std::string("Action: add\nAction Input: ") + input, "add", sum, langchain_grammar);
        is_call(std::string("Action: add: ") + input, "add", sum, pause_grammar);
    }
    is_call("Action: weather\nAction Input: weather(city=\"Rome\")", "weather", R"({"city":"Rome"})", react_grammar,
            nullptr);
    is_call("Action: list-notes\nAction Input: list-notes()", "list-notes", "{}");
    for (const auto* grammar : {&react_grammar, &langchain_grammar}) {
        is_call("Action: calculate\nAction Input: calculate(4 * 7)", "calculate", product, *grammar);
        is_call("Action: calculate\nAction Input: calculate(\"4 * 7\")", "calculate", product, *grammar);
        is_call("Action: calculate\nAction Input: calculate(expression='4 * 7')", "calculate", product, *grammar);
        is_call("Action: calculate\nAction Input: calculate((1 + 2) * (3))", "calculate",
                R"x({"expression":"(1 + 2) * (3)"})x", *grammar);
    }
    CHECK(!parse("Action: add\nAction Input: add({\"a\": 1, \"b\": 2}) is 3").note.empty());
    CHECK(!parse("Action: add\nAction Input: add(a=1, b=2)\nThis adds.").note.empty());
}
TEST_CASE("an input with a call of another tool, or an unclosed or repeated call, is refused") {
    is_error("Action: add\nAction Input: sub(a=1, b=2)", "must be a JSON object");
    is_error("Action: add\nAction Input: add(a=1, b=2", "the parenthesis that begins here is not closed");
    is_error("Action: add\nAction Input: add({\"a\": 1, \"b\": 2}", "does not end behind it");
    is_error("Action: add\nAction Input: add({\"a\": 1}, {\"b\": 2})", "does not end behind it");
    is_error("Action: add\nAction Input: add({\"a\": 1", "is not closed");
    is_error("Action: add\nAction Input: add(a=1, b=half(4))", "an argument is a call of half: make that call first");
    is_error("Action: add\nAction Input: add(a=1, b=2) + add(a=3, b=4)", "there is more behind the call");
    is_error("Action: add\nAction Input: add(a=1, a=2)", "a is given twice");
    is_error("Action: add\nAction Input: add(1, 2)", "the values have no names", react_grammar, nullptr);
    for (const auto* grammar : {&react_grammar, &langchain_grammar}) {
        is_error("Action: calculate\nAction Input: calculate(1) + calculate(2)", "there is more behind the call",
                 *grammar);
        is_call("Action: calculate\nAction Input: calculate(expression: \"1\")", "calculate", R"({"expression":"1"})",
                *grammar);
        is_error("Action: calculate\nAction Input: calculate(\"1\"", "is not closed", *grammar);
    }
    is_call("Action: find: find (milk) now", "find", R"x({"text":"find (milk) now"})x", pause_grammar);
}
TEST_CASE("characters that may belong to an object or a text are not taken for trailing text") {
    for (const std::string input :
         {R"({"a": 1}, "b": 2})", "{\"a\": 1},\n{\"b\": 2}", R"({'a': 'all of {'x'} and b = 1'})",
          R"({"a": "a brace is "}" in C"})", R"({'a': 'SELECT '}', b FROM t'})", "add({'a': 'x {'y'}) z'})"}) {
        is_error("Action: add\nAction Input: " + input, "");
        is_error("Action: add\nAction Input: " + input, "", langchain_grammar);
        is_error("Action: add: " + input, "", pause_grammar);
    }
    CHECK(test::read_function_reply("{'action': 'list()', 'thought': 'so {'a'}', 'x': 1}").kind == ReplyKind::error);
    is_call(R"(Action: find
Action Input: {"text": "x"} as in {"text": "y"}, isn't it)",
            "find", R"({"text":"x"})");
}
TEST_CASE("backslashes are refused when some begin an escape and some do not") {
    const std::string call = "Action: find\nAction Input: ";
    for (const auto* text : {R"(C:\Users\new)", R"(\b\d+)", R"(C:\temp\data)"}) {
        is_error(call + "{\"text\": \"" + text + "\"}", "write each backslash that is meant as such as");
        is_error(call + "{'text': '" + text + "'}", "write each backslash that is meant as such as");
    }
    is_call(call + R"({"text": "C:\Users\data"})", "find", R"({"text":"C:\\Users\\data"})");
    is_call(call + R"({"text": "C:\\Users\n"})", "find", R"({"text":"C:\\Users\n"})");
    is_call(call + "{'text': 'the dogs' // a'\n}", "find", R"({"text":"the dogs' // a"})");
}
TEST_CASE("an action without an input line takes the text on the next line, if its tool takes one text") {
    for (const auto* grammar : {&react_grammar, &langchain_grammar}) {
        is_call("Thought: x\nAction: calculate\n4 * 7", "calculate", product, *grammar);
        is_call("Action: calculate\n`4 * 7`\nObservation: 28", "calculate", product, *grammar);
        is_call("Action:\ncalculate\n\n\"4 * 7\"\n\n", "calculate", product, *grammar);
        is_call("Action: calculate\n```\n4 * 7\n```", "calculate", product, *grammar);
        is_error("Action: calculate\n4 *\n7", "the Action has no Action Input", *grammar);
        is_error("Action: calculate\n4 * 7\nThat is it.", "the Action has no Action Input", *grammar);
        is_call("Action: calculate\n4 * 7\n- Observation: 28", "calculate", product, *grammar);
        is_error("Action: calculate\nExpression: 4 * 7", "the Action has no Action Input", *grammar);
        is_call("Action: calculate(\"4 * 7\")\nThat is it.", "calculate", product, *grammar);
        is_call("Action: add\n{\"a\": 1, \"b\": 2}", "add", sum, *grammar);
        is_error("Action: calculate\n4 * 7\n \nThat is it.", "the Action has no Action Input", *grammar);
        is_error("Action: add\n1, 2", "the Action has no Action Input", *grammar);
        is_error("Action: half\n5", "the Action has no Action Input", *grammar);
        is_error("Action: weather\nRome", "the Action has no Action Input", *grammar);
        is_error("Action: calculate", "the Action has no Action Input", *grammar);
        is_error("Action: add\n{\"a\": 1", "is not closed", *grammar);
    }
    is_error("Action: calculate\n4 * 7", "the Action has no Action Input", react_grammar, nullptr);
    is_call("Action: calculate\n4 * 7\nAction Input: {\"expression\": \"1\"}", "calculate", R"({"expression":"1"})");
}
TEST_CASE("a byte order mark or a stray backslash before a label does not hide it") {
    for (const std::string mark : {"\xEF\xBB\xBF", "\\", "\\ ", " \xEF\xBB\xBF**", "\xEF\xBB\xBF\xEF\xBB\xBF> "}) {
        is_call(mark + "Action: add\n" + mark + "Action Input: {\"a\": 1, \"b\": 2}", "add", sum);
        is_call(mark + "Action: calculate: 4 * 7\n" + mark + "PAUSE\nmore", "calculate", product, pause_grammar);
        CHECK(parse(mark + "Thought: x\n" + mark + "Answer: 42").answer == "42");
        CHECK(parse(mark + "Answer: 42\n" + mark + "Observation: 43").answer == "42");
    }
    is_call("Action: add\nAction\\_Input: {\"a\": 1, \"b\": 2}", "add", sum);
    CHECK(parse("\xEF\xBB\xBFParis.").answer == "Paris.");
    CHECK(parse("\\begin{x}: 1").answer == "\\begin{x}: 1");
    CHECK(parse("\xEF\xBBx").answer == "\xEF\xBF\xBDx");
}
TEST_CASE("the function-call dialect reads decorated objects and texts, too") {
    using test::read_function_reply;
    for (const auto* text : {"{{\"action\": \"add(a=1, b=2)\"}}", "{'thought': 'it's a sum' 'action': 'add(1, 2)'}",
                             "{\"thought\": \"C:\\Users\"\n \"action\": \"add(1, 2)\"}} done",
                             "\xEF\xBB\xBF{\"action\": \"\"\"add(1, 2)\"\"\"}"}) {
        const auto r = read_function_reply(text);
        INFO(text, "|", r.error);
        CHECK(r.action_input == sum);
    }
    CHECK(read_function_reply(R"x({"action": "finish('it's \\d in C:\\Users')"})x").answer == R"(it's \d in C:\Users)");
    CHECK(read_function_reply(R"x({"action": "finish('a' if x else 'b')"})x").kind == ReplyKind::error);
}
