// JSON between programs: half characters in input, lines in output, and the order of fields.
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/json/line.hpp"
#include "engine/json/order.hpp"
#include <doctest/doctest.h>
#include <map>
using namespace weft;
using nlohmann::json;

namespace {
const std::string unknown = "\xEF\xBF\xBD";
struct Place {
    std::string street, city;
    int area = 0;
};
BOOST_DESCRIBE_STRUCT(Place, (), (street, city, area))
struct Trip {
    std::string to;
    std::optional<Place> from;
    std::vector<Place> by;
    std::map<std::string, Place> at;
    std::variant<std::monostate, Place, int> next;
    std::tuple<int, Place> last;
    std::string also;
};
BOOST_DESCRIBE_STRUCT(Trip, (), (to, from, by, at, next, last, also))
}

TEST_CASE("half a surrogate pair becomes U+FFFD at any place, and a whole one its character") {
    struct Row {
        std::string text, value;
    };
    const Row rows[] = {
        {R"("a\ud83d b")", "a" + unknown + " b"},
        {R"("\ud83d")", unknown},
        {R"("\uDE00 a")", unknown + " a"},
        {R"("\ud83d\ud83d\ude00")", unknown + "\xF0\x9F\x98\x80"},
        {R"("\ude00\ud83d")", unknown + unknown},
        {R"("\ud83d\n")", unknown + "\n"},
        {R"("\\ud83d \ud83d")", "\\ud83d " + unknown},
        {R"("\ud83d\u0041")", unknown + "A"},
        {"\"a\xED\xA0\xBD b\"", "a" + unknown + " b"},
        {"\"\xED\xB8\x80\"", unknown},
        {"\"\xED\x95\x9C \\ud83d\"", "\xED\x95\x9C " + unknown},
    };
    for (const auto& row : rows) {
        CAPTURE(row.text);
        CHECK(parse_json(row.text) == json(row.value));
        CHECK(parse_json("{" + row.text + ":[" + row.text + "]}").begin().key() == row.value);
    }
}
TEST_CASE("an error names its own place when half a surrogate pair precedes it") {
    const auto wrong = [](std::string_view text) {
        try {
            return parse_json(text).dump();
        } catch (const Error& error) { return std::string(error.what()); }
    };
    CHECK(wrong("{\"a\": \"\\ud83d\",\n \"b\": x}") == wrong("{\"a\": \"\\u1234\",\n \"b\": x}"));
    CHECK(wrong(R"(["\ud83d"])" + std::string("x")).find("syntax error") != std::string::npos);
    CHECK(wrong(R"({"\ud83d": 1, "\ud83e": 2})").find("twice") != std::string::npos);
    CHECK(wrong(R"("\ud8")").find("syntax error") != std::string::npos);
    CHECK(wrong("\"\xED\xA0\"").find("not UTF-8") != std::string::npos);
    CHECK(wrong("\"\xFF\"").find("not UTF-8") != std::string::npos);
}
TEST_CASE("a line of JSON has no line separator of any reader, and the same meaning") {
    const std::string dividing = std::string("a\xC2\x85") + "b\xE2\x80\xA9" + "c\xE2\x80\xA6\xC2\xA0\xE2\x80\xA8";
    const json value = {{"k\xE2\x80\xA8", dividing}, {"n", "\n\x0B\x1C"}};
    const auto line = json_line(value);
    CHECK(json::parse(line) == value);
    for (const auto* separator : {"\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9", "\n", "\x0B", "\x1C"})
        CHECK(line.find(separator) == line.npos);
    CHECK(line.find("\xE2\x80\xA6") != line.npos);
    CHECK(as_one_line("{}") == "{}");
    CHECK(with_line_breaks("a\xE2\x80\xA8"
                           "b\xC2\x85"
                           "c\xE2\x80\xA9") == "a\nb\nc\n");
    CHECK(json_line(nlohmann::ordered_json{{"b", "\xE2\x80\xA8"}, {"a", 1}}) == R"({"b":"\u2028","a":1})");
    CHECK(json_line(json("\xFF")) == "\"" + unknown + "\"");
}
TEST_CASE("fields keep the order of their declaration in values and schemas at any depth") {
    const Place place{"Via Appia", "Rome", 7};
    const Trip trip{"Rome", place, {place}, {{"b", place}, {"a", place}}, place, {1, place}, "x"};
    const std::string inner = R"({"street":"Via Appia","city":"Rome","area":7})";

    const auto& shape = json_detail::shape_of<Trip>;
    CHECK(json_detail::in_declared_order(to_json(trip), shape).dump() ==
          R"({"to":"Rome","from":)" + inner + R"(,"by":[)" + inner + R"(],"at":{"a":)" + inner + R"(,"b":)" + inner +
              R"(},"next":{"Place":)" + inner + R"(},"last":[1,)" + inner + R"(],"also":"x"})");

    const auto form = schema<Trip>();
    const auto ordered = json_detail::schema_in_declared_order(form, shape);
    CHECK(json(ordered) == form);
    const auto names = [](const nlohmann::ordered_json& object) {
        std::string all;
        for (const auto& [name, part] : object.at("properties").items()) all += name + " ";
        return all;
    };
    const auto& fields = ordered.at("properties");
    CHECK(names(ordered) == "to from by at next last also ");
    CHECK(names(fields.at("from")) == "street city area ");
    CHECK(names(fields.at("by").at("items")) == "street city area ");
    CHECK(names(fields.at("at").at("additionalProperties")) == "street city area ");
    CHECK(names(fields.at("next").at("anyOf").at(1).at("properties").at("Place")) == "street city area ");
    CHECK(names(fields.at("last").at("prefixItems").at(1)) == "street city area ");
}
