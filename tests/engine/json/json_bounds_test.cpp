// JSON at its bounds: the last fitting number and the first unfitting one, and the shown part of a value.
#include "engine/json.hpp"
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
using namespace weft;
using nlohmann::json;

namespace {
enum class Colour { red, green };
BOOST_DESCRIBE_ENUM(Colour, red, green)
struct Box {
    std::optional<JsonText> anything;
    std::optional<std::vector<int>> list;
    std::optional<int> number;
};
BOOST_DESCRIBE_STRUCT(Box, (), (anything, list, number))
using Nested = std::map<std::string, std::map<std::string, std::vector<int>>>;

template <class T> std::string refusal(const json& value) {
    try {
        from_json<T>(value);
    } catch (const Error& e) { return e.what(); }
    return "taken";
}
std::string wrong(std::string_view text, JsonLimits limits = {}) {
    try {
        parse_json(text, limits);
    } catch (const Error& e) { return e.what(); }
    return "taken";
}
}

TEST_CASE("integers are accepted up to their bounds, in any notation") {
    for (const json& value : {json(-128), json(127), json(127u), json(-128.0), json(127.0), json(0), json(0.0)})
        CHECK(from_json<std::int8_t>(value) == value.get<int>());
    for (const json& value : {json(-129), json(128), json(128u), json(-129.0), json(128.0)})
        CHECK(refusal<std::int8_t>(value) == "expected an integer from -128 to 127, got " + value.dump());
    for (const json& value : {json(0), json(255), json(255u), json(0.0), json(255.0)})
        CHECK(from_json<std::uint8_t>(value) == value.get<int>());
    for (const json& value : {json(-1), json(256), json(256u), json(-1.0), json(256.0)})
        CHECK(refusal<std::uint8_t>(value) == "expected an integer from 0 to 255, got " + value.dump());
    CHECK(from_json<std::int64_t>(json(std::uint64_t(INT64_MAX))) == INT64_MAX);
    CHECK(refusal<std::int64_t>(json(std::uint64_t(INT64_MAX) + 1)).ends_with("got 9223372036854775808"));
    CHECK(from_json<std::uint64_t>(json(UINT64_MAX)) == UINT64_MAX);
    CHECK(from_json<std::uint64_t>(json(INT64_MAX)) == std::uint64_t(INT64_MAX));
}
TEST_CASE("a whole number in floating point is an integer as long as it is exact") {
    for (double exact : {9007199254740992.0, -9007199254740992.0, 1.0, -0.0})
        CHECK(from_json<std::int64_t>(json(exact)) == std::int64_t(exact));
    CHECK(from_json<std::uint64_t>(json(9007199254740992.0)) == 9007199254740992u);
    for (double other : {9007199254740994.0, -9007199254740994.0, 0.5}) {
        CHECK(refusal<std::int64_t>(json(other)) == "expected an integer, got " + json(other).dump());
        CHECK(refusal<std::uint64_t>(json(other)) == "expected an integer, got " + json(other).dump());
    }
    CHECK(refusal<std::uint64_t>(json(true)) == "expected an integer, got a boolean");
}
TEST_CASE("numbers are accepted up to the bounds of their type") {
    const double most = std::numeric_limits<float>::max();
    CHECK(from_json<float>(json(most)) == std::numeric_limits<float>::max());
    CHECK(from_json<float>(json(-most)) == std::numeric_limits<float>::lowest());
    CHECK(refusal<float>(json(most * 1.001)).starts_with("expected a number in range, got 3.4"));
    CHECK(from_json<double>(json(7)) == 7);
    CHECK(refusal<double>(json("7")) == "expected a number, got a string");
}
TEST_CASE("a JSON error names the kind of the value found, and shows a short value that is nearly right") {
    const std::pair<json, const char*> kinds[] = {
        {nullptr, "null"},           {"text", "a string"},          {true, "a boolean"},
        {json::array(), "an array"}, {json::object(), "an object"}, {json::binary({1}), "binary data"}};
    for (auto& [value, kind] : kinds) CHECK(refusal<int>(value) == std::string("expected an integer, got ") + kind);
    const std::string short_one(38, 'x'), long_one(39, 'x');  // with their quotes 40 and 41
    CHECK(refusal<Colour>(short_one) == "expected one of red, green, got \"" + short_one + "\"");
    CHECK(refusal<Colour>(long_one) == "expected one of red, green, got a string");
    CHECK(refusal<Colour>(7) == "expected one of red, green, got 7");
}
TEST_CASE("a path names keys and places; long keys and long paths are cut") {
    CHECK(refusal<Nested>(json{{"a", {{"b", {1, 2, "x"}}}}}) == "a.b[2]: expected an integer, got a string");
    const std::string key(61, 'k');
    CHECK(refusal<Nested>(json{{key, 1}}).starts_with(key.substr(0, 60) + ": expected an object"));

    using Deep =
        std::map<std::string,
                 std::map<std::string, std::map<std::string, std::map<std::string, std::map<std::string, int>>>>>;
    const auto path_of = [](std::size_t last) {
        const std::string k(60, 'k');
        const auto text = refusal<Deep>(json{{k, {{k, {{k, {{k, {{std::string(last, 'k'), "x"}}}}}}}}}});
        return text.substr(0, text.find(": "));
    };
    CHECK(path_of(56).size() == 300);
    CHECK(path_of(57).size() == 303);
    CHECK(path_of(57).ends_with("k..."));
}
TEST_CASE("an optional's schema allows null besides the values of its type") {
    const auto properties = schema<Box>()["properties"];
    CHECK(properties["anything"] == json::object());
    CHECK(properties["list"]["type"] == json::array({"array", "null"}));
    CHECK(properties["list"]["items"]["type"] == "integer");
    CHECK(properties["number"]["type"] == json::array({"integer", "null"}));
    CHECK(schema<std::optional<Colour>>() ==
          json::parse(R"({"anyOf": [{"type": "string", "enum": ["red", "green"]}, {"type": "null"}]})"));
}
TEST_CASE("a JSON text may reach its limits, and not exceed them") {
    CHECK(wrong("[1, 2, 3]", {.bytes = 9}) == "taken");
    CHECK(wrong("[1, 2, 3]", {.bytes = 8}) == "the JSON text is longer than 8 bytes");
    CHECK(wrong("[[1]]", {.depth = 2}) == "taken");
    CHECK(wrong("{\"a\": {\"b\": {}}}", {.depth = 2}).find("more than 2 levels of nesting") != std::string::npos);
    CHECK(wrong("[[], [], [[]]]", {.depth = 3}) == "taken");  // siblings are no levels
    CHECK(wrong("12345678901234567890123", {.exact = true}).find("a number beyond 64 bits") != std::string::npos);
    CHECK(wrong("12345678901234567890123") == "taken");
    for (const char* text : {"1.5", "1e5", "1E5", "18446744073709551615", "-9223372036854775808"})
        CHECK(wrong(text, {.exact = true}) == "taken");
}
TEST_CASE("an error in JSON has its line and column") {
    const auto at = [](int line, int column) {
        return "the text is not acceptable JSON: it has a syntax error at line " + std::to_string(line) + ", column " +
               std::to_string(column);
    };
    CHECK(wrong("x") == at(1, 1));
    CHECK(wrong("[1,\n2,\nx]") == at(3, 1));
    CHECK(wrong("[1, x]") == at(1, 5));
    for (const char* blank : {"", " ", "\t\r\n "})
        CHECK(wrong(blank) == "the text is not acceptable JSON: it is empty");
    const std::string key(61, 'k');
    CHECK(wrong("{\"" + key + "\": 1, \"" + key + "\": 2}").find("the key '" + key.substr(0, 60) + "' twice") !=
          std::string::npos);
}
