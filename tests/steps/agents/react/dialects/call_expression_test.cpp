// The grammar of calls: accepted and refused texts, and their errors.
#include "engine/json/parse.hpp"
#include "steps/agents/react/dialects/call_expression.hpp"
#include <doctest/doctest.h>
#include <random>
using namespace weft;
using namespace weft::agents;

namespace {
std::optional<std::vector<std::string>> parameters(std::string_view tool) {
    using Names = std::vector<std::string>;
    if (tool == "f") return Names{"a", "b", "c"};
    if (tool == "multiply" || tool == "add") return Names{"a", "b"};
    if (tool == "none") return Names{};
    return std::nullopt;
}
CallExpression read(std::string_view text) { return read_call(text, parameters); }
std::string arguments(std::string_view text) {
    const auto call = read(text);
    return call.ok() ? call.arguments : "error: " + call.error;
}
std::string error(std::string_view text) {
    const auto call = read(text);
    return call.ok() ? "read as " + call.arguments : call.error;
}
}

// shows D-08: calls follow a grammar: names, arguments, arithmetic, inner calls
TEST_CASE("arguments are given by name, or in the order of the tool's parameters") {
    CHECK(read("multiply(a=465, b=321)").tool == "multiply");
    CHECK(arguments("multiply(a=465, b=321)") == R"({"a":465,"b":321})");
    CHECK(arguments("multiply(465, 321)") == R"({"a":465,"b":321})");
    CHECK(arguments("f(1, c=3)") == R"({"a":1,"c":3})");
    CHECK(arguments("none()") == "{}");
    CHECK(arguments("  f ( b = 1 , a = 2 , ) ;") == R"({"b":1,"a":2})");
    CHECK(arguments("f(\"my key\"=1)") == R"({"my key":1})");
    CHECK(arguments("`f(1)`") == R"({"a":1})");
}
TEST_CASE("values of an unknown tool have numbers as names, so that the registry can refuse the tool") {
    CHECK(read("nobody(1, \"x\", c=2)").tool == "nobody");
    CHECK(arguments("nobody(1, \"x\", c=2)") == R"({"1":1,"2":"x","c":2})");
}
TEST_CASE("literals of Python and JSON are read") {
    CHECK(arguments("f('it''s')").starts_with("error: "));
    CHECK(arguments(R"(f("a \"b\" \n \u00e9 \\", 'c "d" \'e\''))") == R"({"a":"a \"b\" \n é \\","b":"c \"d\" 'e'"})");
    CHECK(arguments("f(\"\"\"two\nlines, \"quoted\"\"\"\")").starts_with("error: "));
    CHECK(arguments("f(\"\"\"two\nlines, \"quoted\" \"\"\", '''x''')") == R"({"a":"two\nlines, \"quoted\" ","b":"x"})");
    CHECK(arguments("f(True, False, None)") == R"({"a":true,"b":false,"c":null})");
    CHECK(arguments("f(true, false, null)") == R"({"a":true,"b":false,"c":null})");
    CHECK(arguments("f([1, 'x', [None]], (1, 2), {\"k\": [1], 'l': {}})") ==
          R"({"a":[1,"x",[null]],"b":[1,2],"c":{"k":[1],"l":{}}})");
    CHECK(arguments("f((), (1,), (1))") == R"({"a":[],"b":[1],"c":1})");
    CHECK(arguments("f(-1, +2, --3)") == R"({"a":-1,"b":2,"c":3})");
    CHECK(arguments("f(.5, 1.5e3, 9007199254740993)") == R"({"a":0.5,"b":1.5e3,"c":9007199254740993})");
    CHECK(arguments("f(-9223372036854775808)") == R"({"a":-9223372036854775808})");
    CHECK(error("f(-9223372036854775809)").starts_with("this number is out of range"));
}
TEST_CASE("arithmetic on numbers follows the calculator") {
    CHECK(arguments("f(2 + 3 * 4, (2 + 3) * 4, 7 % 3)") == R"({"a":14,"b":20,"c":1})");
    CHECK(arguments("f(-2 ** 2, 2 ** -1, 2 ** 3 ** 2)") == R"({"a":-4,"b":0.5,"c":512})");
    CHECK(arguments("f(244562 / 13.2, 6 / 3, 0.1 + 0.2)") ==
          R"({"a":18527.424242424244,"b":2.0,"c":0.30000000000000004})");
    CHECK(arguments("f([1 + 1, -(2 - 5)], {'k': 2 * 2})") == R"({"a":[2,3],"b":{"k":4}})");
}
// shows B-D03: the grammar of calls is closed, with limits
TEST_CASE("powers and products are bounded, and an excess or a division by zero is refused") {
    CHECK(error("f(9 ** 9 ** 9)").find("power") != std::string::npos);
    CHECK(error("f(2 ** 53)").find("2^53 or more") != std::string::npos);
    CHECK(error("f(9007199254740992 + 1)").find("2^53 or more") != std::string::npos);
    CHECK(error("f(1e308 * 10)").find("no finite result") != std::string::npos);
    CHECK(error("f(1 / 0)").find("division by zero") != std::string::npos);
    CHECK(error("f(7 // 2)").find("there is no operator //") != std::string::npos);
    CHECK(error("f(\"a\" * 99999999)").find("a comma or ) is expected") != std::string::npos);
    CHECK(error("f([0] * 99999999)").find("arithmetic here takes only numbers") != std::string::npos);
    CHECK(error("f(add(1, 2) * 2)").find("arithmetic here takes only numbers") != std::string::npos);
    CHECK(error("f(-[1])").find("only a number can have a sign") != std::string::npos);
}
TEST_CASE("names, attributes and other non-literals are refused with a place") {
    CHECK(error("f(x)") == "the name x means nothing here: text goes between double quotes (line 1, column 3, at: x))");
    CHECK(error("f(os.system('x'))").find("os has no attributes") != std::string::npos);
    CHECK(error("f(().__class__)").find("a comma or ) is expected") != std::string::npos);
    CHECK(error("f('x'.upper())").find("a comma or ) is expected") != std::string::npos);
    CHECK(error("add(1, 2).real").find("a result has no attributes") != std::string::npos);
    CHECK(error("os.system('x')").find("the arguments are missing: write os()") != std::string::npos);
    CHECK(error("f(lambda x: 1)").find("the name lambda means nothing here") != std::string::npos);
    CHECK(error("f(a: 1)").find("a value is given by name as a=...") != std::string::npos);
    CHECK(error("f(f\"{x}\")").find("text has no letters before its quotes") != std::string::npos);
    CHECK(error("f(1 if 2 else 3)").find("a comma or ) is expected") != std::string::npos);
    CHECK(error("f(a==1)").find("the name a means nothing here") != std::string::npos);
    CHECK(error("f(*[1])").find("a value is expected here") != std::string::npos);
    CHECK(error("f({1: 2})").find("a name in double quotes") != std::string::npos);
    CHECK(error("f(nan)").find("a number must be finite") != std::string::npos);
    CHECK(error("").find("a call begins with the name of a tool") != std::string::npos);
    CHECK(error("add").find("the arguments are missing: write add()") != std::string::npos);
    CHECK(error("add(1, 2) add(3, 4)").find("there is more after the call") != std::string::npos);
    CHECK(error("add(1, 2))").find("closes nothing") != std::string::npos);
}
TEST_CASE("arguments of an impossible combination are refused") {
    CHECK(error("add(1, 2, 3)").starts_with("add takes 2 values (a, b): this is one too many (line 1, column 11"));
    CHECK(error("none(1)").starts_with("none takes 0 values: this is one too many"));
    CHECK(error("add(1, a=2)").starts_with("a is given twice"));
    CHECK(error("add(a=1, 2)").starts_with("a value without a name cannot follow one with a name"));
    CHECK(error("f({'k': 1, 'k': 2})").starts_with("the name \"k\" occurs twice"));
}
TEST_CASE("a missing parenthesis at the end is added, and nothing else is") {
    CHECK(arguments("add(1, 2") == R"({"a":1,"b":2})");
    CHECK(arguments("add(a=1, b=2, ") == R"({"a":1,"b":2})");
    CHECK(arguments("add(") == "{}");
    CHECK(read("add(1, multiply(2, 3").inner.size() == 1);
    CHECK(error("add(1, \"x").starts_with("the text that begins here is not closed (line 1, column 8"));
    CHECK(error("add(1, [2").find("not closed") != std::string::npos);
    CHECK(error("add(1, (2").find("not closed") != std::string::npos);
    CHECK(error("add(a=").find("the text ends too early") != std::string::npos);
}
// shows B-D04: text that looks like brackets stays text
TEST_CASE("parentheses, brackets and quotes inside of text are text") {
    CHECK(arguments(R"(f("a) b", '(', "]}"))") == R"({"a":"a) b","b":"(","c":"]}"})");
    CHECK(arguments(R"(f("say \"add(1, 2)\""))") == R"({"a":"say \"add(1, 2)\""})");
    CHECK(read(R"x(f("add(1, 2)"))x").inner.empty());
    CHECK(error(R"(f("he said "hi""))").find("a quote inside of text is written \\\"") != std::string::npos);
}
TEST_CASE("calls in the arguments are listed separately, each before the call that takes its result") {
    const auto call = read("add(multiply(add(1, 2), 3), b=f([0, none()], {\"x/y\": (1, add(4, 5))}))");

    REQUIRE(call.ok());
    REQUIRE(call.inner.size() == 5);
    const auto shown = [&](std::size_t i) {
        const auto& c = call.inner[i];
        return c.tool + c.arguments.text + " -> " + std::to_string(c.into) + c.place;
    };
    CHECK(shown(0) == R"(add{"a":1,"b":2} -> 1/a)");
    CHECK(shown(1) == R"x(multiply{"a":"add(1, 2)","b":3} -> 5/a)x");
    CHECK(shown(2) == "none{} -> 4/a/1");
    CHECK(shown(3) == R"(add{"a":4,"b":5} -> 4/b/x~1y/1)");
    CHECK(shown(4) == R"x(f{"a":[0,"none()"],"b":{"x/y":[1,"add(4, 5)"]}} -> 5/b)x");
    CHECK(call.arguments == R"x({"a":"multiply(add(1, 2), 3)","b":"f([0, none()], {\"x/y\": (1, add(4, 5))})"})x");
    CHECK(error("f((none()))").find("leave out the parentheses around a call") != std::string::npos);
}
TEST_CASE("calls and brackets are bounded") {
    const auto nested = [](const std::string& open, int n, const std::string& close) {
        std::string text;
        for (int i = 0; i < n; ++i) text += open;
        for (int i = 0; i < n; ++i) text += close;
        return text;
    };
    CHECK(read(nested("f(", 8, ")")).ok());
    CHECK(error(nested("f(", 9, ")")).starts_with("there are more than 8 calls in each other"));
    const auto many = [](int n) {
        std::string text = "f([";
        for (int i = 0; i < n; ++i) text += "none(), ";
        return text + "])";
    };
    CHECK(read(many(15)).ok());
    CHECK(error(many(16)).starts_with("there are more than 16 calls in one action"));
    CHECK(read("f(" + nested("[", 31, "]") + ")").ok());
    for (const auto* open : {"[", "(", "{\"k\":", "2**", "-(", "(1,"})
        CHECK(error("f(" + nested(open, 1000, "")).starts_with("there are more than 32 levels"));
    CHECK(error(std::string(2 << 20, 'x')) == "the call is longer than 1 MB");
}
// shows D-10: examples are made from calls
TEST_CASE("a written call is read back as the same arguments") {
    CHECK(write_call("add", R"({"b": 1, "a": 2})") == "add(b=1, a=2)");
    CHECK(write_call("f", R"({"a": "it's \"x\"\n", "my key": [true, null, {"k": -1.5}]})") ==
          R"(f(a="it's \"x\"\n", "my key"=[True, None, {"k": -1.5}]))");
    CHECK_THROWS(write_call("f", "[1]"));
    CHECK_THROWS(write_call("f", "{"));
    std::mt19937 random(7);
    const std::vector<std::string> texts = {"", "a", "a b", "\"'\\", "a) b", "é\n\x01", "x=1", "True", "f("};
    std::function<nlohmann::json(int)> any = [&](int depth) -> nlohmann::json {
        switch (random() % (depth < 4 ? 8 : 6)) {
        case 0: return texts[random() % texts.size()];
        case 1: return static_cast<std::int64_t>(random()) - 2000000000;
        case 2: return static_cast<double>(random()) / 7e3;
        case 3: return random() % 2 == 0;
        case 4: return nullptr;
        case 5: return std::int64_t{-9223372036854775807} + static_cast<int>(random() % 9);
        case 6: {
            auto list = nlohmann::json::array();
            for (auto n = random() % 4; n > 0; --n) list.push_back(any(depth + 1));
            return list;
        }
        }
        auto object = nlohmann::json::object();
        for (auto n = random() % 4; n > 0; --n) object[texts[random() % texts.size()]] = any(depth + 1);
        return object;
    };
    for (int round = 0; round < 2000; ++round) {
        auto object = nlohmann::json::object();
        for (auto n = random() % 4; n > 0; --n) object[texts[random() % texts.size()]] = any(0);
        const auto text = write_call("f", object.dump());
        INFO(text);
        const auto call = read(text);
        REQUIRE(call.error == "");
        REQUIRE(nlohmann::json::parse(call.arguments) == object);
        REQUIRE(call.inner.empty());
    }
}
TEST_CASE("a long call is read in linear time, each character at most four times") {
    constexpr std::size_t size = 1 << 18;
    for (const std::string piece :
         {"1,",         "'x',", "[],",     "(",    "-",      "a",      "a=",      "\"", "\\\"", "2**", "1+",
          "{\"k\":1},", " ",    "none(),", "\xE2", "\"\"\"", "('',),", "aaaa=1,", "`",  ")",    "=="})
        for (const std::string start : {"f(", "f([", "f({", "f(\"", ""}) {
            auto text = start;
            while (text.size() + piece.size() < size) text += piece;
            INFO(start, "|", piece);
            REQUIRE(read(text).examined <= 4 * text.size());
        }
}
