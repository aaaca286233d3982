// Actions of models in public reports: each reply runs, or the model gets the reason.
#include "steps/agents/react/dialects/text_parser.hpp"
#include "tests/support/bare_tools.hpp"
#include "tests/support/function_reply.hpp"
#include <doctest/doctest.h>
using namespace weft::agents;

namespace {
constexpr const Grammar* grammars[] = {&react_grammar, &langchain_grammar, &pause_grammar};
constexpr auto product = R"({"expression":"6*7"})";
constexpr auto sum = R"({"a":1,"b":2})";
Reply parse(std::string_view text, const Grammar& grammar = react_grammar,
            const weft::tools::Registry* tools = &test::bare_tools()) {
    TextParser parser(grammar, tools);
    parser.feed(text);
    return parser.finish();
}
void is_call(const std::string& text, std::string_view tool, std::string_view input, const Grammar& grammar) {
    const auto r = parse(text, grammar);
    INFO(text, "|", grammar.answer, "|", r.error, "|", r.action, "|", r.action_input, "|", r.answer);
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.action == tool);
    CHECK(r.action_input == input);
}
void is_call(const std::string& text, std::string_view tool, std::string_view input) {
    for (const auto* grammar : grammars) is_call(text, tool, input, *grammar);
}
void is_answer(const std::string& text, std::string_view answer, const Grammar& grammar = react_grammar) {
    const auto r = parse(text, grammar);
    INFO(text, "|", grammar.answer, "|", r.error, "|", r.action, "|", r.answer);
    CHECK(r.kind == ReplyKind::answer);
    CHECK(r.answer == answer);
}
std::string error(const std::string& text, const Grammar& grammar = react_grammar) {
    const auto r = parse(text, grammar);
    return r.kind == ReplyKind::error ? r.error : "no error: " + r.action + r.action_input + r.answer;
}
bool has(const std::string& text, std::string_view part) {
    INFO(text);
    CHECK(text.find(part) != std::string::npos);
    return true;
}
}

