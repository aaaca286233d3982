// Tools for tests of dialects in which an argument may be bare text.
#pragma once
#include "tools/alias.hpp"
#include "tools/calculator.hpp"
#include "tools/capitals.hpp"
#include "tools/make_tool.hpp"

namespace test {
inline weft::tools::Registry make_bare_tools() {
    using weft::tools::make_tool;
    weft::tools::Registry tools;
    tools.add(weft::tools::alias("calculate", weft::tools::math_calculator()));
    tools.add(weft::tools::get_country_capitals());
    tools.add(make_tool("add", "Adds two numbers.", [](double a, double b) { return a + b; }, {"a", "b"}));
    tools.add(make_tool("half", "Halves a number.", [](double number) { return number / 2; }, {"number"}));
    tools.add(make_tool(
        "find", "Finds notes.",
        [](std::string text, std::optional<int> most) { return text + ", " + std::to_string(most.value_or(10)); },
        {"text", "most"}));
    tools.add(make_tool("list-notes", "Lists the notes.", [] { return std::string("milk, eggs"); }));
    return tools;
}
inline const weft::tools::Registry& bare_tools() {
    static const auto tools = make_bare_tools();
    return tools;
}
}
