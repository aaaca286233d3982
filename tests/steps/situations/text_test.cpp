// Calls written as text, in the marks of many models, and agents' requested texts in models' actual forms.
#include "tests/steps/situations/table.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace situations;

namespace {
using nlohmann::json;
Situation written(const std::string& name, std::function<std::string(const Call&)> write, const std::string& begin = "",
                  const std::string& end = "") {
    return {name, no_calls, [=](const Cell& cell, const Asked& asked) {
                auto said = sound_reply(cell, asked);
                if (said.calls.empty()) return sound(cell, asked);
                said.text = begin;
                for (const auto& call : said.calls) said.text += write(call);
                said.text += end;
                said.calls.clear();
                return write_body(*cell.protocol, cell.streamed, said);
            }};
}
std::string value(const Call& call) { return json::parse(call.arguments)["e"]; }
std::string object(const Call& call, const char* name = "name", const char* arguments = "arguments") {
    return json({{name, call.name}, {arguments, json::parse(call.arguments)}}).dump();
}
Reason react_alone(const Cell& cell) {
    return cell.agent == AgentKind::react ? ""
                                          : "it is not an agent of "
                                            "this dialect";
}
std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}
/// Returns the texts of react with a replaced part.
Situation react(const std::string& name, const std::string& what, const std::string& by) {
    return {name, react_alone, with_text([=](const std::string& text) { return replaced(text, what, by); })};
}
/// Returns the whole text of an action.
Situation action(const std::string& name, const std::string& text) {
    return {name, react_alone,
            with_text([=](const std::string& said) { return said.find("Action:") == said.npos ? said : text; })};
}
Situation answer(const std::string& name, const std::string& text) {
    return {name, react_alone,
            with_text([=](const std::string& said) { return said.find("Answer:") == said.npos ? said : text; })};
}
}

