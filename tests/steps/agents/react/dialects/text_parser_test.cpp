// The react dialect's parser of replies: the grammar, its tolerance, and refused replies.
#include "steps/agents/react/dialects/text_parser.hpp"
#include <doctest/doctest.h>
using namespace weft::agents;

namespace {
Reply parse(std::string_view text) {
    TextParser parser;
    parser.feed(text);
    return parser.finish();
}
bool is_call(std::string_view text, std::string_view tool, std::string_view input, std::string_view thought = "sum") {
    const auto r = parse(text);
    INFO(r.error, "|", r.action, "|", r.action_input, "|", r.thought);
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.action == tool);
    CHECK(r.action_input == input);
    CHECK(r.thought == thought);
    return true;
}
bool is_answer(std::string_view text, std::string_view answer, std::string_view thought = "") {
    const auto r = parse(text);
    INFO(r.error, "|", r.answer, "|", r.thought);
    CHECK(r.kind == ReplyKind::answer);
    CHECK(r.answer == answer);
    CHECK(r.thought == thought);
    return true;
}
bool is_error(std::string_view text, std::string_view error) {
    const auto r = parse(text);
    INFO(r.error);
    CHECK(r.kind == ReplyKind::error);
    CHECK(r.error.find(error) != std::string::npos);
    return true;
}
constexpr auto args = R"({"a":1,"b":2})";
}

