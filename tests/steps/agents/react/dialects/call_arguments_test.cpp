// Arguments in bare text.
#include "steps/agents/react/dialects/call_arguments.hpp"
#include "tests/support/bare_tools.hpp"
#include <doctest/doctest.h>
using namespace weft::agents;
using test::bare_tools;

namespace {
std::string read(std::string_view text, const char* tool, BareText bare = BareText::only) {
    const auto r = read_arguments(text, bare, bare_tools().find(tool));
    return r.ok() ? r.json : "error: " + r.error;
}
}

// shows L-10: the dialect `langchain` has thought, action, input and final answer
// shows W-02: an action is one line: name and argument
TEST_CASE("bare text is the value of a tool's only parameter, unless it looks like an object") {
    CHECK(read("4 * 7 / 3", "calculate") == R"({"expression":"4 * 7 / 3"})");
    CHECK(read("42", "calculate") == R"({"expression":"42"})");
    CHECK(read("[1, 2]", "calculate") == R"({"expression":"[1, 2]"})");
    CHECK(read("# 1 // 2", "calculate") == R"({"expression":"# 1 // 2"})");
    CHECK(read("two\nlines", "calculate") == R"({"expression":"two\nlines"})");
    CHECK(read("he said \"no\"", "calculate") == R"({"expression":"he said \"no\""})");
    CHECK(read("caf\xC3", "calculate") == "{\"expression\":\"caf\xEF\xBF\xBD\"}");
    CHECK(read("{'expression': '1',}", "calculate") == R"({"expression":"1"})");
}
// shows B-W05: actions in any Markdown are found; one reminder follows a reply without an action
TEST_CASE("quotes, back-ticks and a fence around a whole text are removed") {
    for (const auto* text : {"Spain", " Spain \n", "\"Spain\"", "'Spain'", "`Spain`", "```\nSpain\n```",
                             "```text\nSpain\n```", "Spain\n```"})
        CHECK(read(text, "get_country_capitals") == R"({"country":"Spain"})");
    CHECK(read(R"("a \"b\" \u00e9")", "calculate") == "{\"expression\":\"a \\\"b\\\" é\"}");
    CHECK(read("'a' || 'b'", "calculate") == R"({"expression":"'a' || 'b'"})");
    CHECK(read("\"a\" or \"b\"", "calculate") == R"({"expression":"\"a\" or \"b\""})");
    CHECK(read("`a` and `b`", "calculate") == R"({"expression":"`a` and `b`"})");
    CHECK(read("\"", "calculate") == R"({"expression":"\""})");
}
TEST_CASE("a parameter other than text takes a bare value, and else the registry reports the fault") {
    CHECK(read("5", "half") == R"({"number":5})");
    CHECK(read("-2.5e3", "half") == R"({"number":-2500.0})");
    CHECK(read("five", "half") == R"({"number":"five"})");
    CHECK(read("[[[[", "half") == R"({"number":"[[[["})");
}
TEST_CASE("pause fills the first required of several parameters, and langchain no parameter") {
    CHECK(read("milk", "find", BareText::first) == R"({"text":"milk"})");
    CHECK(read("1, 2", "add", BareText::first) == R"({"a":"1, 2"})");
    CHECK(read("milk", "find", BareText::only).find("must be a JSON object of named arguments") != std::string::npos);
    CHECK(read("milk", "calculate", BareText::never).find("must be a JSON object") != std::string::npos);
}
// shows B-W02: an unknown action gets the list of actions
TEST_CASE("a text reaches the registry also when its tool is unknown or has no parameters") {
    CHECK(read("Paris", "weather") == R"({"input":"Paris"})");
    CHECK(read("please", "list-notes") == R"({"input":"please"})");
    CHECK(read("", "list-notes") == "{}");
    CHECK(read("None", "list-notes") == "{}");
    CHECK(read(" null ", "calculate") == "{}");
    for (const auto* none : {"\"\"", "[]", "N/A", "(none)", "No input required."})
        for (const auto bare : {BareText::only, BareText::first, BareText::never})
            CHECK(read(none, "list-notes", bare) == "{}");
}
TEST_CASE("an object of arguments is found when it is quoted as a whole or is in another object") {
    for (const auto bare : {BareText::only, BareText::first, BareText::never})
        for (const auto* text :
             {R"("{\"expression\": \"6*7\"}")", R"({"name": "calculate", "arguments": {"expression": "6*7"}})",
              R"({"arguments": {"expression": "6*7"}})", R"({"input": "{\"expression\": \"6*7\"}"})"})
            CHECK(read(text, "calculate", bare) == R"({"expression":"6*7"})");
    CHECK(read(R"("{\"a\": 1}")", "calculate") == R"({"expression":"{\"a\": 1}"})");
    CHECK(read(R"({"arguments": {"x": 1}})", "calculate") == R"({"arguments":{"x":1}})");
}
// shows B-L05: a lenient reading loses nothing silently
TEST_CASE("an input that begins like an object is an object, or is refused with the place of the fault") {
    CHECK(read("{\"expression\": \"1", "calculate").find("is not closed (line 1, column 16") != std::string::npos);
    CHECK(read("{a} and {b}", "calculate").starts_with("error: "));
}
TEST_CASE("an input as a call of its own tool is read in linear time") {
    constexpr std::size_t size = (1 << 20) - 64;
    for (const std::string piece :
         {"add(", "(", ")", "a=1,", "'", "' ", "it's ", "\\", "{", "\"\"\"", "1,", "calculate(", "`"})
        for (const std::string start :
             {"add({\"a\": 1}", "add(a='", "add(", "calculate(", "calculate('x", "add({'a': '"}) {
            auto text = start;
            while (text.size() + piece.size() < size) text += piece;
            text += ')';
            INFO(start, "|", piece);
            const auto* tool = bare_tools().find(start.substr(0, start.find('(')));
            CHECK(read_arguments(text, BareText::never, tool).examined <= 4 * text.size());
        }
}
TEST_CASE("a text resembling a call of its own tool is shown in a form that is read back") {
    const auto* tool = bare_tools().find("calculate");
    const std::string json = R"x({"expression":"calculate(4)"})x";
    CHECK(shown_arguments(json, BareText::only, tool) == json);
    CHECK(read_arguments("calculate(calculate(4))", BareText::only, tool).json == json);
}
// shows W-06: the messages can be inspected
TEST_CASE("arguments are shown as they were written, if that form is read back as the same arguments") {
    const auto shown = [](const std::string& json, const char* tool, BareText bare = BareText::first) {
        const auto* known = bare_tools().find(tool);
        auto text = shown_arguments(json, bare, known);
        CHECK(read_arguments(text, bare, known).json == json);
        return text;
    };
    CHECK(shown(R"({"expression":"4 * 7"})", "calculate") == "4 * 7");
    CHECK(shown(R"({"number":5})", "half") == "5");
    CHECK(shown(R"({"input":"Paris"})", "weather") == "Paris");
    CHECK(shown("{}", "list-notes").empty());
    CHECK(shown(R"({"text":"milk"})", "find") == "milk");
    for (const auto* json :
         {R"({"expression":"two\nlines"})", R"({"expression":"{1}"})", R"({"expression":""})",
          R"({"expression":"\"quoted\""})", R"({"expression":"None"})", R"({"expression":"press PAUSE"})"})
        CHECK(shown(json, "calculate") == json);
    CHECK(shown(R"({"a":1,"b":2})", "add") == R"({"a":1,"b":2})");
    CHECK(shown("{}", "calculate") == "{}");
    CHECK(shown_arguments(R"({"expression":"4"})", BareText::never, bare_tools().find("calculate")) ==
          R"({"expression":"4"})");
}
