// The pause dialect's parser of replies: an action in one line, and PAUSE.
#include "steps/agents/react/dialects/pause_dialect.hpp"
#include "tests/support/bare_tools.hpp"
#include <doctest/doctest.h>
using namespace weft::agents;

namespace {
Reply parse(std::string_view text) {
    const PauseDialect dialect(test::bare_tools());
    const auto parser = dialect.parser();
    parser->feed(text, {});
    return parser->finish({});
}
void is_call(std::string_view text, std::string_view tool, std::string_view input, int ignored = 0) {
    const auto r = parse(text);
    INFO(text, "|", r.error, "|", r.action, "|", r.action_input);
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.action == tool);
    CHECK(r.action_input == input);
    CHECK(r.ignored == ignored);
}
void is_error(std::string_view text, std::string_view error) {
    const auto r = parse(text);
    INFO(text, "|", r.error);
    CHECK(r.kind == ReplyKind::error);
    CHECK(r.error.find(error) != std::string::npos);
    CHECK(!r.unlabelled);
}
constexpr auto product = R"({"expression":"15 * 25"})";
}

// shows W-02
TEST_CASE("an action is a line with a name and the rest of the line") {
    const auto r = parse("Thought: The action required is a calculation\nAction: calculate: 15 * 25\nPAUSE");
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.thought == "The action required is a calculation");
    CHECK(r.action == "calculate");
    CHECK(r.action_input == product);
    is_call("Action: calculate: a: b", "calculate", R"({"expression":"a: b"})");
    is_call("Action: get_country_capitals: United States\nPAUSE", "get_country_capitals",
            R"({"country":"United States"})");
}
// shows B-W05
TEST_CASE("the line of an action is found with any Markdown around it") {
    for (const auto* text : {"Action: calculate: 15 * 25\nPAUSE",
                             "  Action: calculate: 15 * 25\n  PAUSE",
                             "\tAction : calculate : 15 * 25 \n",
                             "**Action:** calculate: 15 * 25\n**PAUSE**",
                             "**Action: calculate: 15 * 25**\nPAUSE",
                             "**Action**: **calculate**: 15 * 25",
                             "Action: **calculate:** 15 * 25",
                             "`Action: calculate: 15 * 25`\n`PAUSE`",
                             "Action: `calculate: 15 * 25`",
                             "Action: `calculate`: `15 * 25`\nPAUSE",
                             "action: calculate(): 15 * 25",
                             "ACTION: 'calculate': \"15 * 25\"",
                             "> Action: calculate: 15 * 25\n> PAUSE",
                             "### Action: calculate: 15 * 25",
                             "Action:\ncalculate: 15 * 25\nPAUSE",
                             "Action:\n\n  calculate:\n15 * 25\nPAUSE",
                             "Action: calculate: 15 * 25 PAUSE",
                             "Action: calculate: 15 * 25\r\nPAUSE\r\n",
                             "```\nAction: calculate: 15 * 25\nPAUSE\n```",
                             "Action:\n```\ncalculate: 15 * 25\n```\nPAUSE",
                             "Action: calculate:\n```\n15 * 25\n```\nPAUSE",
                             "Action: calculate\n15 * 25\nPAUSE",
                             "Action: calculate\nAction Input: 15 * 25\nPAUSE",
                             "Action: calculate: {\"expression\": \"15 * 25\"}\nPAUSE",
                             "Action\xEF\xBC\x9A calculate\xEF\xBC\x9A 15 * 25\nPAUSE"})
        is_call(text, "calculate", product);
}
TEST_CASE("a name may have '-', and an argument several lines or none") {
    is_call("Action: list-notes\nPAUSE", "list-notes", "{}");
    is_call("Action: list-notes: \nPAUSE", "list-notes", "{}");
    is_call("Action: list-notes()\nPAUSE", "list-notes", "{}");
    is_call("Action: list-notes PAUSE", "list-notes", "{}");
    is_call("Action: list-notes", "list-notes", "{}");
    is_call("Action: calculate: 15 *\n 25\n\nPAUSE", "calculate", R"({"expression":"15 *\n 25"})");
    is_call("Action: calculate: 1\nThought: wait\nPAUSE", "calculate", R"({"expression":"1"})");
}
// shows B-W02
TEST_CASE("a name is not guessed, and an unknown one reaches the registry") {
    is_call("Action: my tool: x\nPAUSE", "my tool", R"({"input":"x"})");
}
// shows W-04: an answer ends the run, as does the limit of turns
// shows W-09
TEST_CASE("an answer ends before PAUSE") {
    for (const auto* text : {"Answer: Madrid.", "Thought: I know.\nAnswer: Madrid.\nPAUSE", "**Answer:** Madrid.",
                             "Answer: Madrid.\nPAUSE\nAction: calculate: 1", "Final Answer: Madrid.\nObservation: x"}) {
        const auto r = parse(text);
        INFO(text);
        CHECK(r.kind == ReplyKind::answer);
        CHECK(r.answer == "Madrid.");
    }
    CHECK(parse("Answer: Press Pause.\nPause\nPAUSED").answer == "Press Pause.\nPause\nPAUSED");
    is_error("Answer:\nPAUSE", "the Answer is empty");
}
TEST_CASE("text with neither Action nor Answer causes a reminder") {
    for (const auto* text : {"It is Madrid.", "Thought: It is Madrid.", "**Thought: It is Madrid.**\nPAUSE",
                             "It is Madrid.\nObservation: yes\nAnswer: Madrid"}) {
        const auto r = parse(text);
        INFO(text);
        CHECK(r.kind == ReplyKind::error);
        CHECK(r.unlabelled);
        CHECK(r.thought == "It is Madrid.");
        CHECK(r.error == "there is a Thought, but neither an Action nor an Answer after it");
    }
    is_error("", "the reply is empty");
    is_error("PAUSE", "the reply is empty");
    is_error("Observation: 4\nAnswer: 4", "the reply is empty");
}
TEST_CASE("PAUSE counts only in capitals, on its own line, and after an action") {
    is_call("Thought: I PAUSE here.\nPAUSE\nAction: calculate: 15 * 25\nPAUSE", "calculate", product);
    is_call("Action: calculate: pause\nPause\nPAUSE", "calculate", R"({"expression":"pause\nPause"})");
    is_call("Action: calculate: REPAUSE", "calculate", R"({"expression":"REPAUSE"})");
}
// shows B-W06
TEST_CASE("the first of several pause actions runs, and the others are counted, also after PAUSE") {
    is_call("Action: calculate: 15 * 25\nAction: half: 3\nAnswer: 1", "calculate", product, 2);
    is_call("Action: calculate: 15 * 25\nPAUSE\nAction: half: 3\nPAUSE\n", "calculate", product, 1);
}
// shows B-L03, B-W07
TEST_CASE("text after an invented observation is ignored") {
    const auto r = parse("Action: calculate: 15 * 25\nPAUSE\nObservation: 400\nAction: half: 400\nAnswer: 200");
    CHECK(r.action_input == product);
    CHECK(r.ignored == 0);
    CHECK(r.invented);
    CHECK(r.text == "Action: calculate: 15 * 25\nPAUSE");
    is_call("Action: calculate: 15 * 25\nPAUSE\nAnswer: 400", "calculate", product, 1);
}
TEST_CASE("an unusable action of pause is an error with the cure") {
    is_error("Action:\nPAUSE", "the Action names no tool");
    is_error("Action: : 4", "the Action names no tool");
    is_error("Action: calculate: {\"expression\": 4",
             "the argument cannot be read: the object that begins here is not");
    is_error("Action Input: 4", "without an Action");
}
