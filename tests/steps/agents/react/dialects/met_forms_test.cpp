// JSON actions without labels, and decorated labels, from public reports.
#include "steps/agents/react/dialects/text_parser.hpp"
#include "tests/support/bare_tools.hpp"
#include "tests/support/function_reply.hpp"
#include <doctest/doctest.h>
using namespace weft::agents;

namespace {
constexpr const Grammar* grammars[] = {&react_grammar, &langchain_grammar, &pause_grammar};
constexpr auto product = R"({"expression":"6*7"})";
const std::string call = R"({"action": "calculate", "action_input": {"expression": "6*7"}})";
struct Told {
    Reply reply;
    std::string thought, answer;
};
Told tell(std::string_view text, const Grammar& grammar = react_grammar,
          const weft::tools::Registry* tools = &test::bare_tools()) {
    Told out;
    TextParser parser(grammar, tools);
    const OnPiece on_piece = [&out](PieceKind kind, std::string_view piece) {
        if (kind == PieceKind::thought) out.thought += piece;
        if (kind == PieceKind::answer) out.answer += piece;
    };
    for (const char c : text) parser.feed({&c, 1}, on_piece);
    out.reply = parser.finish(on_piece);
    return out;
}
void is_call(const std::string& text, const Grammar& grammar) {
    const auto all = tell(text, grammar);
    const auto& r = all.reply;
    INFO(text, "|", grammar.answer, "|", r.error, "|", r.action, "|", r.action_input, "|", r.answer);
    CHECK(r.kind == ReplyKind::action);
    CHECK(r.action == "calculate");
    CHECK(r.action_input == product);
    CHECK(all.answer.empty());
}
void is_call(const std::string& text) {
    for (const auto* grammar : grammars) is_call(text, *grammar);
}
void is_answer(const std::string& text, std::string_view answer, const Grammar& grammar = react_grammar) {
    const auto all = tell(text, grammar);
    const auto& r = all.reply;
    INFO(text, "|", grammar.answer, "|", r.error, "|", r.action, "|", r.answer);
    CHECK(r.kind == ReplyKind::answer);
    CHECK(r.answer == answer);
    CHECK(all.answer == answer);
}
void is_fault(const std::string& text, std::string_view error, const Grammar& grammar = react_grammar) {
    const auto r = tell(text, grammar).reply;
    INFO(text, "|", r.error, "|", r.action, "|", r.answer);
    CHECK(r.kind == ReplyKind::error);
    CHECK(r.error.find(error) != std::string::npos);
}
}

