// The tolerant reader of arguments: accepted and refused texts, without lost parts.
#include "steps/agents/text/lenient_json.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using weft::agents::lenient_input;
using weft::agents::lenient_object;
using weft::agents::lenient_prefix;

namespace {
std::string read(std::string_view text) {
    const auto r = lenient_object(text);
    return r.ok() ? r.json : "error: " + r.error;
}
bool refused(std::string_view text, std::string_view because) {
    const auto r = lenient_object(text);
    return r.json.empty() && r.error.find(because) != std::string::npos;
}
std::string nested(int depth) { return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}"; }
}

// shows L-13
TEST_CASE("arguments are read in the forms that models write") {
    CHECK(read(R"({"a": 1, "b": [true, null, "x"]})") == R"({"a":1,"b":[true,null,"x"]})");
    CHECK(read("{'city': 'Paris', \"n\": 3,}") == R"({"city":"Paris","n":3})");
    CHECK(read("{a: True, b: False, c: None}") == R"({"a":true,"b":false,"c":null})");
    CHECK(read("{\"a\": 1, // one\n # two\n /* three */ \"b\": [1, 2,],}") == R"({"a":1,"b":[1,2]})");
    CHECK(read("```json\n{\"a\": 1}\n```") == R"({"a":1})");
    CHECK(read("```\n{\"a\": 1}\n```\n") == R"({"a":1})");
    CHECK(read("`{\"a\": 1}`") == R"({"a":1})");
    CHECK(read("{\"q\": \"SELECT *\nFROM t\twhere a='b'\"}") == R"({"q":"SELECT *\nFROM t\twhere a='b'"})");
    CHECK(read(R"({'q': 'it\'s "so"'})") == R"({"q":"it's \"so\""})");
    CHECK(read(R"({"q": "é \u00e9 \ud83d\ude00 \x41"})") == "{\"q\":\"é é 😀 A\"}");
    CHECK(read("{\"a\": +5, \"b\": .5, \"c\": 5., \"d\": -.25, \"e\": 1e3}") ==
          R"({"a":5,"b":0.5,"c":5.0,"d":-0.25,"e":1e3})");
    CHECK(read("{\"big\": 18446744073709551615}") == R"({"big":18446744073709551615})");
}
TEST_CASE("an empty text, null and None mean no arguments") {
    for (const auto* text : {"", "  \n", "null", "None", "{}", "{ }", "```json\n{}\n```", "{ /* none */ }"})
        CHECK(read(text) == "{}");
}
// shows B-L05
TEST_CASE("arguments that cannot be read exactly are an error, and are never lost") {
    CHECK(refused("{\"a\": 1, \"a\": 2}", "the name \"a\" occurs twice (line 1, column 10"));
    CHECK(refused("{\"a\": 1} {\"b\": 2}", "text after the end"));
    CHECK(refused("{\"a\": 1} and then some", "text after the end"));
    CHECK(refused("{\"a\": 18446744073709551616}", "out of range"));
    CHECK(refused("{\"a\": 1e999}", "out of range"));
    CHECK(refused("{\"a\": NaN}", "finite"));
    CHECK(refused("{\"a\": -Infinity}", "not a number"));
    CHECK(refused("{\"a\": 007}", "needless 0"));
    CHECK(refused("{\"a\": 0x1F}", "not a number"));
    CHECK(refused("{\"a\": 1.2.3}", "not a number"));
    CHECK(refused("{\"a\": .}", "not a number"));
    CHECK(refused("{\"a\": -}", "not a number"));
    CHECK(refused(R"({"a": "\u00e"})", "hexadecimal digits are missing in this escape"));
    CHECK(refused(R"({"a": "\ud83d"})", "half a character"));
    CHECK(refused("{\"a\": \"\xFF\"}", "not valid UTF-8"));
    CHECK(refused("{\"a\": \"say \"no\"\"}", "a comma or the end of the object is expected"));
    CHECK(refused("{\"a\": \"open", "the text that begins here is not closed (line 1, column 7"));
    CHECK(refused("{\"a\": [1, 2", "the list that begins here is not closed"));
    CHECK(refused("{\"a\": 1", "the object that begins here is not closed (line 1, column 1"));
    CHECK(refused("{\"a\" 1}", "a colon is expected"));
    CHECK(refused("{\"a\": [1 2]}", "a comma or the end of the list is expected"));
    CHECK(refused("{\"a\": hello}", "a value is expected here"));
    CHECK(refused("{\"a\": 1 /* open", "a comment is not closed"));
    CHECK(refused("[1, 2]", "must be a JSON object of named arguments"));
    CHECK(refused("2 + 2", "must be a JSON object of named arguments"));
    CHECK(refused("\"text\"", "must be a JSON object of named arguments"));
    CHECK(refused("{\n  \"a\": 1,\n  \"b\": oops\n}", "(line 3, column 8, at: oops)"));
}
TEST_CASE("depth and size are bounded") {
    CHECK(lenient_object(nested(64)).ok());
    CHECK(refused(nested(65), "more than 64 levels"));
    CHECK(refused(std::string(1 << 20, '[') + "x", "1 MB"));
    CHECK(refused("{\"a\":" + std::string((1 << 20) - 5, '['), "64 levels"));
}
TEST_CASE("accepted arguments are strict JSON, and strict JSON keeps its meaning") {
    const auto strict =
        R"({"s":"a\"b\\c\/\b\f\n\r\t\u0001","n":[0,-1,2.5,1E-2,9007199254740993],"o":{"":{}},"u":"日本"})";
    const auto r = lenient_object(strict);
    REQUIRE(r.ok());
    CHECK(nlohmann::json::parse(r.json) == nlohmann::json::parse(strict));
    CHECK(lenient_object(r.json).json == r.json);
}
TEST_CASE("the reader of arguments reads each character a bounded number of times") {
    constexpr std::size_t size = (1 << 20) - 16;
    for (const std::string piece :
         {"\"",         "'a':", "[",  "{a:",    "// x\n", "/*",       "\\",   "1",   "`",   "#",    " ",
          "{\"a\":1},", "'",    "' ", "'   \n", "''",     "'\\",      "'x' ", "'//", "'/*", "'#\n", "{",
          "{{",         "{}",   "}",  "\"\"\"", "'''",    "\"a\":1 ", "a:1 ", "\\u", "\\x4"})
        for (const std::string start : {"{\"k\": ", "{\"k\": '", "{\"k\": 1} ", "{", ""}) {
            auto text = start;
            while (text.size() + piece.size() < size) text += piece;
            INFO(start, "|", piece);
            CHECK(lenient_object(text).examined <= 2 * text.size());
            CHECK(lenient_input(text).examined <= 2 * text.size());
            CHECK(lenient_prefix(text).examined <= 2 * text.size());
        }
}
TEST_CASE("an apostrophe in single quotes is text when no end of a text can follow it") {
    CHECK(read("{'a': 'it's'}") == R"({"a":"it's"})");
    CHECK(read("{'a': 'rock 'n' roll', 'b': ['l'eau', 'x']}") == R"({"a":"rock 'n' roll","b":["l'eau","x"]})");
    CHECK(read("{'q': 'SELECT * FROM t WHERE name = 'O''Neil''}") ==
          R"({"q":"SELECT * FROM t WHERE name = 'O''Neil'"})");
    CHECK(read("{'it's': 'the dogs' \t\n}") == R"({"it's":"the dogs"})");
    CHECK(read("{'a': 'x' // one\n, 'b': 'y' /* two */}") == R"({"a":"x","b":"y"})");
    CHECK(read("{'a': '', 'b': [''], 'c': '\"'}") == R"({"a":"","b":[""],"c":"\""})");
    CHECK(refused("{'a': 'the dogs', he said'}", "a colon is expected"));
    CHECK(refused("{'a': 'it's}", "the text that begins here is not closed (line 1, column 7"));
    CHECK(refused("{'a': 'it's'", "the object that begins here is not closed"));
    CHECK(refused("{'a': ['one' 'two']}", "a comma or the end of the list is expected"));
}
TEST_CASE("a text may be in triple quotes, in which fewer quotes are text") {
    CHECK(read("{\"a\": \"\"\"say \"no\"\n\"\"\", 'b': '''it's'''}") == R"({"a":"say \"no\"\n","b":"it's"})");
    CHECK(refused("{\"a\": \"\"\"open\"\"}", "the text that begins here is not closed"));
}
TEST_CASE("a backslash without an escape stands for itself, and escapes keep their meaning") {
    CHECK(read(R"({"p": "C:\Users\me", "r": "\d+\.\w"})") == R"({"p":"C:\\Users\\me","r":"\\d+\\.\\w"})");
    CHECK(read(R"({"p": "C:\users\xampp\x4"})") == R"({"p":"C:\\users\\xampp\\x4"})");
    CHECK(read("{\"p\": \"\\é\"}") == "{\"p\":\"\\\\é\"}");
    CHECK(read(R"({"p": "C:\temp\new\\x \u0041 \x41 \/"})") == R"({"p":"C:\temp\new\\x A A /"})");
    CHECK(refused(R"({"p": "C:\dir\"})", "the text that begins here is not closed"));
    CHECK(refused(R"({"p": "\ude00"})", "half a character"));
}
TEST_CASE("a comma between members may be missing when the next name is unambiguous") {
    CHECK(read(R"({"a": 1 "b": "x" "c": [1] 'd': {} e: true f: 2})") ==
          R"({"a":1,"b":"x","c":[1],"d":{},"e":true,"f":2})");
    CHECK(read("{\n  'a': 'one'\n  'b': 2 // two\n  \"c\": 3\n}") == R"({"a":"one","b":2,"c":3})");
    CHECK(refused(R"({"a": 1 "a": 2})", "the name \"a\" occurs twice"));
    CHECK(refused(R"({"a": 1 "b"})", "a comma or the end of the object is expected"));
    CHECK(refused(R"({"a": "say "b: 1})", "a comma or the end of the object is expected"));
    CHECK(refused("{\"a\": \"issue\" #5\",\n \"b\": 1}", "a comma or the end of the object is expected"));
    CHECK(refused(R"({"a": ["x" "y"]})", "a comma or the end of the list is expected"));
}
TEST_CASE("doubled braces count as single ones when the outer pair has no other content") {
    CHECK(read(R"({{"a": 1}})") == R"({"a":1})");
    CHECK(read(R"({ {"a": {{"b": 2}}, "c": {{}}} })") == R"({"a":{"b":2},"c":{}})");
    CHECK(refused(R"({{"a": 1}, "b": 2})", "more between doubled braces than one object"));
    CHECK(refused(R"({{"a": 1} {"b": 2}})", "more between doubled braces than one object"));
    CHECK(refused(R"({{"a": 1})", "the object that begins here is not closed (line 1, column 1"));
    CHECK(refused(std::string(65, '{') + std::string(65, '}'), "more than 64 levels"));
}
TEST_CASE("text after the object of an input is ignored and reported") {
    const auto rest = [](std::string_view text) {
        const auto read = lenient_input(text);
        INFO(text, "|", read.error);
        CHECK(read.json == R"({"a":1})");
        return read.has_rest;
    };
    for (const auto* text : {"{\"a\": 1} and then some", "{\"a\": 1} {\"a\": 2}", "{\"a\": 1}}", "{\"a\": 1}\n```\nSo",
                             "{\"a\": 1} /* open", "{\"a\": 1}\xFF", "{{\"a\": 1}}]"})
        CHECK(rest(text));
    for (const auto* text : {"{\"a\": 1}", "```json\n{\"a\": 1}\n```", "{\"a\": 1}**;\n", "{\"a\": 1} // the sum",
                             "\xEF\xBB\xBF{\"a\": 1}"})
        CHECK(!rest(text));
    CHECK(rest("{\"a\": 1}" + std::string(2 << 20, 'x')));
    CHECK(lenient_input("{\"a\": \"" + std::string(2 << 20, 'x')).error == "the input is longer than 1 MB");
    CHECK(lenient_input(" null ").json == "{}");
    CHECK(lenient_input("null {\"a\": 1}").error.find("must be a JSON object") != std::string::npos);
    CHECK(lenient_input("[{\"a\": 1}]").error.find("must be a JSON object") != std::string::npos);
    CHECK(lenient_input("{\"a\": 1").error.find("is not closed") != std::string::npos);
}
