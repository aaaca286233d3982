#include "engine/event.hpp"
#include "engine/json.hpp"
#include "engine/text/utf8.hpp"
#include "tests/support/sentence.hpp"
#include <cstdint>
#include <doctest/doctest.h>
#include <map>
using namespace weft;
using nlohmann::json;

namespace {
enum class Colour { red, green };
BOOST_DESCRIBE_ENUM(Colour, red, green)
struct Point {
    int x = 0, y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};
BOOST_DESCRIBE_STRUCT(Point, (), (x, y))
struct Circle {
    Point centre;
    double radius = 0;
    friend bool operator==(const Circle&, const Circle&) = default;
};
BOOST_DESCRIBE_STRUCT(Circle, (), (centre, radius))
using Shape = std::variant<std::monostate, Point, Circle, std::vector<Point>, std::string>;
struct Named : StartEvent {
    std::string name;
    friend bool operator==(const Named& a, const Named& b) { return a.name == b.name; }
};
BOOST_DESCRIBE_STRUCT(Named, (StartEvent), (name))
struct Everything : Named {
    bool flag = false;
    std::int64_t big = 0;
    std::uint8_t small = 0;
    Colour colour = Colour::red;
    std::optional<double> ratio;
    std::vector<Shape> shapes;
    std::map<std::string, Point> places;
    JsonText arguments;
    friend bool operator==(const Everything&, const Everything&) = default;
};
BOOST_DESCRIBE_STRUCT(Everything, (Named), (flag, big, small, colour, ratio, shapes, places, arguments))
struct PingEvent : StartEvent {};
struct Trail : Growing<Point> {};
struct Search {
    std::string text;
    int limit = 10;
    std::optional<Colour> colour;
    static constexpr std::string_view optional_fields[] = {"limit"};
};
BOOST_DESCRIBE_STRUCT(Search, (), (text, limit, colour))
struct Tree {
    std::vector<Tree> children;
};
BOOST_DESCRIBE_STRUCT(Tree, (), (children))
struct Anything {
    json data;
};
BOOST_DESCRIBE_STRUCT(Anything, (), (data))

std::string sentence(auto&& act) { return testing::sentence(Code::bad_json, act); }
template <class T> std::string refusal(const char* text, std::string_view root = "") {
    return sentence([&] { from_json<T>(json::parse(text), root); });
}
}

TEST_CASE("a value of every supported type is equal after JSON text and back") {
    Everything before;
    before.name = "caf\xC3\xA9 \"quoted\"\n";
    before.flag = true;
    before.big = INT64_MIN;
    before.small = 255;
    before.colour = Colour::green;
    before.ratio = 0.1;
    before.shapes = {{}, Point{1, 2}, Circle{{3, 4}, 5}, std::vector<Point>{{6, 7}}, "text"};
    before.places = {{"here", {8, 9}}, {"", {}}};
    before.arguments = {R"({"a":[1,null]})"};

    auto text = to_json(before).dump();

    CHECK(from_json<Everything>(parse_json(text)) == before);
    CHECK(from_json<Everything>(to_json(Everything{})) == Everything{});
}

TEST_CASE("JSON has the forms of the table in the header") {
    Everything e;
    e.shapes = {{}, Point{1, 2}, std::vector<Point>{}};
    e.arguments = {"{\"a\": 1}"};
    auto j = to_json(e);
    CHECK(j["shapes"].dump() == R"([null,{"Point":{"x":1,"y":2}},{"Point[]":[]}])");
    CHECK(j["colour"] == "red");
    CHECK(j["ratio"].is_null());
    CHECK(j["arguments"]["a"] == 1);
    CHECK(to_json(PingEvent{}).dump() == "{}");
    Trail trail;
    trail.push_back({1, 2});
    CHECK(to_json(trail).dump() == R"([{"x":1,"y":2}])");
    CHECK(from_json<Trail>(to_json(trail)).back() == Point{1, 2});
}

TEST_CASE("an alternative that is a list of alternatives has their names as its key") {
    using Flags = std::vector<std::variant<bool, std::string>>;
    using Either = std::variant<int, Flags>;
    const json written = {{"boolean|string[]", json::array({{{"boolean", true}}, {{"string", "x"}}})}};
    const Either either = Flags{true, "x"};
    CHECK(to_json(either) == written);
    CHECK(from_json<Either>(written) == either);
}
TEST_CASE("a missing or mistyped field is an error that names its path") {
    CHECK(refusal<Point>(R"({"x": 1})") == "y: missing, expected an integer");
    CHECK(refusal<Point>(R"({"x": 1, "y": "2"})", "arguments") == "arguments.y: expected an integer, got a string");
    CHECK(refusal<Point>("[]", "arguments") == "arguments: expected an object, got an array");
    CHECK(refusal<Circle>(R"({"centre": {"x": 1, "y": null}, "radius": 1})") ==
          "centre.y: expected an integer, got null");
    CHECK(refusal<std::vector<Circle>>(R"([{"centre": {"x": 1, "y": 1}, "radius": false}])", "list") ==
          "list[0].radius: expected a number, got a boolean");
    CHECK(refusal<std::map<std::string, Colour>>(R"({"sky": "blue"})") ==
          "sky: expected one of red, green, got \"blue\"");
    CHECK(refusal<Shape>(R"({"Square": 1})") ==
          "expected null, or an object with one of the keys Point, Circle, Point[], string, got an object");
    CHECK(refusal<Shape>(R"({"Point": {"x": 1}})") == "Point.y: missing, expected an integer");
}

