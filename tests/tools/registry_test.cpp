#include "engine/asio.hpp"
#include "engine/error.hpp"
#include "engine/testing/await.hpp"
#include "engine/text/utf8.hpp"
#include "tests/support/sentence.hpp"
#include "tools/arithmetic.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include "tools/schema/arguments.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::tools;

namespace {
enum class Unit { metre, foot };
BOOST_DESCRIBE_ENUM(Unit, metre, foot)
struct Measure {
    std::vector<double> lengths;
    Unit unit;
    std::optional<int> digits;
};
BOOST_DESCRIBE_STRUCT(Measure, (), (lengths, unit, digits))

Registry some_tools() {
    Registry tools;
    for (auto& tool : arithmetic()) tools.add(tool);
    tools.add(make_tool("measure", "", [](const Measure& m) { return m.lengths.size(); }));
    tools.add(make_tool("half", "", [](int n) { return n / 2; }, {"n"}));
    tools.add(make_tool("long", "", [] { return std::string(70'000, 'a') + "\xC3\xA9"; }));
    tools.add(make_tool("bad", "", []() -> int { throw std::runtime_error("the disk is full"); }));
    tools.add(make_tool("worse", "", []() -> int { throw 1; }));
    tools.add(
        make_tool("stopped", "", []() -> int { throw boost::system::system_error(asio::error::operation_aborted); }));
    return tools;
}
Observation called(std::string name, std::string arguments) {
    static const Registry tools = some_tools();
    return testing::await(tools.call(std::move(name), std::move(arguments)));
}
void fails(std::string name, std::string arguments, std::string_view sentence) {
    auto observation = called(std::move(name), std::move(arguments));
    CHECK(!observation.ok);
    INFO(observation.text);
    CHECK(observation.text.starts_with(sentence));
}
std::string usage(auto&& act) { return testing::sentence(Code::usage, act); }
}

TEST_CASE("a call parses, validates and runs, and returns the result") {
    auto sum = called("add", R"({"a": 5000, "b": 500, "unknown": []})");
    CHECK(sum.text == "5500");
    CHECK(sum.ok);
    CHECK(called("measure", R"({"lengths": [1, 2.5], "unit": "foot", "digits": null})").text == "2");
    CHECK(called("half", R"({"n": 8.0})").text == "4");
    for (auto* nothing : {"", "  \n", "null", "{}"}) CHECK(called("long", nothing).ok);
}

TEST_CASE("bad arguments make an observation with the fault, its place, and the expected form") {
    fails("add", R"({"a": 1, "b": "2"})",
          "Error: wrong arguments for add: arguments.b: expected number, got a string. "
          R"(Expected: {"a": number, "b": number})");
    fails("add", R"({"a": 1})", "Error: wrong arguments for add: arguments.b: missing. Expected: {");
    fails("add", "[1, 2]",
          "Error: wrong arguments for add: arguments: expected {\"a\": number, \"b\": number}, got an array");
    fails("add", "\"1 + 2\"", "Error: wrong arguments for add: arguments: expected {");
    fails("measure", R"({"lengths": [1, null], "unit": "foot"})",
          "Error: wrong arguments for measure: arguments.lengths[1]: expected number, got null. Expected: "
          R"({"digits" (optional): integer or null, "lengths": [number, ...], "unit": "metre" or "foot"})");
    fails("measure", R"({"lengths": [], "unit": "inch"})",
          R"(Error: wrong arguments for measure: arguments.unit: expected "metre" or "foot", got "inch")");
    fails("half", R"({"n": 4294967296})",
          "Error: arguments.n: expected an integer from -2147483648 to 2147483647, got 4294967296");
    fails("half", R"({"n": 1.5})", "Error: wrong arguments for half: arguments.n: expected integer, got 1.5");
}

TEST_CASE("arithmetic on integers is exact or refused") {
    CHECK(called("add", R"({"a": 9007199254740990, "b": 1})").text == "9007199254740991");
    CHECK(called("multiply", R"({"a": 6.02e23, "b": 2})").text == "1.204e+24");
    fails("add", R"({"a": 9007199254740993, "b": 0})",
          "Error: the integer 9007199254740993 is 2^53 or more, too large to be exact");
    fails("divide", R"({"a": 1, "b": -9007199254740992})", "Error: the integer -9007199254740992 is 2^53 or more");
    fails("add", R"({"a": 9007199254740991, "b": 2})", "Error: an addition gives an integer of 2^53 or more");
    fails("subtract", R"({"a": -9007199254740991, "b": 2})", "Error: a subtraction gives an integer of 2^53 or more");
    fails("multiply", R"({"a": 94906267, "b": 94906267})", "Error: a multiplication gives an integer of 2^53 or more");
}

TEST_CASE("unacceptable JSON is refused before any tool sees it") {
    auto wrong = [](std::string text, std::string_view why) {
        fails("add", std::move(text), "Error: wrong arguments for add: " + std::string(why));
    };
    wrong("{\"a\": 1,", "the text is not acceptable JSON: it has a syntax error at line 1, column 8");
    wrong("{'a': 1}", "the text is not acceptable JSON");
    wrong(R"({"a": 1, "b": 2} trailing)", "the text is not acceptable JSON");
    wrong(R"({"a": 1, "a": 2, "b": 3})", "the text is not acceptable JSON: it has the key 'a' twice");
    wrong(R"({"a": NaN, "b": 1})", "the text is not acceptable JSON");
    wrong(R"({"a": 1e999, "b": 1})", "the text is not acceptable JSON: it has a number that is too large");
    wrong(R"({"a": 100000000000000000000, "b": 1})", "the text is not acceptable JSON: it has a number beyond 64 bits");
    wrong(std::string(100'000, '['), "the text is not acceptable JSON: it has more than 64 levels");
    wrong("\"" + std::string(2u << 20, 'x') + "\"", "the JSON text is longer than 1048576 bytes");
    wrong("{\"a\": \"\xFF\"}", "the text is not acceptable JSON");
}

TEST_CASE("an unknown tool makes an observation with a list of the tools") {
    fails("subtrct", "{}", "Error: there is no tool 'subtrct'; there are: add, subtract, multiply, divide, measure");
    fails(std::string(1000, '\xFF'), "", "Error: there is no tool '\xEF\xBF\xBD");
    Registry none;
    CHECK(testing::await(none.call("x", "")).text == "Error: there is no tool 'x'; there are: none");
}

TEST_CASE("a tool's exception makes an observation, except cancellation") {
    fails("bad", "", "Error: the disk is full");
    fails("worse", "", "Error: the tool failed");
    fails("divide", R"({"a": 1, "b": 0})", "Error: division by zero");
    CHECK_THROWS_AS(called("stopped", ""), boost::system::system_error);
}

TEST_CASE("an observation is bounded, marked where it was cut, and still UTF-8") {
    auto observation = called("long", "");
    CHECK(observation.text.size() < 66'000);
    CHECK(observation.text.ends_with("\n[truncated: the first 65536 of 70002 bytes]"));
    CHECK(is_utf8(observation.text));
}

TEST_CASE("names are checked when tools are added, and a selection keeps its order") {
    Registry tools = some_tools();
    auto named = [](std::string name) { return make_tool(std::move(name), "", [] { return 1; }); };
    CHECK(usage([&] { tools.add(named("add")); }) == "there are two tools named 'add': give one another name");
    for (const std::string& name : std::vector<std::string>{"", "a b", "a.b", "caf\xC3\xA9", std::string(65, 'a')})
        CHECK(usage([&] { tools.add(named(name)); }).find("cannot be the name of a tool") != std::string::npos);
    auto two = tools.only({"divide", "add"});
    CHECK(two.all().size() == 2);
    CHECK(two.all()[0]->name() == "divide");
    CHECK(testing::await(two.call("add", R"({"a": 1, "b": 2})")).text == "3");
    CHECK(usage([&] { tools.only({"nope"}); }).starts_with("there is no tool 'nope': there are add, subtract"));
}
TEST_CASE("an invalid schema is refused, and changes nothing else") {
    for (const auto* schema :
         {R"({"type": "object", "properties": {"a": {"type": 1}}})", R"({"type": "object", "required": 7})",
          R"({"type": "object", "properties": []})", R"({"type": "object", "properties": {"a": {"multipleOf": 0}}})",
          R"({"type": "object", "$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}})",
          R"({"type": "object", "items": [{"$ref": "#/nowhere"}]})", R"({"type": "object", "not": {"$ref": "x.json"}})",
          R"({"type": "object", "properties": {"a": {"type": "string", "pattern": "(a"}}})",
          R"({"type": "object", "anyOf": [{"patternProperties": {"(": {}}}]})"})
        CHECK_THROWS_AS(Validator(nlohmann::json::parse(schema)), Error);
    const Validator odd_names(nlohmann::json::parse(
        R"({"type": "object", "properties": {"pattern": {"type": "string"}, "me": {"$ref": "#"}}})"));
    CHECK(odd_names.mistake({{"pattern", "x"}, {"me", {{"pattern", "y"}}}}).empty());
}
