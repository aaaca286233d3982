#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tools/arithmetic.hpp"
#include "tools/make_tool.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::tools;
using nlohmann::json;

namespace {
struct Search {
    std::string text;
    std::optional<int> limit;
};
BOOST_DESCRIBE_STRUCT(Search, (), (text, limit))
struct Hit {
    std::string title;
    double score;
};
BOOST_DESCRIBE_STRUCT(Hit, (), (title, score))

std::vector<Hit> search(const Search& s) { return {{s.text, 0.5}, {"limit", double(s.limit.value_or(-1))}}; }
awaitable<std::string> slow_echo(std::string text, int times) {
    std::string all;
    for (int i = 0; i < times; ++i) {
        co_await sleep_for(std::chrono::hours(1));
        all += text;
    }
    co_return all;
}
awaitable<void> wait_for(const std::string&) { co_await sleep_for(std::chrono::hours(1)); }

Observation called(const std::shared_ptr<Tool>& tool, json arguments) {
    testing::ManualClock clock;
    return testing::await(tool->call(arguments), clock);
}
}

TEST_CASE("a tool of named parameters has their schema and calls the function") {
    auto tool = make_tool("add", "Adds.", add, {"a", "b"});
    CHECK(tool->name() == "add");
    CHECK(tool->description() == "Adds.");
    CHECK(tool->schema() == json::parse(R"({"type": "object", "properties": {"a": {"type": "number"},
        "b": {"type": "number"}}, "required": ["a", "b"]})"));
    CHECK(called(tool, {{"a", 2}, {"b", 0.5}}).text == "2.5");
    CHECK(called(tool, {{"a", 5000}, {"b", 500}}).text == "5500");
}

TEST_CASE("a tool that takes a described struct has the struct's schema, and gives described results as JSON") {
    auto tool = make_tool("search", "Searches.", search);
    CHECK(tool->schema()["required"] == json::array({"text"}));
    CHECK(called(tool, {{"text", "x"}, {"limit", 3}}).text ==
          R"([{"score":0.5,"title":"x"},{"score":3.0,"title":"limit"}])");
    CHECK(called(tool, {{"text", "x"}}).text.find("-1") != std::string::npos);
}

TEST_CASE("a coroutine is a tool, and keeps its arguments while it waits") {
    auto echo = make_tool("echo", "Repeats.", slow_echo, {"text", "times"});
    CHECK(called(echo, {{"text", std::string(100, 'x')}, {"times", 3}}).text == std::string(300, 'x'));
    CHECK(called(make_tool("wait", "Waits.", wait_for, {"text"}), {{"text", "x"}}).text == "Done.");
}

TEST_CASE("results of every kind become text") {
    auto text = [](auto function) { return called(make_tool("f", "", function), json::object()).text; };
    CHECK(text([] { return true; }) == "true");
    CHECK(text([] { return -7; }) == "-7");
    CHECK(text([] { return 2.0; }) == "2");
    CHECK(text([] { return "text"; }) == "text");
    CHECK(text([] { return JsonText{"[1]"}; }) == "[1]");
    CHECK(text([] {}) == "Done.");
    auto no = called(make_tool("f", "", [] { return Observation{"no", false}; }), json::object());
    CHECK(no.text == "no");
    CHECK(!no.ok);
    CHECK_THROWS_AS(text([] { return 1.0 / 0.0 * 0; }), ToolError);
}

TEST_CASE("an optional parameter may be missing") {
    auto tool = make_tool("f", "", [](std::optional<int> n) { return n.value_or(9); }, {"n"});
    CHECK(!tool->schema().contains("required"));
    CHECK(called(tool, json::object()).text == "9");
    CHECK(called(tool, {{"n", nullptr}}).text == "9");
    CHECK(called(tool, {{"n", 1}}).text == "1");
}

// shows D-08
TEST_CASE("a tool lists its parameters in the order of their declaration, which its schema does not keep") {
    using Names = std::vector<std::string>;
    auto subtract = [](double b, std::optional<int> c, double a) { return b - a + c.value_or(0); };
    CHECK(make_tool("f", "", subtract, {"b", "c", "a"})->parameters() == Names{"b", "c", "a"});
    CHECK(make_tool("search", "", search)->parameters() == Names{"text", "limit"});
    CHECK(make_tool("now", "", [] {})->parameters().empty());
    for (const auto& tool : arithmetic()) CHECK(tool->parameters() == Names{"a", "b"});

    struct Foreign final : Tool {
        const std::string text = "x";
        const json form = json::parse(R"({"type": "object", "properties": {"a": {}, "z": {}, "b": {}},
            "required": ["z", "b"]})");
        const std::string& name() const override { return text; }
        const std::string& description() const override { return text; }
        const json& schema() const override { return form; }
        awaitable<Observation> call(const json&) override { co_return Observation{"x"}; }
    };
    CHECK(Foreign().parameters() == Names{"z", "b", "a"});
}