TEST_CASE("unknown fields are ignored, optionals and named defaults may be missing") {
    auto found = from_json<Search>(json::parse(R"({"text": "a", "unknown": {"deep": []}})"));
    CHECK(found.text == "a");
    CHECK(found.limit == 10);
    CHECK(!found.colour);
    CHECK(refusal<Search>("{}") == "text: missing, expected a string");
    CHECK(refusal<Search>(R"({"text": "a", "limit": null})") == "limit: expected an integer, got null");
}

TEST_CASE("integers are range-checked, and a whole number may be written as 5.0") {
    CHECK(from_json<int>(json(5.0)) == 5);
    CHECK(from_json<std::uint64_t>(json(UINT64_MAX)) == UINT64_MAX);
    CHECK(from_json<std::int64_t>(json(INT64_MIN)) == INT64_MIN);
    CHECK(from_json<std::uint8_t>(json(255)) == 255);
    CHECK(from_json<std::uint8_t>(json(std::int64_t(7))) == 7);
    CHECK(refusal<std::uint8_t>("256") == "expected an integer from 0 to 255, got 256");
    CHECK(refusal<std::uint8_t>("-1") == "expected an integer from 0 to 255, got -1");
    CHECK(refusal<int>("2147483648") == "expected an integer from -2147483648 to 2147483647, got 2147483648");
    CHECK(refusal<std::int64_t>("18446744073709551615").starts_with("expected an integer from"));
    CHECK(refusal<int>("5.5") == "expected an integer, got 5.5");
    CHECK(refusal<std::int64_t>("1e300") == "expected an integer, got 1e+300");
    CHECK(refusal<float>("1e300") == "expected a number in range, got 1e+300");
}

TEST_CASE("writing refuses a number that is not finite") {
    CHECK(sentence([] {
              to_json(Circle{{}, std::numeric_limits<double>::infinity()}, "shape");
          }) == "shape.radius: JSON has no number that is not finite");
    CHECK(sentence([] { to_json(std::nan("")); }) == "JSON has no number that is not finite");
    CHECK(sentence([] { to_json(Colour(7)); }) == "7 has no name in this enum (red, green)");
}

TEST_CASE("text with invalid UTF-8 is dumped with its wrong bytes replaced") {
    Named n;
    n.name = "a\xFF\xC3(\xED\xA0\x80";
    CHECK(to_json(n).dump() == "{\"name\":\"a\xEF\xBF\xBD\xEF\xBF\xBD(\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"}");
    CHECK(is_utf8("z\xC3\x9F\xE6\xB0\xB4\xF0\x9F\x8D\x8C"));
    CHECK(!is_utf8("\xC0\xAF"));
    CHECK(!is_utf8("\xF4\x90\x80\x80"));
    CHECK(utf8_cut("a\xE6\xB0\xB4", 3) == "a");
    CHECK(utf8_cut("a\xE6\xB0\xB4", 4) == "a\xE6\xB0\xB4");
}

