// Untrusted schemas of servers and models: none ends or blocks the program.
#include "engine/error.hpp"
#include "tools/schema/arguments.hpp"
#include "tools/schema/schema_check.hpp"
#include "tools/schema/schema_graph.hpp"
#include <doctest/doctest.h>
#include <functional>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::tools;
using nlohmann::json;

namespace {
json with_parts(json parts) {
    return {{"type", "object"}, {"$defs", std::move(parts)}, {"properties", {{"x", {{"$ref", "#/$defs/a"}}}}}};
}
json to(const std::string& part) { return {{"$ref", "#/$defs/" + part}}; }
/// Returns definitions a, d1, d2 ..., each made of the next one.
json chain(int length, const std::function<json(json)>& made_of) {
    json parts = {{"d" + std::to_string(length), {{"type", "string"}}}};
    for (int i = 0; i < length; ++i)
        parts[i ? "d" + std::to_string(i) : "a"] = made_of(to("d" + std::to_string(i + 1)));
    return with_parts(std::move(parts));
}
json nested(int depth, const std::function<json(json)>& around, json innermost) {
    for (int i = 0; i < depth; ++i) innermost = around(std::move(innermost));
    return innermost;
}
}

TEST_CASE("a schema that refers to itself for the same value is refused, with any keyword") {
    const auto a = to("a");
    for (const auto& part :
         {a, json{{"allOf", {json::object(), a}}}, json{{"anyOf", json::array({a})}}, json{{"oneOf", json::array({a})}},
          json{{"not", a}}, json{{"if", a}}, json{{"if", true}, {"then", a}}, json{{"if", true}, {"else", a}},
          json{{"dependencies", {{"y", a}}}}, json{{"dependentSchemas", {{"y", a}}}},
          json{{"allOf", json::array({json{{"not", json{{"anyOf", json::array({a})}}}}})}}}) {
        INFO(part.dump());
        CHECK(schema_mistake(with_parts({{"a", part}})).find("leads back to itself") != std::string::npos);
        CHECK_THROWS_AS(Validator(with_parts({{"a", part}}), "result"), Error);
    }
    CHECK(schema_mistake(
              with_parts({{"a", {{"allOf", json::array({to("b")})}}}, {"b", {{"anyOf", json::array({a})}}}})) != "");
}
TEST_CASE("a schema is valid when it refers to itself for a part of the value") {
    const auto a = to("a");
    for (const auto& part :
         {json{{"properties", {{"x", a}}}}, json{{"items", a}}, json{{"additionalProperties", a}},
          json{{"anyOf", {{{"type", "string"}}, {{"type", "array"}, {"items", a}}}}}, json{{"contains", a}}})
        CHECK(schema_mistake(with_parts({{"a", part}})) == "");
    const Validator tree(with_parts({{"a", {{"type", {"object", "string"}}, {"properties", {{"x", a}}}}}}));
    const auto around = [](json inner) { return json{{"x", std::move(inner)}}; };
    CHECK(tree.mistake(nested(60, around, "leaf")) == "");
    CHECK(tree.mistake(nested(60, around, 7)) != "");
}
TEST_CASE("a reference is refused when the validator would follow it elsewhere") {
    for (const char* ref : {"#/$defs/%61", "#/$defs/a/"})
        CHECK(schema_mistake({{"$defs", {{"a", json::object()}, {"%61", json::object()}}}, {"$ref", ref}}) != "");
}
TEST_CASE("a schema multiplying its parts is refused when it is read") {
    const auto twice = [](json part) { return json{{"allOf", {part, part}}}; };
    CHECK(schema_mistake(chain(6, twice)) == "");
    CHECK(schema_mistake(chain(14, twice)).find("too often") != std::string::npos);
    CHECK(schema_mistake(chain(40, twice)) != "");
}
TEST_CASE("a schema with very many steps of references is refused when it is read") {
    const auto once = [](json part) { return json{{"allOf", json::array({std::move(part)})}}; };
    const auto deeper = [](json part) { return json{{"items", std::move(part)}}; };
    CHECK(schema_mistake(chain(5, once)) == "");
    CHECK(schema_mistake(chain(140, deeper)) == "");
    for (const auto& schema : {chain(100, once), chain(4000, once), chain(4000, deeper)})
        CHECK(schema_mistake(schema).find("too far") != std::string::npos);
    auto many = json::object();
    for (int i = 0; i < 11'000; ++i) many["p" + std::to_string(i)] = json::object();
    CHECK(schema_mistake({{"properties", std::move(many)}}) == "has more than 10000 parts");
}
TEST_CASE("the longest allowed chains of references fit on the stack") {
    const auto deeper = [](json part) { return json{{"items", std::move(part)}}; };
    const Validator far(chain(145, deeper));
    CHECK(far.mistake({{"x", nested(
                                 62, [](json inner) { return json::array({std::move(inner)}); }, "leaf")}}) == "");
    // Thirteen parts for each of 62 nested values.
    auto part = nested(
        12,
        [](json inner) {
            return json{{"allOf", json::array({std::move(inner)})}};
        },
        json{{"items", to("a")}});
    const Validator deep(with_parts({{"a", std::move(part)}}));
    CHECK(deep.mistake({{"x", nested(
                                  62, [](json inner) { return json::array({std::move(inner)}); }, "leaf")}}) == "");
}
TEST_CASE("a schema multiplying with the depth of a value ends the validation, in a sentence") {
    const json once = {{"items", to("a")}}, twice = {{"allOf", {once, once}}};
    const Validator validator(with_parts({{"a", twice}}));
    const auto value = [](int depth) {
        return json{{"x", nested(
                              depth, [](json inner) { return json::array({std::move(inner)}); }, "leaf")}};
    };
    CHECK(validator.mistake(value(8)) == "");
    CHECK(validator.mistake(value(60)) == "arguments: cannot be checked (its schema looks at it too often)");
    CHECK(validator.mistake(value(8)) == "");
}
TEST_CASE("a validation's number of checks is bounded for any value") {
    json choices = json::array();
    for (int i = 0; i < 4000; ++i) choices.push_back(i);
    const Validator validator(
        {{"type", "object"}, {"properties", {{"x", {{"type", "array"}, {"items", {{"enum", choices}}}}}}}});
    json value = {{"x", json::array()}, {"padding", json::array()}};
    for (int i = 0; i < 5000; ++i) value["x"].push_back(3999);
    for (int i = 0; i < 1'000'000; ++i) value["padding"].push_back(0);
    CHECK(validator.mistake(value) == "arguments: cannot be checked (its schema looks at it too often)");
}
TEST_CASE("large values with schemas of usual size are validated to their end") {
    const Validator validator(
        {{"type", "object"},
         {"properties",
          {{"x", {{"type", "array"}, {"items", {{"anyOf", {{{"type", "integer"}}, {{"type", "null"}}}}}}}}}}});
    auto numbers = json::array();
    for (int i = 0; i < 40'000; ++i) numbers.push_back(i);
    CHECK(validator.mistake({{"x", numbers}}) == "");
    numbers.push_back("no");
    CHECK(validator.mistake({{"x", numbers}}) != "");
}
TEST_CASE("uniqueItems is by value, and takes no longer for many items") {
    const Validator validator(
        {{"type", "object"}, {"properties", {{"x", {{"type", "array"}, {"uniqueItems", true}}}}}});
    const auto mistake = [&](json items) { return validator.mistake({{"x", std::move(items)}}); };
    CHECK(mistake({1, "1", 1.5, true, "true", nullptr, json::object(), json::array()}) == "");
    CHECK(mistake({1, 2, 1}) == "arguments.x: item 2 is like one before it");
    CHECK(mistake({1, 1.0}) != "");
    CHECK(mistake({{{"a", 1}, {"b", 2}}, {{"b", 2}, {"a", 1}}}) != "");
    CHECK(mistake({json::array({1, 2}), json::array({2, 1}), json::array({"1,2"})}) == "");
    auto many = json::array();
    for (int i = 0; i < 100'000; ++i) many.push_back(i);
    CHECK(mistake(std::move(many)) == "");  // comparing all pairs would take hours
    CHECK(Validator(json{{"type", "object"}, {"uniqueItems", false}}).mistake(json::object()) == "");
}
TEST_CASE("a graph finds cycles, its longest path and its number of paths") {
    SchemaGraph graph(5);
    for (const auto& [from, to] : {std::pair(0, 1), {0, 2}, {1, 3}, {2, 3}, {3, 4}}) graph.add(from, to);
    CHECK_FALSE(graph.is_endless());
    CHECK(graph.longest_way() == 4);
    CHECK(graph.ways(100) == 7);
    CHECK(graph.ways(3) == 3);
    auto circle = graph;
    circle.add(4, 1);
    CHECK(circle.is_endless());
    CHECK(circle.longest_way() == 5);
    auto loop = graph;
    loop.add(4, 4);
    CHECK(loop.is_endless());
}
