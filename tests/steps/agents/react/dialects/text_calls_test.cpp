// Calls in replies of observed models and servers.
#include "steps/agents/react/dialects/text_calls.hpp"
#include "tools/make_tool.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::agents;

namespace {
const tools::Registry& registry() {
    static const auto tools = [] {
        tools::Registry all;
        all.add(tools::make_tool("sum", "", [](const std::string& of) { return of; }, {"of"}));
        all.add(tools::make_tool("find", "",
                                 [](const std::string& text, std::optional<int> most, std::optional<bool> all) {
                                     return text + std::to_string(most.value_or(0)) + (all ? "!" : "");
                                 },
                                 {"text", "most", "all"}));
        all.add(tools::make_tool("now", "", [] { return std::string("noon"); }));
        return all;
    }();
    return tools;
}
TextCalls read(std::string_view text) { return read_text_calls(text, registry()); }
/// Returns name{arguments} of each call, the error, or an empty text.
std::string told(std::string_view text) {
    const auto got = read(text);
    std::string out = got.error;
    for (const auto& call : got.calls) out += (out.empty() ? "" : " ") + call.name + call.arguments;
    return out;
}
}

TEST_CASE("a reply is its call when it is nothing but that call, in the form of any model") {
    for (const auto* text : {
             // objects
             R"({"name": "sum", "arguments": {"of": "6*7"}})",
             R"({"name": "sum", "parameters": {"of": "6*7"}})",
             R"({"type": "function", "name": "sum", "parameters": {"of": "6*7"}})",
             R"({"function": "sum", "args": {"of": "6*7"}})",
             R"({"tool": "sum", "input": {"of": "6*7"}})",
             R"({"action": "sum", "action_input": {"of": "6*7"}})",
             R"({"action": "sum", "action_input": "6*7"})",
             R"({"tool_name": "sum", "parameters": {"of": "6*7"}, "tool_call_id": "0"})",
             R"({"thought": "I add.", "action": "sum", "action_input": {"of": "6*7"}})",
             R"({"name": "sum", "arguments": "{\"of\": \"6*7\"}"})",
             R"({"type": "function", "id": "c1", "function": {"name": "sum", "arguments": {"of": "6*7"}}})",
             R"({"type": "tool_use", "id": "c1", "name": "sum", "input": {"of": "6*7"}})",
             R"({"tool_calls": [{"function": {"name": "sum", "arguments": "{\"of\": \"6*7\"}"}}]})",
             R"({"role": "assistant", "content": null, "tool_calls": [{"name": "sum", "arguments": {"of": "6*7"}}]})",
             R"({"tool_uses": [{"recipient_name": "functions.sum", "parameters": {"of": "6*7"}}]})",
             R"({"function_call": {"name": "sum", "arguments": "{\"of\": \"6*7\"}"}})",
             R"({"sum": {"of": "6*7"}})",
             R"([{"name": "sum", "arguments": {"of": "6*7"}}])",
             R"({"name": "sum", "of": "6*7"})",
             R"({"function": "sum", "of": "6*7"})",
             R"({"thoughts": ["calc"], "tool_name": "sum", "tool_args": {"of": "6*7"}})",
             R"({"tool_call": "sum", "arguments": {"of": "6*7"}})",
             "{\"tool_code\": \"sum(of='6*7')\"}",
             "ToolCall(name='sum', arguments={'of': '6*7'})",
             "```json\n{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}\n```",
             "```tool_call\n{'name': 'sum', 'arguments': {'of': '6*7',}}\n```",
             "`{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}`",
             // marks around objects
             "<tool_call>\n{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}\n</tool_call>",
             "<tool_call>\n{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}",
             "<tool_call>\n```json\n{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}\n```\n</tool_call><|im_end|>",
             "<tools>\n{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}\n</tools>",
             "<function_call>{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}</function_call>",
             "<functioncall> {\"name\": \"sum\", \"arguments\": '{\"of\": \"6*7\"}'} </functioncall>",
             "<TOOLCALL>[{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}]</TOOLCALL>",
             "<tool_calls>[{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}]</tool_calls>",
             "<longcat_tool_call>{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}</longcat_tool_call>",
             "[TOOL_CALLS][{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}]",
             "[TOOL_CALLS] [{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}, \"id\": \"VvvODy9mT\"}]</s>",
             "[TOOL_REQUEST]{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}[END_TOOL_REQUEST]",
             "<|python_tag|>{\"type\": \"function\", \"name\": \"sum\", \"parameters\": {\"of\": \"6*7\"}}<|eom_id|>",
             "<|tool_call|>[{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}]",
             R"(<|START_ACTION|>[{"tool_call_id":"0","tool_name":"sum","parameters":{"of":"6*7"}}]<|END_ACTION|>)",
             "<|action_start|><|plugin|>\n{\"name\": \"sum\", \"parameters\": {\"of\": \"6*7\"}}<|action_end|>",
             "<|tools_prefix|>[{\"sum\": {\"of\": \"6*7\"}}]<|tools_suffix|>",
             " functools[{\"name\": \"sum\", \"arguments\": {\"of\": \"6*7\"}}]",
             // a name, and then an object
             "[TOOL_CALLS]sum{\"of\": \"6*7\"}",
             "[TOOL_CALLS]sum[ARGS]{\"of\": \"6*7\"}",
             "[TOOL_CALLS]sum[CALL_ID]VvvODy9mT[ARGS]{\"of\": \"6*7\"}",
             "<function=sum>{\"of\": \"6*7\"}</function>",
             "<function=sum{\"of\": \"6*7\"}</function>",
             "<function=sum({\"of\": \"6*7\"})</function>",
             "<function(sum){\"of\": \"6*7\"}</function>",
             "<function/sum>{\"of\": \"6*7\"}</function>",
             "sum{\"of\": \"6*7\"}</function>",
             "sum\n{\"of\": \"6*7\"}",
             ("<\uFF5Ctool\u2581calls\u2581begin\uFF5C><\uFF5Ctool\u2581call\u2581begin\uFF5C>function<"
              "\uFF5Ctool\u2581sep"
              "\uFF5C>sum\n```json\n{\"of\": \"6*7\"}\n```<\uFF5Ctool\u2581call\u2581end\uFF5C><\uFF5Ctool\u2581calls"
              "\u2581end\uFF5C>"),
             ("<\uFF5Ctool\u2581call\u2581begin\uFF5C>sum<\uFF5Ctool\u2581sep\uFF5C>{\"of\": "
              "\"6*7\"}<\uFF5Ctool\u2581call"
              "\u2581end\uFF5C>"),
             ("<|tool_calls_section_begin|><|tool_call_begin|>functions.sum:0<|tool_call_argument_begin|>{\"of\": "
              "\"6*7\"}"
              "<|tool_call_end|><|tool_calls_section_end|>"),
             "<|channel|>commentary to=functions.sum <|constrain|>json<|message|>{\"of\": \"6*7\"}<|call|>",
             "<|start|>assistant to=functions.sum<|channel|>commentary json<|message|>{\"of\": \"6*7\"}",
             "commentary to=functions.sum json{\"of\": \"6*7\"}",
             "assistantcommentary to=functions.sum json{\"of\": \"6*7\"}",
             "<|channel|>commentary to=functions.sum code<|message|>{\"of\": \"6*7\"}",
             "<start_function_call>call:sum{of:<escape>6*7<escape>}<end_function_call>",
             "<|tool_call>call:sum{of:<|\"|>6*7<|\"|>}<tool_call|>",
             ("<|open|>tools<|sep|><|open|>call tool=\"sum\"<|sep|><|open|>argument key=\"of\" "
              "type=\"string\"<|sep|>6*7"
              "<|close|>argument<|sep|><|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|><|end_of_msg|>"),
             "[Calling tool: sum({\"of\": \"6*7\"})]",
             "[Called sum with args: {\"of\": \"6*7\"}]",
             "\u273FFUNCTION\u273F: sum\n\u273FARGS\u273F: {\"of\": \"6*7\"}",
             "Action: sum\nAction Input: {\"of\": \"6*7\"}",
             // as in Python
             "sum(of=\"6*7\")",
             "sum(\"6*7\")",
             "[sum(of='6*7')]",
             "<tool_call>sum(of=\"6*7\")</tool_call>",
             "<|tool_call_start|>[sum(of=\"6*7\")]<|tool_call_end|>",
             "<|python_tag|>sum.call(of=\"6*7\")",
             "```tool_code\nprint(default_api.sum(of=\"6*7\"))\n```",
             // elements
             "<function=sum>\n<parameter=of>\n6*7\n</parameter>\n</function>",
             "<tool_call>\n<function=sum>\n<parameter=of>\n6*7\n</parameter>\n</function>\n</tool_call>",
             ("<function_calls>\n<invoke name=\"sum\">\n<parameter "
              "name=\"of\">6*7</parameter>\n</invoke>\n</function_calls>"),
             ("<minimax:tool_call><invoke name=\"sum\"><parameter "
              "name=\"of\">6*7</parameter></invoke></minimax:tool_call>"),
             ("<\uFF5CDSML\uFF5Cfunction_calls><\uFF5CDSML\uFF5Cinvoke name=\"sum\"><\uFF5CDSML\uFF5Cparameter "
              "name=\"of\" "
              "string=\"true\">6*7</\uFF5CDSML\uFF5Cparameter></\uFF5CDSML\uFF5Cinvoke></"
              "\uFF5CDSML\uFF5Cfunction_calls>"),
             "<invoke><tool_name>sum</tool_name><parameters><of>6*7</of></parameters></invoke>",
             "<tool_call>sum\n<arg_key>of</arg_key>\n<arg_value>6*7</arg_value>\n</tool_call>",
             "<tool_call><name>sum</name><arguments>{\"of\": \"6*7\"}</arguments></tool_call>",
             "<sum><of>6*7</of></sum>",
         }) {
        CAPTURE(std::string(text));
        CHECK(told(text) == R"(sum{"of":"6*7"})");
    }
}
TEST_CASE("a reply is all of its calls, in their order, when it has several") {
    const auto* both = R"(sum{"of":"1"} find{"text":"x"})";
    CHECK(told("<tool_call>{\"name\": \"sum\", \"arguments\": {\"of\": \"1\"}}</tool_call>\n"
               "<tool_call>{\"name\": \"find\", \"arguments\": {\"text\": \"x\"}}</tool_call>") == both);
    CHECK(told("[TOOL_CALLS][{\"name\": \"sum\", \"arguments\": {\"of\": \"1\"}}, {\"name\": \"find\", \"arguments\": "
               "{\"text\": \"x\"}}]") == both);
    CHECK(told("[TOOL_CALLS]sum[ARGS]{\"of\": \"1\"}[TOOL_CALLS]find[ARGS]{\"text\": \"x\"}") == both);
    CHECK(told("<|python_tag|>{\"name\": \"sum\", \"parameters\": {\"of\": \"1\"}}; {\"name\": \"find\", "
               "\"parameters\": {\"text\": \"x\"}}") == both);
    CHECK(told("[sum(of=\"1\"), find(text=\"x\")]") == both);
    CHECK(told("<function=sum>{\"of\": \"1\"}</function><function=find>{\"text\": \"x\"}</function>") == both);
    CHECK(told("<tool_call>now</tool_call><tool_call>sum\n<arg_key>of</arg_key><arg_value>1</arg_value></tool_call>") ==
          R"(now{} sum{"of":"1"})");
    CHECK(told("<function=now></function>\n<function=now>\n</function>") == "now{} now{}");
}
TEST_CASE("an element's value has the type in the tool's schema, and else is text") {
    CHECK(told("<function=find><parameter=text>\n 12 \n</parameter><parameter=most>\n3\n</parameter><parameter=all>True"
               "</parameter></function>") == R"(find{"all":true,"most":3,"text":" 12 "})");
    CHECK(told("<find><text>a < b</text><most>many</most></find>") == R"(find{"most":"many","text":"a < b"})");
}
TEST_CASE("a reply is an error with the reason when its call cannot be run") {
    const auto has = [](std::string_view text, const char* why) {
        CAPTURE(std::string(text));
        const auto got = read(text);
        CHECK(got.calls.empty());
        CHECK(got.error.find(why) != std::string::npos);
    };
    for (const auto* text : {R"({"name": "sums", "arguments": {"of": "1"}})",
                             "<tool_call>{\"name\": \"sums\", \"arguments\": {}}</tool_call>",
                             "<function=sums>{}</function>", "[TOOL_CALLS]sums{}", "<tool_call>sums</tool_call>",
                             "```json\n{\"name\": \"sums\", \"arguments\": {\"of\": \"1\"}}\n```"})
        has(text, "there is no tool 'sums'. The tools are: sum, find, now");
    for (const auto* text : {"<tool_call>{\"name\": \"sum\", \"arguments\": {\"of\": \"1\"}}</tool_call> I wait.",
                             "{\"name\": \"sum\", \"arguments\": {\"of\": \"1\"}}\n\nThis adds.",
                             "<function=sum>{\"of\": \"1\"}</function>\n<tool_response>1</tool_response>\nIt is 1.",
                             "[TOOL_CALLS][{\"name\": \"sum\", \"arguments\": {\"of\": \"1\"}}] The result is 1"})
        has(text, "other words stand around the call");
    for (const auto* text :
         {"I add.\n<tool_call>{\"name\": \"sum\", \"arguments\": {\"of\": \"1\"}}</tool_call>",
          "I add.\n\n```json\n{\"name\": \"sum\", \"arguments\": {\"of\": \"1\"}}\n```",
          "I add: {\"name\": \"sum\", \"parameters\": {\"of\": \"1\"}}",
          "Sure! <function=sum>{\"of\": \"1\"}</function>", "Well. [TOOL_CALLS]sum{\"of\": \"1\"}",
          "I see.\n<tool_call>sum\n<arg_key>of</arg_key>", "Let me see <invoke name=\"sum\"><parameter name=\"of\">1",
          "```tool_code\nx = 1\nsum(of=\"1\")\n```", "Thought: I add.\nAction: sum\nAction Input: {\"of\": \"1\"}",
          "I add.\n\n```tool_code\nprint(default_api.sum(of=\"1\"))\n```", "I add.\n[sum(of=\"1\")]",
          "I add.\n\u273FFUNCTION\u273F: sum\n\u273FARGS\u273F: {\"of\": \"1\"}",
          "I add.assistantcommentary to=functions.sum json{\"of\": \"1\"}", "Then:\n<sum><of>1</of></sum>",
          R"({"name": "sum", "arguments": {"of": "1"})", R"({"name": "sum", "arguments": {"of": "1)",
          "Action: sum\nAction Input: 1"})
        has(text, "it writes a call as text, which was not run");
    for (const auto* text : {"<tool_call>{\"name\": \"sum\", \"arguments\": {\"of\": \"1",
                             "<tool_call>{\"name\": \"sum\", \"of\": 1}</tool_call>", "<function=sum><parameter=of>1",
                             "<function=sum><parameter=of>1</parameter><parameter=of>2</parameter>",
                             R"({"name": "sum", "arguments": [1]})", R"({"name": "find", "arguments": "what is x"})",
                             "<tool_call>sum(of=", R"({"action": "Final Answer", "action_input": "It is 42."})"})
        has(text, "the call cannot be read");
    has("<tool_call>\n</tool_call>", "there is no call in it");
}
TEST_CASE("a reply stays text when it only mentions calls, or is JSON that a user may want") {
    for (const auto* text : {"It is 42.",
                             "",
                             " \n",
                             "{\"answer\": 42}",
                             "[1, 2, 3]",
                             "[]",
                             "{}",
                             "```json\n{\"name\": \"Bob\"}\n```",
                             R"({"name": "Bob", "age": 4, "parameters": {"a": 1}})",
                             R"({"name": "Bob", "input": "x"})",
                             R"({"name": "sum", "of": 1})",
                             R"({"name": "sum", "of": "1", "unit": "m"})",
                             "{\"tool_code\": \"x = sum(1)\"}",
                             "ToolCall(name='Bob')",
                             "Called with love.",
                             R"({"name": "Bob Miller", "arguments": {"of": "1"}})",
                             R"([{"name": "x", "value": {"of": 1}}])",
                             R"({"name": "sum", "description": "Adds.", "parameters": {"of": {"type": "string"}}})",
                             "Models write `<tool_call>{\"name\": \"sum\", \"arguments\": {}}</tool_call>` at times.",
                             "The template has a <tool_call> mark, and <tools> before it.",
                             "Call `sum(of=\"1\")` to add.",
                             "An example: `{\"name\": \"sum\", \"arguments\": {}}`.",
                             "sum(1, 2) is 3.",
                             "sum",
                             "now",
                             "print(\"hello\")",
                             "hello(1)",
                             "std::vector<int> a; std::map<std::string, int> b;",
                             "<html><body>sum</body></html>",
                             "<p>It is 42.</p>",
                             "[a link](http://x)",
                             "Action: none was needed.",
                             "a < b and c > d",
                             "The sum: 42.",
                             "[NOTE] It is 42.",
                             "[sum] is a tool.",
                             "It goes to=nobody.",
                             "I add:\n```python\nsum([1, 2])\n```",
                             "```python\nprint(sum([1, 2]))\n```",
                             "if (a < b) { return c > d; }"}) {
        CAPTURE(std::string(text));
        CHECK(told(text) == "");
    }
}
TEST_CASE("a call is read, with what is ill-formed replaced, when its bytes are not UTF-8") {
    const auto calls =
        read("<tool_call>sum\n<arg_key>\xb2</arg_key>\n<arg_value>x\xff</arg_value>\n</tool_call>").calls;
    REQUIRE(calls.size() == 1);
    CHECK(calls[0].arguments == "{\"\xef\xbf\xbd\":\"x\xef\xbf\xbd\"}");
}
TEST_CASE("a long and repetitive reply is read in linear time") {
    for (const std::string part : {"<tool_call>", "{\"a\": ", "`", "<function=sum", "[TOOL_CALLS]", "Action: sum(",
                                   "\n", "</", "<sum>", "<|", "{\"name\": \"sum\", \"arguments\": {", "<parameter=a>",
                                   "```", "sum(", "[", "<escape>", "sum ", "<a b=\"c\" ", "to=sum\n[sum"}) {
        std::string text;
        while (text.size() < 200000) text += part;
        CAPTURE(part);
        CHECK(read(text).examined < 16 * text.size());
        CHECK(read("It is. " + text).examined < 16 * text.size());
        CHECK(read("<tool_call>" + text).examined < 16 * text.size());
        CHECK(read("<function=sum>" + text).examined < 16 * text.size());
    }
}
