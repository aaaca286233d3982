// Tests a tool by calls through the registry, like an agent's.
#include "engine/testing/await.hpp"
#include "tools/http_get.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
using namespace weft;

namespace {
// [tool]
std::string repeat(const std::string& text, int times) {
    if (times < 1 || times > 9) throw tools::ToolError("times must be from 1 to 9");
    std::string all;
    while (times-- > 0) all += text;
    return all;
}
tools::Registry echo() {
    tools::Registry registry;
    registry.add(tools::make_tool("repeat", "Says a text several times.", repeat, {"text", "times"}));
    return registry;
}
// [/tool]
}

// [test]
TEST_CASE("repeat returns a text as often as its argument says") {
    auto seen = testing::await(echo().call("repeat", R"({"text": "ho", "times": 3})"));

    CHECK(seen.ok);
    CHECK(seen.text == "hohoho");
}
TEST_CASE("repeat explains a model's mistake") {
    auto many = testing::await(echo().call("repeat", R"({"text": "ho", "times": 100})"));
    auto none = testing::await(echo().call("repeat", R"({"text": "ho"})"));

    CHECK(!many.ok);
    CHECK(many.text == "Error: times must be from 1 to 9");
    CHECK(!none.ok);
    CHECK(none.text.find("arguments.times") != std::string::npos);
}
// [/test]
// [schema]
TEST_CASE("the schema of repeat names both arguments, and requires them") {
    const auto registry = echo();
    const auto& schema = registry.find("repeat")->schema();

    CHECK(schema["properties"]["times"]["type"] == "integer");
    CHECK(schema["required"] == nlohmann::json{"text", "times"});
}
// [/schema]
TEST_CASE("http_get reads only from the hosts that it was given") {
    // [web]
    tools::Registry registry;
    registry.add(tools::http_get({.hosts = {"en.wikipedia.org", "*.example.org"}}));

    auto seen = testing::await(registry.call("http_get", R"({"url": "https://intranet.example.com/"})"));

    CHECK(!seen.ok);
    CHECK(seen.text ==
          "Error: the host intranet.example.com is not allowed; allowed are en.wikipedia.org, *.example.org");
    // [/web]
}