// crewAIInc/crewAI#4186, NVIDIA/NeMo-Agent-Toolkit#860, run-llama/LlamaIndexTS#858
TEST_CASE("an Action without a tool's name is ignored beside an Answer, before or after it") {
    for (const std::string none : {"None",
                                   "none.",
                                   "N/A",
                                   "n/a",
                                   "NA",
                                   "null",
                                   "-",
                                   "(none)",
                                   "[None]",
                                   "`None`",
                                   "\"None\"",
                                   "No action",
                                   "no action needed",
                                   "No tool is needed.",
                                   "None needed",
                                   "None required.",
                                   "Not needed",
                                   "not applicable",
                                   "None (direct response required)",
                                   "No further action is required",
                                   "no_action",
                                   "Nothing",
                                   "",
                                   "**None**",
                                   "None, as I know the answer",
                                   "None - I can answer directly",
                                   "\xE6\x97\xA0"})
        for (const auto* grammar : grammars) {
            is_answer("Thought: I know.\nAction: " + none + "\nAnswer: It is 42.", "It is 42.", *grammar);
            is_answer("Action: " + none + "\nAction Input: None\nThought: I know.\nFinal Answer: It is 42.",
                      "It is 42.", *grammar);
            is_answer("Action: " + none + "\nAction Input: {}\n\nAnswer: It is 42.", "It is 42.", *grammar);
            is_answer("**Action:** " + none + "\n**Answer:** It is 42.", "It is 42.", *grammar);
            is_answer("Answer: It is 42.\nAction: " + none, "It is 42.", *grammar);
            is_answer("Answer: It is 42.\n\n**Action:** " + none + "\n**Action Input:** None\n", "It is 42.", *grammar);
        }
    CHECK(parse("Action: None\nThought: I know.\nAnswer: 42").thought == "I know.");
    is_call("Action: None\nAction: calculate\nAction Input: {\"expression\": \"6*7\"}", "calculate", product);
}
TEST_CASE("an Action without a tool's name is a fault, unless an answer follows it") {
    for (const auto* grammar : grammars)
        for (const auto* text :
             {"Thought: x\nAction: None", "Action: N/A\nAction Input: None", "Action: None\nObservation: 4"})
            has(error(text, *grammar), "the Action names no tool, and there is no");
    is_answer("Thought: I know.\nAction: None\nAction Input: None\n\nIt is 42.", "It is 42.");
    has(error("Action: None\nIt is 42.", langchain_grammar), "there is no Final Answer");
    CHECK(error("Action:\nAction Input: {}").starts_with("the Action names no tool"));
}
TEST_CASE("a tool named None is called, and an answer keeps its lines") {
    weft::tools::Registry tools;
    tools.add(weft::tools::make_tool("None", "Does nothing.", [] { return std::string("done"); }));
    const auto r = parse("Action: None\nAction Input: {}\nAnswer: 42", react_grammar, &tools);
    CHECK(r.action == "None");
    CHECK(r.kind == ReplyKind::action);
    is_answer("Answer: The next steps are:\nAction: call them\nAction Input: none",
              "The next steps are:\nAction: call them\nAction Input: none");
    is_answer("Answer: one\nAction: None\nThen two.", "one\nAction: None\nThen two.");
    CHECK(parse("Action: nonesuch\nAction Input: {}").action == "nonesuch");
    CHECK(parse("Action: null_check\nAction Input: {}").action == "null_check");
}
// run-llama/llama_index#12455, crewAIInc/crewAI#949, alejandro-ao/crewai-crash-course#2,
// datawhalechina/hello-agents#127
TEST_CASE("a call on the line of the Action is run, with an empty Action Input, a repeated one, or none") {
    for (const std::string call : {"calculate ({\"expression\": \"6*7\"})",
                                   "calculate({\"expression\": \"6*7\"})",
                                   "calculate(expression=\"6*7\")",
                                   "calculate(\"6*7\")",
                                   "calculate(6*7)",
                                   "calculate {\"expression\": \"6*7\"}",
                                   "calculate: {\"expression\": \"6*7\"}",
                                   "calculate[6*7]",
                                   "calculate[\"6*7\"]",
                                   "calculate[{\"expression\": \"6*7\"}]",
                                   "calculate - {\"expression\": \"6*7\"}",
                                   "calculate with {\"expression\": \"6*7\"}",
                                   "functions.calculate({\"expression\": \"6*7\"})",
                                   "calculate(expression: '6*7')",
                                   "calculate (expression: \"6*7\")",
                                   "`calculate({\"expression\": \"6*7\"})`",
                                   "**calculate**({\"expression\": \"6*7\"})",
                                   "calculate, Action Input: {\"expression\": \"6*7\"}",
                                   "calculate Action Input: {\"expression\": \"6*7\"}",
                                   "calculate\nInput: {\"expression\": \"6*7\"}",
                                   "calculate\nTool Input: {\"expression\": \"6*7\"}",
                                   "calculate\nArguments: {\"expression\": \"6*7\"}",
                                   "calculate: 6*7",
                                   "calculate Input: 6*7",
                                   "[calculate]: {\"expression\": \"6*7\"}",
                                   "calculate({\n  \"expression\": \"6*7\"\n})",
                                   "calculate: ```json\n{\"expression\": \"6*7\"}\n```",
                                   "calculate\xEF\xBC\x9A{\"expression\": \"6*7\"}",
                                   "print(calculate(expression=\"6*7\"))",
                                   "calculate -> {\"expression\": \"6*7\"}"}) {
        is_call("Thought: x\nAction: " + call, "calculate", product);
        is_call("Action: " + call + "\nAction Input:", "calculate", product);
        is_call("Action: " + call + "\nAction Input: {}", "calculate", product);
        is_call("Action: " + call + "\nAction Input: {\"expression\": \"6*7\"}\nObservation: 41", "calculate", product);
    }
    is_call("Action: list-notes()\nAction Input: {}", "list-notes", "{}");
    is_call("Action: add(1, 2)", "add", sum);
    is_call("Action: add[{\"a\": 1, \"b\": 2}]", "add", sum);
    is_call("Action: get_country_capitals[Spain]", "get_country_capitals", R"({"country":"Spain"})");
}
TEST_CASE("a call of an unknown tool reaches the registry, and calls below the Action precede those in it") {
    is_call("Action: search({\"q\": 1})", "search", R"({"q":1})");
    is_call("Action: search[\"Rome\"]", "search", R"({"input":"[\"Rome\"]"})");
    is_call("Action: functions.search {\"q\": 1}", "search", R"({"q":1})");
    is_call("Action: search(Rome)", "search", R"x({"input":"(Rome)"})x");
    const auto r = parse("Action: calculate(\"6*7\")\nAction Input: {\"expression\": \"1\"}");
    CHECK(r.action_input == R"({"expression":"1"})");
    has(r.note, "the arguments on the line of the Action were ignored");
    has(error("Action: calculate(\"6*7\""), "is not closed");
    has(error("Action: calculate[6*7"), "is not closed");
}
TEST_CASE("a label is never run as a part of an input") {
    for (const auto* grammar : grammars) {
        const auto next = parse("Action: calculate\nExpression: 6*7", *grammar);
        CHECK(next.kind == ReplyKind::error);
        const auto other = parse("Action: find\nQuery: milk", *grammar);
        CHECK(other.kind == ReplyKind::error);
    }
    is_call("Action: get_country_capitals\nInput: Rome", "get_country_capitals", R"({"country":"Rome"})",
            langchain_grammar);
    is_call("Action: get_country_capitals\nInput: Rome", "get_country_capitals", R"({"country":"Rome"})",
            pause_grammar);
    is_call("Action: get_country_capitals\nAction Input: Action Input: Rome", "get_country_capitals",
            R"({"country":"Rome"})", langchain_grammar);
    is_call("Action: get_country_capitals: Input: Rome", "get_country_capitals", R"({"country":"Rome"})");
}
// crewAIInc/crewAI#6176
TEST_CASE("prose between the Action and its Action Input is ignored") {
    is_call("Action: calculate\nI will calculate it now.\nAction Input: {\"expression\": \"6*7\"}", "calculate",
            product);
}
TEST_CASE("prose after a complete object may begin with a comma or any other mark") {
    for (const std::string rest :
         {", which gives 42", ", as asked.", ". Then I stop.", "; done", " - that is it", ")", "!"})
        is_call("Action: calculate: {\"expression\": \"6*7\"}" + rest, "calculate", product);
    for (const std::string rest : {", \"b\": 2}", ", b: 2}", ", {\"b\": 2}", ","})
        CHECK(parse("Action: add\nAction Input: {\"a\": 1}" + rest).kind == ReplyKind::error);
}
// "Action: Final Answer" occurs when a prompt lists it among the actions: langchain-ai/langchain#15082
TEST_CASE("an answering Action is the answer") {
    for (const auto* grammar : grammars) {
        is_answer("Thought: I know.\nAction: Final Answer\nAction Input: 42", "42", *grammar);
        is_answer("Action: final_answer({\"answer\": \"42\"})", "42", *grammar);
        is_answer("Action: Finish[42]", "42", *grammar);
        is_answer("Action: finish(answer=\"42\")", "42", *grammar);
        is_answer("Action: Final Answer\nAction Input: {\"answer\": \"42\"}", "42", *grammar);
    }
}