TEST_CASE("a call runs when it is written as text in any model's marks") {
    check_all(
        {written("Hermes, in one line",
                 [](const Call& call) { return "<tool_call>" + object(call) + "</tool_call>\n"; }),
         written("Hermes, not closed", [](const Call& call) { return "<tool_call>\n" + object(call) + "\n"; }),
         written("Hermes, parameters",
                 [](const Call& call) { return "<tool_call>" + object(call, "name", "parameters") + "</tool_call>"; }),
         written("Qwen coder",
                 [](const Call& call) {
                     return "<tool_call>\n<function=" + call.name + ">\n<parameter=e>\n" + value(call) +
                            "\n</parameter>\n</function>\n</tool_call>\n";
                 }),
         written("Qwen coder, bare",
                 [](const Call& call) {
                     return "<function=" + call.name + ">\n<parameter=e>\n" + value(call) +
                            "\n</parameter>\n</function>\n";
                 }),
         written("Llama 3.1",
                 [](const Call& call) { return "<function=" + call.name + ">" + call.arguments + "</function>"; }),
         written("GLM 4.5",
                 [](const Call& call) {
                     return "<tool_call>" + call.name + "\n<arg_key>e</arg_key>\n<arg_value>" + value(call) +
                            "</arg_value>\n</tool_call>\n";
                 }),
         written("GLM 4.7",
                 [](const Call& call) {
                     return "<tool_call>" + call.name + "<arg_key>e</arg_key><arg_value>" + value(call) +
                            "</arg_value></tool_call>\n";
                 }),
         written("MiniMax M2",
                 [](const Call& call) {
                     return "<minimax:tool_call>\n<invoke name=\"" + call.name + "\">\n<parameter name=\"e\">" +
                            value(call) + "</parameter>\n</invoke>\n</minimax:tool_call>\n";
                 }),
         written("function_calls",
                 [](const Call& call) {
                     return "<function_calls>\n<invoke name=\"" + call.name + "\">\n<parameter name=\"e\">" +
                            value(call) + "</parameter>\n</invoke>\n</function_calls>\n";
                 }),
         written(
             "Kimi K2",
             [](const Call& call) {
                 return "<|tool_call_begin|>functions." + call.name + ":0<|tool_call_argument_begin|>" +
                        call.arguments + "<|tool_call_end|>";
             },
             "<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
         written(
             "DeepSeek V3",
             [](const Call& call) {
                 return "<｜tool▁call▁begin｜>function<｜tool▁sep｜>" + call.name + "\n```json\n" + call.arguments +
                        "\n```<｜tool▁call▁end｜>";
             },
             "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
         written(
             "DeepSeek V3.1",
             [](const Call& call) {
                 return "<｜tool▁call▁begin｜>" + call.name + "<｜tool▁sep｜>" + call.arguments + "<｜tool▁call▁end｜>";
             },
             "<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
         written("Mistral", [](const Call& call) { return "[TOOL_CALLS]" + call.name + "[ARGS]" + call.arguments; }),
         written(
             "Mistral, with ids",
             [](const Call& call) { return "[TOOL_CALLS]" + call.name + "[CALL_ID]aB3dE5fG7[ARGS]" + call.arguments; }),
         written(
             "Kimi K3",
             [](const Call& call) {
                 return "<|open|>call tool=\"" + call.name +
                        "\"<|sep|><|open|>argument key=\"e\" type=\"string\"<|sep|>" + value(call) +
                        "<|close|>argument<|sep|><|close|>call<|sep|>";
             },
             "<|open|>tools<|sep|>", "<|close|>tools<|sep|><|close|>message<|sep|><|end_of_msg|>"),
         written("Rapid-MLX",
                 [](const Call& call) { return "[Calling tool: " + call.name + "(" + call.arguments + ")]\n"; }),
         written("Granite", [](const Call& call) { return "<|tool_call|>[" + object(call) + "]"; }),
         written("Phi 4", [](const Call& call) { return "<|tool_call|>[" + object(call) + "]<|/tool_call|>"; }),
         written("LFM2",
                 [](const Call& call) {
                     return "<|tool_call_start|>[" + call.name + "(e=\"" + value(call) + "\")]<|tool_call_end|>";
                 }),
         written("Llama 3, python tag",
                 [](const Call& call) { return "<|python_tag|>" + object(call, "name", "parameters") + "<|eom_id|>"; }),
         written("gpt-oss, a channel",
                 [](const Call& call) {
                     return "<|start|>assistant<|channel|>commentary to=functions." + call.name +
                            " <|constrain|>json<|message|>" + call.arguments + "<|call|>";
                 }),
         written("Gemma, tool_code",
                 [](const Call& call) { return "```tool_code\n" + call.name + "(e=\"" + value(call) + "\")\n```\n"; }),
         written("a fence without a language", [](const Call& call) { return "```\n" + object(call) + "\n```\n"; }),
         written("bare objects", [](const Call& call) { return object(call) + "\n"; }),
         written("bare objects, parameters",
                 [](const Call& call) { return object(call, "name", "parameters") + "\n"; }),
         written("bare objects of OpenAI's form",
                 [](const Call& call) {
                     return json({{"type", "function"},
                                  {"function", {{"name", call.name}, {"arguments", call.arguments}}}})
                                .dump() +
                            "\n";
                 }),
         written(
             "a list", [](const Call& call) { return object(call) + (call.id == "a1" ? "," : ""); }, "[", "]"),
         written(
             "an object with tool_calls", [](const Call& call) { return object(call) + (call.id == "a1" ? "," : ""); },
             "{\"tool_calls\": [", "]}"),
         written(
             "behind reasoning", [](const Call& call) { return "<tool_call>" + object(call) + "</tool_call>"; },
             "<think>hm</think>\n")});
}
TEST_CASE("react calls the tool when the model writes its action in its own way") {
    check_all(
        {action("a call in the Action line", "Thought: I calculate.\nAction: sum({\"e\": \"6*7\"})"),
         action("a call with names", "Thought: I calculate.\nAction: sum(e=\"6*7\")"),
         action("a call that is printed", "Thought: I calculate.\nAction: print(sum(e=\"6*7\"))"),
         action("an input that is encoded twice",
                "Thought: I calculate.\nAction: sum\nAction Input: \"{\\\"e\\\": \\\"6*7\\\"}\""),
         action("a call with a blank", "Thought: I calculate.\nAction: sum ({\"e\": \"6*7\"})\nAction Input:"),
         action("a JSON object", "{\"action\": \"sum\", \"action_input\": {\"e\": \"6*7\"}}"),
         action("a JSON object in a fence",
                "Thought: I calculate.\n```json\n{\"action\": \"sum\", \"action_input\": {\"e\": \"6*7\"}}\n```"),
         action("a JSON object as the action",
                "Thought: I calculate.\nAction: {\"name\": \"sum\", \"arguments\": {\"e\": \"6*7\"}}"),
         action("a JSON object behind Action, in a fence",
                "Thought: I calculate.\nAction:\n```json\n{\"action\": \"sum\", \"action_input\": {\"e\": "
                "\"6*7\"}}\n```"),
         action("a wrapped object", "{\"tool_call\": {\"action\": \"sum\", \"action_input\": {\"e\": \"6*7\"}}}"),
         action("an input in a fence",
                "Thought: I calculate.\nAction: sum\nAction Input:\n```json\n{\"e\": \"6*7\"}\n```"),
         action("an input in single quotes", "Thought: I calculate.\nAction: sum\nAction Input: {'e': '6*7'}"),
         action("numbered labels", "1. Thought: I calculate.\n2. Action: sum\n3. Action Input: {\"e\": \"6*7\"}"),
         action("bulleted labels", "- Thought: I calculate.\n- Action: sum\n- Action Input: {\"e\": \"6*7\"}"),
         action("bold labels", "**Thought:** I calculate.\n**Action:** sum\n**Action Input:** {\"e\": \"6*7\"}"),
         action("headings", "### Thought: I calculate.\n### Action: sum\n### Action Input: {\"e\": \"6*7\"}"),
         action("emoji", "🤔 Thought: I calculate.\n🔧 Action: sum\n📥 Action Input: {\"e\": \"6*7\"}"),
         action("no-break spaces",
                "Thought:\u00A0I calculate.\nAction:\u00A0sum\nAction\u00A0Input:\u00A0{\"e\": \"6*7\"}"),
         action("full-width colons", "Thought：I calculate.\nAction：sum\nAction Input：{\"e\": \"6*7\"}"),
         action("lower case", "thought: I calculate.\naction: sum\naction input: {\"e\": \"6*7\"}"),
         action("an underscore", "Thought: I calculate.\nAction: sum\nAction_Input: {\"e\": \"6*7\"}"),
         action("a name in back-ticks", "Thought: I calculate.\nAction: `sum`\nAction Input: {\"e\": \"6*7\"}"),
         action("a name in brackets", "Thought: I calculate.\nAction: [sum]\nAction Input: {\"e\": \"6*7\"}"),
         action("a name with a point", "Thought: I calculate.\nAction: sum.\nAction Input: {\"e\": \"6*7\"}"),
         action("prose behind the object",
                "Thought: I calculate.\nAction: sum\nAction Input: {\"e\": \"6*7\"}, which gives the result."),
         action("an observation of its own",
                "Thought: I calculate.\nAction: sum\nAction Input: {\"e\": \"6*7\"}\nObservation: 41\nAnswer: 41"),
         action("all of it in a fence", "```\nThought: I calculate.\nAction: sum\nAction Input: {\"e\": "
                                        "\"6*7\"}\n```"),
         action("CRLF", "Thought: I calculate.\r\nAction: sum\r\nAction Input: {\"e\": \"6*7\"}\r\n"),
         answer("Action: None beside an Answer", "Thought: I know it.\nAction: None\nAnswer: " + answer_text),
         answer("Action: N/A with an input",
                "Thought: I know it.\nAction: N/A\nAction Input: None\nAnswer: " + answer_text),
         answer("Action: none, in brackets", "Thought: I know it.\nAction: (none)\nAnswer: " + answer_text),
         answer("Action: No action needed", "Thought: I know it.\nAction: No action needed\nAnswer: " + answer_text),
         answer("Final Answer", "Thought: I know it.\nFinal Answer: " + answer_text),
         answer("a bold answer", "**Thought:** I know it.\n**Answer:** " + answer_text),
         answer("no thought", "Answer: " + answer_text),
         answer("a heading", "### Answer: " + answer_text),
         react("a blank before colons", ":", " :")});
}
