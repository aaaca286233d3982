// The tools, prompts, resources and completions that MCP's conformance suite expects of a server, under their expected
// names.
//
//     mcp_server::Core core(fixture_options());
//     add_fixture_tools(core);
//     add_fixture_questions(core);
//     add_fixture_resources(core);
#pragma once
#include "workflows/mcp/core.hpp"

namespace weft::testing {
mcp_server::CoreOptions fixture_options();
void add_fixture_tools(mcp_server::Core&);
/// Adds the tools that ask their client.
void add_fixture_questions(mcp_server::Core&);
/// Adds resources, prompts and completions.
void add_fixture_resources(mcp_server::Core&);

inline constexpr const char* red_pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
inline constexpr const char* silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// A handler without a wait.
template <class F> mcp_server::ToolAction at_once(F function) {
    return [function](mcp_server::Call& call) -> awaitable<nlohmann::json> {
        return [](const F given, mcp_server::Call& of) -> awaitable<nlohmann::json> { co_return given(of); }(function,
                                                                                                             call);
    };
}
mcp_server::ServedTool fixture(const char* name, mcp_server::ToolAction, const char* schema = R"({"type": "object"})");
}