// langgenius/dify-official-plugins#3699, #3703, langchain-ai/langchain#7511, #9535
TEST_CASE("a JSON action without labels is run, in each form and dialect") {
    for (const std::string& form :
         {call, R"({"tool_call": )" + call + "}", R"({"tool_calls": [)" + call + "]}", "[" + call + "]",
          std::string(R"({"tool": "calculate", "tool_input": {"expression": "6*7"}})"),
          std::string(R"({"name": "calculate", "arguments": {"expression": "6*7"}})"),
          std::string(R"({"name": "calculate", "parameters": {"expression": "6*7"}})"),
          std::string(R"({"name": "calculate", "arguments": "{\"expression\": \"6*7\"}"})"),
          std::string(R"({"function": {"name": "calculate", "arguments": {"expression": "6*7"}}, "type": "function"})"),
          std::string(R"({"type": "function", "name": "calculate", "parameters": {"expression": "6*7"}})"),
          std::string(R"({"thought": "x", "action": "calculate", "action_input": {"expression": "6*7"}})"),
          std::string(R"({"thought": "x", "action": {"name": "calculate", "args": {"expression": "6*7"}}})"),
          std::string(R"({"Action": "calculate", "Action Input": "6*7"})"),
          std::string(R"({"action": "functions.calculate", "action_input": {"expression": "6*7"}})"),
          std::string(R"({"tool": "calculate", "expression": "6*7"})")}) {
        is_call(form);
        is_call("```json\n" + form + "\n```");
        is_call("```\n" + form + "\n```\n");
        is_call("`" + form + "`");
        is_call("I need a tool.\n\n" + form);
        is_call("Thought: I need a tool.\n```json\n" + form + "\n```\nObservation: 41\nFinal Answer: 41");
        is_call("Thought: I need a tool. " + form);
        is_call("Action: " + form);
        is_call("Thought: x\nAction:\n```json\n" + form + "\n```");
        is_call("Thought: x\nAction: ```json\n" + form);  // langchain-ai/langchain#7511: a fence that never closes
        is_call("<tool_call>\n" + form + "\n</tool_call>");
    }
    is_call("Action:\n```\n$JSON_BLOB\n" + call + "\n```");  // langchain-ai/langchainjs#1399
    is_call("Here:\n\n```\n```json\n" + call +
            "\n```\n\nObservation: 100\n\nAnswer: 100");  // langchain-ai/langchainjs#1429
}
TEST_CASE("a thought has no part of a separate JSON action") {
    for (const auto* grammar : grammars) {
        const auto told = tell("Thought: I need a tool.\n```json\n" + call + "\n```", *grammar);
        CHECK(told.thought == "I need a tool.");
        CHECK(told.reply.thought == "I need a tool.");
        const auto text = tell("Thought: as in\n```json\n{\"a\": 1}\n```\nwhich is it\nAnswer: 4", *grammar);
        CHECK(text.thought == "as in\n```json\n{\"a\": 1}\n```\nwhich is it");
    }
}
// langgenius/dify#26156, #9032
TEST_CASE("an answering JSON object is the answer") {
    for (const auto* grammar : grammars)
        for (const auto* form :
             {R"({"action": "Final Answer", "action_input": "42"})",
              R"({"action": "final_answer", "action_input": {"answer": "42"}})",
              R"({"thought": "x", "action": "None", "answer": "42"})", R"({"thought": "x", "final_answer": "42"})"}) {
            is_answer(form, "42", *grammar);
            is_answer("```json\n" + std::string(form) + "\n```", "42", *grammar);
            is_answer("Action: " + std::string(form), "42", *grammar);
        }
    is_fault(R"({"action": "None", "action_input": "None"})", "the Action names no tool");
}
TEST_CASE("a JSON answer stays one, and an action of no tool or in broken JSON is a fault") {
    for (const auto* text : {R"({"city": "Rome", "population": 3})", R"([1, 2, 3])", R"([{"name": "Rome"}])",
                             R"({"name": "Rome", "arguments": [1], "population": 3})", R"({"action": "buy"})",
                             R"({"name": "Ann", "function": "engineer"})", R"({"answer": 42})"}) {
        is_answer(text, text);
        is_answer("Thought: x\nAnswer: " + std::string(text), text);
    }
    is_answer("Answer: " + call, call);
    is_answer("Final Answer:\n" + call, call, langchain_grammar);
    is_answer("You write {\"action\": \"calculate\"} for it, as I said.",
              "You write {\"action\": \"calculate\"} for it, as I said.");
    for (const auto* text : {R"({"action": "jump", "action_input": {"a": 1}})", R"({"tool_call": {"name": "jump"}})",
                             "I jump.\n```json\n{\"name\": \"jump\", \"arguments\": {}}\n```"})
        is_fault(text,
                 "there is no tool jump: write Action and Action Input on lines of their own; or Answer: before it");
    is_fault(R"({"action": "calculate", "action_input": {"expression": "6*7"})",
             "the JSON object of the action cannot be read");
    CHECK(tell(call, react_grammar, nullptr).reply.action == "calculate");
}
TEST_CASE("the function-call dialect reads actions in the forms of other frameworks") {
    using test::read_function_reply;
    for (const auto* text : {R"({"action": "add", "action_input": {"a": 1, "b": 2}})",
                             R"({"action": {"name": "add", "args": {"a": 1, "b": 2}}})",
                             R"({"tool_call": {"name": "add", "arguments": {"a": 1, "b": 2}}})",
                             "[{\"name\": \"add\", \"parameters\": {\"a\": 1, \"b\": 2}}]"}) {
        const auto r = read_function_reply(text);
        INFO(text, "|", r.error);
        CHECK(r.action == "add");
        CHECK(r.action_input == R"({"a":1,"b":2})");
    }
    CHECK(read_function_reply(R"({"action": "llm_tool", "action_input": "hm"})").action_input == R"({"input":"hm"})");
    CHECK(read_function_reply(R"({"action": "Final Answer", "action_input": "42"})").answer == "42");
    CHECK(read_function_reply(R"({"thought": "x", "action": "None"})").error.starts_with("the action names no tool"));
    CHECK(read_function_reply(R"({"thought": "x", "action": null, "answer": "42"})").answer == "42");
}
// run-llama/llama_index#11608, datawhalechina/hello-agents#47, bytedance/UI-TARS-desktop#825
TEST_CASE("labels are found inside any markup before, around and after them") {
    const std::string input = " {\"expression\": \"6*7\"}\n";
    for (const auto& [thought, action, arguments] : std::initializer_list<std::array<std::string, 3>>{
             {"1. Thought:", "2. Action:", "3. Action Input:"},
             {"1) Thought:", "2) Action:", "3) Action Input:"},
             {"(1) Thought:", "(2) Action:", "(3) Action Input:"},
             {"Thought 1:", "Action 1:", "Action Input 1:"},
             {"Step 1: Thought:", "Step 2 - Action:", "Step 2 - Action Input:"},
             {"### Step 1. Thought:", "Step 1 \xE2\x80\x94 Action:", "Step 1 - Action Input:"},
             {"- Thought:", "- Action:", "- Action Input:"},
             {"* Thought:", "* Action:", "* Action Input:"},
             {"\xE2\x80\xA2 Thought:", "\xE2\x80\xA2 Action:", "\xE2\x80\xA2 Action Input:"},
             {"- **Thought:**", "- **Action:**", "- **Action Input:**"},
             {"**1. Thought:**", "**2. Action:**", "**3. Action Input:**"},
             {"\xF0\x9F\xA4\x94 Thought:", "\xF0\x9F\x94\xA7 **Action:**", "\xE2\x9A\x99\xEF\xB8\x8F Action Input:"},
             {"**\xF0\x9F\xA4\x94 Thought:**",
              "\xE2\x9E\xA1\xEF\xB8\x8F Action:", "1\xEF\xB8\x8F\xE2\x83\xA3 Action Input:"},
             {"\xC2\xA0Thought:", "Action\xC2\xA0:", "Action\xC2\xA0Input:"},
             {"Thought:\xC2\xA0", "Action:\xE2\x80\xAF", "Action\xE2\x80\xAFInput:\xE3\x80\x80"},
             {"\xE3\x80\x80Thought\xEF\xBC\x9A", "Action\xEF\xBC\x9A", "Action Input\xEF\xBC\x9A"},
             {"Thought\xEF\xB9\x95", "Action\xEA\x9E\x89", "Action Input\xE2\x88\xB6"},
             {"Thought:", "Tool:", "Tool Input:"},
             {"Thought:", "Action:", "Action-Input:"},
             {"Thought:", "Action:", "Action_Input:"},
             {"Thought:", "Action:", "ActionInput:"},
             {"Thought:", "Action:", "Action input is:"},
             {"[Thought]", "[Action]", "[Action Input]"},
             {"[Thought]:", "[Action]:", "[Action Input]:"},
             {"<Thought>", "<Action>", "<Action Input>"},
             {"\xE3\x80\x90Thought\xE3\x80\x91", "**[Action]**:",
              "\xE3\x80\x90"
              "Action Input\xE3\x80\x91:"}}) {
        const auto text = thought + " x\n" + action + " calculate\n" + arguments + input;
        is_call(text);
        const auto observation = thought.substr(0, thought.find("Thought")) + "Observation" +
                                 thought.substr(thought.find("Thought") + 7);
        for (const auto* grammar : grammars) {
            const auto r = tell(text + observation + " 41\nAnswer: 41", *grammar).reply;
            INFO(observation);
            CHECK(r.invented);
            CHECK(r.ignored == 0);
            CHECK(r.text.find("41") == std::string::npos);
        }
    }
    is_call("[Action]\ncalculate\n[Action Input]\n{\"expression\": \"6*7\"}");
    is_answer("\xE2\x9C\x85 **Final Answer:** 42", "42");
    is_answer("3. Answer: 42", "42");
    is_answer("* Answer: **42**", "**42**");
}
TEST_CASE("text resembling a label inside markup is text") {
    for (const auto* text :
         {"Answer 1: yes\nAnswer 2: no", "1. Note: x", "[Answer](http://x.org)", "<answer>42</answer>",
          "Step 1: I act.", "- item\n- item", "1.5: Answer", "| Action: x |", "<thinking>hm</thinking>"})
        is_answer(text, text);
    is_answer("Answer: The report has\n- Observation: it is red\n2. Observation: it is round",
              "The report has\n- Observation: it is red\n2. Observation: it is round");
    is_answer("Answer: 3\n**Observation:** it is", "3");
}
TEST_CASE("a call in the form of a protocol is run when a model of labels writes it") {
    for (const std::string& form :
         {std::string(R"(<tool_call>{"name": "calculate", "arguments": {"expression": "6*7"}}</tool_call>)"),
          std::string(R"(<function=calculate>{"expression": "6*7"}</function>)"),
          std::string("<tool_call>\n<function=calculate>\n<parameter=expression>\n6*7\n</parameter>\n</function>\n"
                      "</tool_call>"),
          std::string(R"(<action>calculate</action>
<action_input>{"expression": "6*7"}</action_input>)"),
          std::string("<tool>calculate</tool><tool_input>6*7</tool_input>"),
          std::string(R"([TOOL_CALLS][{"name": "calculate", "arguments": {"expression": "6*7"}}])"),
          std::string(R"({"command": {"name": "calculate", "args": {"expression": "6*7"}}})"),
          std::string(R"({"calculate": {"expression": "6*7"}})")}) {
        is_call(form);
        is_call("Thought: I calculate.\n" + form);
        is_call("Action: " + form);
    }
    is_fault("I call <tool_call>" + call + "</tool_call>\n`calculate` helps.", "writes a call as text");
    is_call("Action: {\"action\": null}\nThought: no.\nAction: calculate\nAction Input: {\"expression\": \"6*7\"}");
    is_fault("<tool_call>{\"name\": \"calculate\", \"arguments\": {\"expression\": </tool_call>", "cannot be read");
}
TEST_CASE("labels alone in headings divide a reply") {
    is_call("### Thought\nI calculate.\n\n### Action\ncalculate\n\n### Action Input\n{\"expression\": \"6*7\"}");
    is_answer("### Thought\nI know.\n\n### Answer\nIt is 42.", "It is 42.");
    is_answer("Answer: It is so.\n### Observation\nAll is well.", "It is so.\n### Observation\nAll is well.");
}
TEST_CASE("a reply is not an answer when its labels are translated") {
    for (const auto* reply :
         {"Gedanke: ich rechne\nAktion: calculate\nAktionseingabe: {\"expression\": \"6*7\"}",
          "\u601d\u8003\uff1a\u8ba1\u7b97\n\u884c\u52a8\uff1acalculate\n\u884c\u52a8\u8f93\u5165\uff1a6*7"})
        is_fault(reply, "names a tool under another label than Action");
    is_answer("I used these tools:\ncalculate: once\nIt is 42.", "I used these tools:\ncalculate: once\nIt is 42.");
}
TEST_CASE("a translated label is never run as a part of an input") {
    for (const auto* input : {"Entr\u00e9e de l'action : 6*7", "\u8f93\u5165\uff1a6*7", "Par\u00e1metro: 6*7"})
        for (const auto* grammar : grammars) is_fault("Action: calculate\n" + std::string(input), "", *grammar);
}
TEST_CASE("the name of a parameter before its value is not part of it") {
    for (const auto* input : {"expression=\"6*7\"", "expression: 6*7", "expression = '6*7'"})
        is_call("Action: calculate\nAction Input: " + std::string(input), langchain_grammar);
}
TEST_CASE("an Action named like the answer leaves the answer to the label below it") {
    for (const auto* name : {"Finish", "Final Answer", "final_answer", "Answer", "finish()"})
        for (const auto* between : {"", "Action Input: None\n", "Action Input: {}\n"})
            is_answer("Thought: x\nAction: " + std::string(name) + "\n" + between + "Answer: It is 42.", "It is 42.");
    is_fault("Action: Finish", "is empty");
    is_answer("Thought: x\nAction: Respond to the user\nAnswer: It is 42.", "It is 42.");
}
