// Patterns and formats in schemas, with any text of a model.
#include "engine/error.hpp"
#include "tests/support/limit.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include "tools/schema/arguments.hpp"
#include "tools/schema/pattern.hpp"
#include <chrono>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::tools;
using nlohmann::json;

namespace {
json text_like(const std::string& pattern) {
    return {{"type", "object"}, {"properties", {{"a", {{"type", "string"}, {"pattern", pattern}}}}}};
}
std::string mistake(const json& schema, const std::string& text) { return Validator(schema).mistake({{"a", text}}); }
bool fits(const std::string& pattern, const std::string& text) { return mistake(text_like(pattern), text).empty(); }
std::string refusal(const json& schema) {
    try {
        Validator{schema};
    } catch (const Error& error) {
        CHECK(error.code() == Code::usage);
        return error.what();
    }
    return "";
}
struct Schemed final : Tool {
    json schema_;
    std::string name_ = "find";
    explicit Schemed(json schema) : schema_(std::move(schema)) {}
    const std::string& name() const override { return name_; }
    const std::string& description() const override { return name_; }
    const json& schema() const override { return schema_; }
    awaitable<Observation> call(const json&) override { co_return Observation{}; }
};
}

TEST_CASE("a text is checked by its pattern, and the error names the pattern") {
    const auto schema = text_like("^[A-Z]{2}-[0-9]+$");
    CHECK(mistake(schema, "AB-12").empty());
    CHECK(mistake(schema, "ab-12") == "arguments.a: does not match the pattern ^[A-Z]{2}-[0-9]+$");
    CHECK(Validator(schema).mistake({{"a", 7}}).find("expected string, got 7") != std::string::npos);
}
TEST_CASE("patterns have the meaning of JSON Schema, which is JavaScript's") {
    CHECK(fits("b+", "abbc"));  // anywhere
    CHECK_FALSE(fits("^b", "ab"));
    CHECK_FALSE(fits("a$", "a\n"));
    CHECK(fits("^\\d\\w\\s$", "7x "));
    CHECK(fits("^[\\u4e00-\\u9fa5]+$", "\xe4\xb8\xad\xe6\x96\x87"));
    CHECK(fits("^\\uD83D\\uDE00$", "\xf0\x9f\x98\x80"));
    CHECK(fits("^\\\\u0041$", "\\u0041"));
    CHECK(fits("^.$", "\xe2\x82\xac"));  // a character, not a byte
    CHECK(fits("^a\\/b\\.c(?:d|e)*?$", "a/b.cde"));
    CHECK_FALSE(fits("^.$", "\xff"));
}
TEST_CASE("a pattern is bounded in time and stack for any text of a model") {
    const std::string long_text(1 << 20, 'a');
    const auto begin = std::chrono::steady_clock::now();
    CHECK_FALSE(fits("^(a+)+$", long_text + "b"));
    CHECK_FALSE(fits("^(a|aa)+$", long_text + "b"));
    CHECK(fits("^(.|\\n)*$", long_text));
    CHECK(std::chrono::steady_clock::now() - begin < test::limit);
}
TEST_CASE("an unknown pattern is refused when the tool is added, with its place and the cure") {
    const std::string without = "look-ahead, look-behind, back references and groups with names are not known here: "
                                "write it without";
    for (const auto& [pattern, why] : {std::pair<std::string, std::string>{"^(?=.*\\d).+$", without},
                                       {"(?!x)y", without},
                                       {"(?<=x)y", without},
                                       {"(a)\\1", without},
                                       {"(?<year>[0-9]+)", without},
                                       {"^a{1,2000}$", "bound the length by maxLength"},
                                       {"(a{100}){100}", "bound the length by maxLength"},
                                       {"^\\pL{1000}$", "write a simpler one"},
                                       {std::string(5000, 'a'), "is longer than 4096 bytes"},
                                       {"(a", "correct it"}}) {
        const auto said = refusal(text_like(pattern));
        CHECK_MESSAGE(said.find("the schema of the arguments has a pattern at #/properties/a that ") == 0, said);
        CHECK_MESSAGE(said.find(why) != std::string::npos, said);
        CHECK(said.size() < 400);
    }
    Registry registry;
    CHECK_THROWS_WITH_AS(registry.add(std::make_shared<Schemed>(text_like("(?=a)"))),
                         "the tool 'find' cannot be added: the schema of the arguments has a pattern at #/properties/a "
                         "that cannot be used (invalid perl operator: (?=): look-ahead, look-behind, back references "
                         "and groups with names are not known here: write it without",
                         Error);
    CHECK(registry.all().empty());
}
TEST_CASE("patterns are found only where a schema may be") {
    const auto schema = json::parse(R"({"type": "object",
        "properties": {
            "pattern": {"type": "string", "pattern": "^x$"},
            "format": {"type": "string"},
            "enum": {"items": [{"pattern": "^y$"}]},
            "const": {"anyOf": [{"type": "integer"}, {"type": "string", "pattern": "^z$"}]},
            "odd": {"$ref": "#/more/kinds/odd"},
            "data": {"enum": [{"pattern": "(?=", "format": "date"}]},
            "map": {"propertyNames": {"pattern": "^k"}}},
        "more": {"kinds": {"odd": {"pattern": "^[13579]+$"}}}})");
    const Validator validator(schema);
    const auto says = [&](const char* value) { return validator.mistake(json::parse(value)); };
    CHECK(says(R"({"pattern": "x", "format": "any", "enum": ["y"], "const": "z", "odd": "135", "map": {"k1": 1},
                   "data": {"pattern": "(?=", "format": "date"}})") == "");
    for (const char* wrong : {R"({"pattern": "y"})", R"({"enum": ["x"]})", R"({"const": "y"})", R"({"odd": "2"})",
                              R"({"map": {"l": 1}})", R"({"data": {"weft:pattern": "(?=", "weft:format": "date"}})"})
        CHECK_MESSAGE(says(wrong) != "", wrong);
    CHECK(says(R"({"odd": "2"})") == "arguments.odd: does not match the pattern ^[13579]+$");
    CHECK(refusal(json::parse(R"({"type": "object", "properties": {"a": {"$ref": "#/properties/b/default"},
                                  "b": {"default": {"pattern": "(a+)+"}}}})"))
              .find("to #/properties/b/default, which is not a schema") != std::string::npos);
    CHECK(refusal(json::parse(R"({"type": "object", "anyOf": [{"patternProperties": {"a": {}}}]})")) ==
          "the schema of the arguments has a patternProperties at #/anyOf/0, which is not checked here: leave it out");
}
TEST_CASE("dates and times are checked with bounded stack") {
    const auto as = [](const char* format, const std::string& text) {
        return mistake({{"type", "object"}, {"properties", {{"a", {{"format", format}}}}}}, text);
    };
    CHECK(as("date", "2024-02-29") == "");
    CHECK(as("date", "2024-04-31") == "arguments.a: is no date");
    CHECK(as("date", "2024-12-31") == "");
    CHECK(as("time", "16:52:45.5+02:00") == "");
    CHECK(as("time", "24:00:00Z") == "arguments.a: is no time");
    CHECK(as("date-time", "2024-02-29T16:52:45Z") == "");
    CHECK(as("date-time", "2024-02-30T16:52:45Z") == "arguments.a: is no date-time");
    CHECK(as("date", std::string(1 << 20, '7') + "-12-31") == "");
    CHECK(as("date", std::string(1 << 20, '7')) == "arguments.a: is no date");
    CHECK(as("an unknown one", "x") == "");
}
