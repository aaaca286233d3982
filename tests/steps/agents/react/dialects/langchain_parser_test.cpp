// The langchain dialect's parser of replies, which continue a thought.
#include "steps/agents/react/dialects/langchain_dialect.hpp"
#include "tests/support/bare_tools.hpp"
#include <doctest/doctest.h>
using namespace weft::agents;

namespace {
Reply parse(std::string_view text) {
    const LangchainDialect dialect(test::bare_tools());
    const auto parser = dialect.parser();
    parser->feed(text, {});
    return parser->finish({});
}
void is_call(std::string_view text, std::string_view tool, std::string_view input) {
    const auto r = parse(text);
    INFO(text, "|", r.error, "|", r.action, "|", r.action_input, "|", r.thought);
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.action == tool);
    CHECK(r.action_input == input);
    CHECK(r.thought == "I calculate.");
}
void is_error(std::string_view text, std::string_view error) {
    const auto r = parse(text);
    INFO(text, "|", r.error);
    CHECK(r.kind == ReplyKind::error);
    CHECK(r.error.find(error) != std::string::npos);
    CHECK(!r.unlabelled);
}
constexpr auto product = R"({"expression":"4 * 7"})";
}

// shows L-10
TEST_CASE("a reply continues its thought, with or without repeating the label") {
    is_call(" I calculate.\nAction: calculate\nAction Input: 4 * 7", "calculate", product);
    is_call("Thought: I calculate.\nAction: calculate\nAction Input: {\"expression\": \"4 * 7\"}", "calculate",
            product);
    is_call("**Thought:** I calculate.\n**Action:** `calculate`\n**Action Input:** `4 * 7`\n", "calculate", product);
    is_call("I calculate.\n\nAction: calculate\nAction Input: ```\n4 * 7\n```", "calculate", product);
    is_call("I calculate.\nAction: calculate\nAction Input: \"4 * 7\"\nObservation: 28\nFinal Answer: 28", "calculate",
            product);
    is_call("I calculate.\nAction: add\nAction Input: {'a': 1, 'b': 2,}", "add", R"({"a":1,"b":2})");
    is_call("I calculate.\nAction: list-notes\nAction Input: None", "list-notes", "{}");
    is_call("I calculate.\nAction: weather\nAction Input: in Rome", "weather", R"({"input":"in Rome"})");
}
TEST_CASE("Final Answer ends the reply, and takes all following text") {
    const auto r = parse(" I now know.\nFinal Answer: 28,\n\nwhich is\nAction: four times seven.");
    CHECK(r.kind == ReplyKind::answer);
    CHECK(r.thought == "I now know.");
    CHECK(r.answer == "28,\n\nwhich is\nAction: four times seven.");
    CHECK(parse("Final Answer: 28\nObservation: yes").answer == "28");
}
// shows B-L06: a reply that cannot be followed is never an answer
TEST_CASE("text without an action or an answer is a thought, and never an answer by itself") {
    is_error("The capital of Spain is Madrid.",
             "there is a Thought, but neither an Action nor a Final Answer after it");
    is_error("", "the reply is empty");
    is_error("Observation: 28\nFinal Answer: 28", "the reply is empty");
    is_error("x\nFinal Answer:", "the Final Answer is empty");
    CHECK(parse("Madrid.").thought == "Madrid.");
}
// shows L-13
TEST_CASE("an unusable action of langchain is an error with the cure") {
    is_error("x\nAction: calculate", "the Action has no Action Input");
    is_error("x\nAction:\nAction Input: 1", "the Action names no tool");
    is_error("x\nAction Input: 1", "without an Action");
    is_error("x\nAction: add\nAction Input: 1, 2", "the Action Input cannot be read: the input must be a JSON object");
    is_error("x\nAction: calculate\nAction Input: {\"expression\": 1", "is not closed");
}
// shows B-W06: the first of several actions runs, and the model learns of the others
TEST_CASE("the first of several langchain actions runs, and the others are counted") {
    const auto r = parse("x\nAction: calculate\nAction Input: 1\nThought: then\nAction: half\nAction Input: 2\n"
                         "Final Answer: 3");
    CHECK(r.action == "calculate");
    CHECK(r.action_input == R"({"expression":"1"})");
    CHECK(r.ignored == 2);
}