TEST_CASE("numbers of each width are written and read") {
    const json numbers = {2.5, -0.125, 3};
    CHECK(from_json<std::vector<float>>(numbers) == std::vector<float>{2.5F, -0.125F, 3});
    CHECK(from_json<std::vector<double>>(numbers) == std::vector<double>{2.5, -0.125, 3});
    CHECK(from_json<std::vector<long double>>(numbers) == std::vector<long double>{2.5L, -0.125L, 3});
    CHECK(to_json(std::vector<long double>{2.5L, -0.125L, 3}) == numbers);
}
TEST_CASE("JSON of any kind in a struct is written and read unchanged") {
    for (const char* text : {R"({"a": [1, null], "b": "x"})", "[]", "null", "2.5", R"("text")"}) {
        const Anything anything{json::parse(text)};
        CHECK(to_json(anything) == json{{"data", json::parse(text)}});
        CHECK(from_json<Anything>(to_json(anything)).data == json::parse(text));
    }
    CHECK(refusal<Anything>("{}") == "data: missing, expected a value");
}
TEST_CASE("JsonText is a JSON value when possible, and else the same text") {
    CHECK(to_json(JsonText{" [1, 2] "}).dump() == "[1,2]");
    CHECK(to_json(JsonText{"null"}).is_null());
    auto deep = std::string(33, '[') + std::string(33, ']');
    for (std::string text :
         {"{\"a\": 1", "{\"a\":1,\"a\":2}", "\"text\"", "", "123456789012345678901234", "1e999", "NaN", deep.c_str()}) {
        auto wire = to_json(JsonText{text});
        CHECK(wire.is_string());
        CHECK(from_json<JsonText>(wire).text == text);
    }
}
TEST_CASE("a JsonText is stored as the same text, as a JSON value where that restores it") {
    const auto stored = [](const JsonText& text) {
        namespace detail = json_detail;
        return detail::write(detail::shape_of<JsonText>, &text, detail::Path("text", detail::TextForm::unchanged));
    };
    for (const char* text : {R"({"a":[1,2.5,null],"b":"x"})", "[]", "12", "true"}) {
        CHECK(stored({text}) == json::parse(text));
        CHECK(from_json<JsonText>(stored({text})).text == text);
    }
    for (const char* text : {R"({"b": 1, "a": 2})", R"({"b":1,"a":2})", " [1]", "1.50", R"("text")", "", "oops"}) {
        CHECK(stored({text}) == text);
        CHECK(from_json<JsonText>(stored({text})).text == text);
    }
}

TEST_CASE("a schema lists required, allowed and default values") {
    CHECK(schema<Search>() == json::parse(R"({"type": "object", "required": ["text"], "properties": {
        "text": {"type": "string"}, "limit": {"type": "integer", "default": 10},
        "colour": {"anyOf": [{"type": "string", "enum": ["red", "green"]}, {"type": "null"}]}}})"));
    auto all = schema<Everything>();
    CHECK(all["properties"]["ratio"]["type"] == json::array({"number", "null"}));
    CHECK(all["properties"]["small"]["minimum"] == 0);
    CHECK(all["properties"]["name"]["type"] == "string");
    CHECK(all["properties"]["shapes"]["items"]["anyOf"].size() == 5);
    CHECK(all["properties"]["shapes"]["items"]["anyOf"][1]["required"][0] == "Point");
    CHECK(all["properties"]["places"]["additionalProperties"]["required"] == json::array({"x", "y"}));
    CHECK(all["required"].size() == 8);
    CHECK(schema<PingEvent>() == json::parse(R"({"type": "object", "properties": {}})"));
}

TEST_CASE("nesting is bounded in both directions and in schemas") {
    json deep = {{"children", json::array()}};
    for (int i = 0; i < 40; ++i) deep = {{"children", json::array({deep})}};
    CHECK(sentence([&] { from_json<Tree>(deep); }).ends_with("more than 64 levels of nesting"));
    Tree tree;
    for (int i = 0; i < 40; ++i) {
        Tree parent;
        parent.children.push_back(std::move(tree));
        tree = std::move(parent);
    }
    CHECK(sentence([&] { to_json(tree); }).ends_with("more than 64 levels of nesting"));
    CHECK(sentence([] { schema<Tree>(); }).ends_with("more than 64 levels of nesting"));
}

TEST_CASE("foreign JSON text is read strictly, and an error names its place") {
    CHECK(parse_json(R"({"a": [1, 2.5, "x", null, true, {}]})")["a"].size() == 6);
    auto wrong = [](std::string_view text, JsonLimits limits = {}) {
        return sentence([&] { parse_json(text, limits); });
    };
    CHECK(wrong("{\n  \"a\": oops}") == "the text is not acceptable JSON: it has a syntax error at line 2, column 8");
    CHECK(wrong("") == "the text is not acceptable JSON: it is empty");
    CHECK(wrong("{} {}").find("syntax error") != std::string::npos);
    CHECK(wrong("[NaN]").find("syntax error") != std::string::npos);
    CHECK(wrong("[1e999]").find("a number that is too large") != std::string::npos);
    CHECK(wrong("{\"name\":\n \"caf\xE9\"}") ==
          "the text is not acceptable JSON: it has bytes that are not UTF-8 at line 2, column 6; write it in UTF-8");
    CHECK(wrong("[oops, \"\xFF\"]").find("syntax error at line 1, column 2") != std::string::npos);
    CHECK(wrong("[1").find("syntax error") != std::string::npos);
    CHECK(wrong(R"({"a": {"b": 1, "b": 2}})").find("the key 'b' twice in one object") != std::string::npos);
    CHECK(wrong(std::string(100000, '[')).find("more than 64 levels") != std::string::npos);
    CHECK(wrong("[[1]]", {.depth = 1}).find("more than 1 levels") != std::string::npos);
    CHECK(wrong("[1, 2, 3]", {.bytes = 5}) == "the JSON text is longer than 5 bytes");
    CHECK(parse_json(std::string(64, '[') + std::string(64, ']')).is_array());
}
