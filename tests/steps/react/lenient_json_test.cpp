// The tolerant reader of arguments: what it takes, what it refuses, and that it loses nothing.
#include "steps/react/lenient_json.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using weft::steps::lenient_object;

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

TEST_CASE("L-13 arguments are read the way models write them") {
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
TEST_CASE("L-13 nothing, null and None mean no arguments") {
    for (const auto* text : {"", "  \n", "null", "None", "{}", "{ }", "```json\n{}\n```", "{ /* none */ }"})
        CHECK(read(text) == "{}");
}
TEST_CASE("B-L05 what cannot be read exactly is an error, and never a loss") {
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
    CHECK(refused(R"({"a": "\d+"})", "this escape is unknown"));
    CHECK(refused(R"({"a": "\ud83d"})", "half a character"));
    CHECK(refused("{\"a\": \"\xFF\"}", "not valid UTF-8"));
    CHECK(refused("{'a': 'it's'}", "a comma or the end of the object is expected"));
    CHECK(refused("{\"a\": \"open", "the text that begins here is not closed (line 1, column 7"));
    CHECK(refused("{\"a\": [1, 2", "the list that begins here is not closed"));
    CHECK(refused("{\"a\": 1", "the object that begins here is not closed (line 1, column 1"));
    CHECK(refused("{\"a\" 1}", "a colon is expected"));
    CHECK(refused("{\"a\": 1 \"b\": 2}", "a comma or the end"));
    CHECK(refused("{\"a\": hello}", "a value is expected here"));
    CHECK(refused("{\"a\": 1 /* open", "a comment is not closed"));
    CHECK(refused("[1, 2]", "must be a JSON object of named arguments"));
    CHECK(refused("2 + 2", "must be a JSON object of named arguments"));
    CHECK(refused("\"text\"", "must be a JSON object of named arguments"));
    CHECK(refused("{\n  \"a\": 1,\n  \"b\": oops\n}", "(line 3, column 8, at: oops)"));
}
TEST_CASE("B-L05 depth and size are bounded") {
    CHECK(lenient_object(nested(64)).ok());
    CHECK(refused(nested(65), "more than 64 levels"));
    CHECK(refused(std::string(1 << 20, '[') + "x", "1 MB"));
    CHECK(refused("{\"a\":" + std::string((1 << 20) - 5, '['), "64 levels"));
}
TEST_CASE("L-13 whatever is accepted is strict JSON, and strict JSON is accepted unchanged in meaning") {
    const auto strict =
        R"({"s":"a\"b\\c\/\b\f\n\r\t\u0001","n":[0,-1,2.5,1E-2,9007199254740993],"o":{"":{}},"u":"日本"})";
    const auto r = lenient_object(strict);
    REQUIRE(r.ok());
    CHECK(nlohmann::json::parse(r.json) == nlohmann::json::parse(strict));
    CHECK(lenient_object(r.json).json == r.json);
}
TEST_CASE("L-13 the reader of arguments looks at each character a bounded number of times") {
    constexpr std::size_t size = (1 << 20) - 16;
    for (const std::string piece : {"\"", "'a':", "[", "{a:", "// x\n", "/*", "\\", "1", "`", "#", " ", "{\"a\":1},"}) {
        std::string text = "{\"k\": ";
        while (text.size() + piece.size() < size) text += piece;
        CHECK(lenient_object(text).examined <= text.size());
    }
}
