// What the conformance suite of MCP asks a server for: tools, prompts, resources and completions with the names that it
// knows. For its test program only.
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
/// Those that ask their client.
void add_fixture_questions(mcp_server::Core&);
/// Prompts and completions, too.
void add_fixture_resources(mcp_server::Core&);

inline constexpr const char* red_pixel =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
inline constexpr const char* silence = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

/// A handler that waits for nothing.
template <class F> mcp_server::Act at_once(F function) {
    return [function](mcp_server::Call& call) -> awaitable<nlohmann::json> {
        return [](const F given, mcp_server::Call& of) -> awaitable<nlohmann::json> { co_return given(of); }(function,
                                                                                                             call);
    };
}
mcp_server::Offer fixture(const char* name, mcp_server::Act, const char* schema = R"({"type": "object"})");
}