// shows L-11, L-13
TEST_CASE("an action and an answer are read") {
    is_call("Thought: sum\nAction: add\nAction Input: {\"a\": 1, \"b\": 2}", "add", args);
    is_answer("Thought: I know.\nAnswer: 42", "42", "I know.");
    is_answer("Thought: two\nlines\n\nAnswer: first\n\n  second \n", "first\n\n  second", "two\nlines");
}
TEST_CASE("a reply without any label is the answer, unchanged") {
    is_answer("  Paris.\n\nIt is in France.\n", "Paris.\n\nIt is in France.");
    is_answer("Here:\n```cpp\nint x;\n```\n", "Here:\n```cpp\nint x;\n```");
    is_answer("I said Action: and Answer: inside of a line.", "I said Action: and Answer: inside of a line.");
    is_answer("Note: no label", "Note: no label");
}
TEST_CASE("labels are found with any Markdown around them, and a thought needs none") {
    for (const auto* text : {
             "sum\nAction: add\nAction Input: {\"a\": 1, \"b\": 2}",
             "Thought:sum\nAction:add\nAction Input:{\"a\": 1, \"b\": 2}",
             "**Thought:** sum\n**Action:** add\n**Action Input:** {\"a\": 1, \"b\": 2}",
             "**Thought**: sum\n**Action**: `add`\n**Action Input**: `{\"a\": 1, \"b\": 2}`",
             "**Thought: sum**\n**Action: add**\n**Action Input: {\"a\": 1, \"b\": 2}**",
             "__Thought:__ sum\n__Action_Input__\nAction: add\nAction_Input: {\"a\": 1, \"b\": 2}",
             "   Thought: sum\n\tAction : add()\n  Action Input : {\"a\": 1, \"b\": 2}",
             "`Thought:` sum\n`Action:` \"add\"\n`Action Input:` {\"a\": 1, \"b\": 2}",
             "### Thought: sum\n### Action: add (two numbers)\n### Action Input:\n{\n \"a\": 1,\n \"b\": 2\n}\n",
             "> Thought: sum\n> Action: *add*\n> Action Input: {\"a\": 1, \"b\": 2}",
             "THOUGHT: sum\naction: add.\nACTION INPUT: {'a': 1, 'b': 2,}",
             "Thought: sum\r\nAction: add\r\nAction Input: {\"a\": 1, \"b\": 2}\r\n",
             ("Thought\xEF\xBC\x9A sum\nAction\xEF\xBC\x9A"
              "add\nAction Input\xEF\xBC\x9A{\"a\": 1, \"b\": 2}"),
             "```\nThought: sum\nAction: add\nAction Input: {\"a\": 1, \"b\": 2}\n```",
             "Thought: sum\n```\nAction: add\nAction Input: {\"a\": 1, \"b\": 2}\n```\n",
             "Thought: sum\nAction:\n```\nadd\n```\nAction Input:\n```json\n{\"a\": 1, \"b\": 2}\n```\n",
         }) {
        const auto r = parse(text);
        INFO(text, "|", r.error, "|", r.action, "|", r.thought);
        CHECK(r.kind == ReplyKind::action);
        CHECK(r.action == "add");
        CHECK(r.action_input == args);
        CHECK(r.thought.find("sum") == 0);
    }
    is_answer("**Thought:** easy\n**Final Answer:** 42", "42", "easy");
    is_answer("**Answer: 42**", "42");
    is_answer("**Answer:** **42** is *it*", "**42** is *it*");
    is_answer("Answer: **42**", "**42**");
    is_answer("```\nThought: x\nAnswer: 42\n```", "42", "x");
    is_answer("```\nAnswer: see\n```cpp\nint x;\n```\n```", "see\n```cpp\nint x;\n```");
    is_answer("Answer:\n```sql\nSELECT 1\n```", "```sql\nSELECT 1\n```");
}
TEST_CASE("the first Action or Answer at a line's start decides") {
    is_answer("Answer: do this:\nAction: jump\nThought: really\nAnswer: yes",
              "do this:\nAction: jump\nThought: really\nAnswer: yes");
    const auto r = parse("Action: add\nAction Input: {}\nAnswer: 42");
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.ignored == 1);
}
// shows B-W06
TEST_CASE("the first of several actions runs, and the others are counted") {
    const auto r = parse("Thought: both\nAction: add\nAction Input: {\"a\": 1}\nThought: then\nAction: sub\n"
                         "Action Input: {\"a\": 2}\nAction: mul\nAction Input: {}\nFinal Answer: 7");
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.action == "add");
    CHECK(r.action_input == R"({"a":1})");
    CHECK(r.thought == "both");
    CHECK(r.ignored == 3);
}
// shows B-L03
TEST_CASE("a reply is cut before an invented observation") {
    const auto r = parse("Thought: t\nAction: add\nAction Input: {\"a\": 1}\nObservation: 3\nThought: so\nAnswer: 3");
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.action_input == R"({"a":1})");
    CHECK(r.ignored == 0);
    CHECK(r.invented);
    CHECK(r.text == "Thought: t\nAction: add\nAction Input: {\"a\": 1}");
    is_answer("Answer: 3\n**Observation:** it is", "3");
    is_answer("Paris.\nObservation: sure", "Paris.");
    is_error("Observation: 42\nAnswer: 42", "the reply is empty");
    is_error("Thought: hm\nObservation: 42\nAnswer: 42", "neither an Action nor an Answer");
}
// shows L-07
TEST_CASE("an unusable reply is an error with the cure") {
    is_error("", "the reply is empty");
    is_error(" \n\t\r\n", "the reply is empty");
    is_error("Thought: I wonder", "neither an Action nor an Answer");
    is_error("Thought: t\nAction: add", "the Action has no Action Input");
    is_error("Action: add\nThought: oops\nAction Input: {}", "the Action has no Action Input");
    is_error("Action: add\nAnswer: 42", "the Action has no Action Input");
    is_error("Action:\nAction Input: {}", "the Action names no tool");
    is_error("Action Input: {}", "without an Action");
    is_error("Action Input: {}\nAction: add\nAction Input: {}", "without an Action");
    is_error("Thought: t\nAnswer:  \n", "the Answer is empty");
    is_error("Action: add\nAction Input: {\"a\": }", "the Action Input cannot be read: a value is expected here");
    is_error("Action: add\nAction Input: {\"a\": 1", "the object that begins here is not closed");
    is_error("Action: add\nAction Input: [{\"a\": 1}]", "the input must be a JSON object");
}
TEST_CASE("a tool's name is not guessed") {
    is_call("sum\nAction: my tool\nAction Input: {}", "my tool", "{}");
    is_call("sum\nAction: add, subtract\nAction Input:", "add, subtract", "{}");
    is_call("sum\nAction: add(1, 2)\nAction Input: None", "add", "{}");
}
TEST_CASE("a mark of reasoning in a reply is text") {
    is_answer("Answer: <think>no</think>", "<think>no</think>");
    is_answer("Paris. <think>no</think>", "Paris. <think>no</think>");
    is_answer("<thinking>hm</thinking>", "<thinking>hm</thinking>");
    is_answer("<", "<");
    is_answer("<think", "<think");
    is_answer("</think>Answer: 42", "</think>Answer: 42");
}
TEST_CASE("the last word of a reply is kept, whole or cut") {
    is_answer("Answer: 4\nAction", "4\nAction");
    is_error("Thought: x\nActi", "neither");
    is_answer("Answer: caf\xC3", "caf\xEF\xBF\xBD");
    is_answer("\xFF\xFE Answer: 4", "\xEF\xBF\xBD\xEF\xBF\xBD Answer: 4");
}
