#include "steps/models/tool_name.hpp"
#include <doctest/doctest.h>
using weft::models::tool_name;

TEST_CASE("a tool's name is found when a model or a server has decorated it") {
    const auto is_tool = [](std::string_view name) { return name == "add" || name == "shop.add" || name == "a:0"; };
    for (const auto* written :
         {"add", " add\n", "functions.add", "default_api.add", "functions.add:0", "add:12", "add.call", "\"add\"",
          "`add`", "add()", "add<|channel|>commentary", "functions.add<|constrain|>json", "default_api:add",
          "tools/add", "addjson", "<function=add>", "add</function>"})
        CHECK_MESSAGE(tool_name(written, is_tool) == "add", written);
    CHECK(tool_name("shop.add", is_tool) == "shop.add");
    CHECK(tool_name("a:0", is_tool) == "a:0");
    CHECK(tool_name("subjson", is_tool) == "subjson");
    CHECK(tool_name("functions.sub ", is_tool) == "functions.sub");
    CHECK(tool_name("<|x|>", is_tool) == "<|x|>");
    CHECK(tool_name("", is_tool).empty());
}
