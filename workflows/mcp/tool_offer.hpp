// The tools of agents as tools of a server of MCP, under their own names.
//
//     add_tools(core, registry, [](const std::string& why) { std::cerr << why << '\n'; });
//
// Wrong arguments and errors of a tool are results with isError, so that a model can repair them. A call that needs a
// permission (tools/permission.hpp) asks the human at the client each time. Tools that Permissions::deny names are not
// offered.
#pragma once
#include "tools/registry.hpp"
#include "workflows/mcp/core.hpp"

namespace weft::mcp_server {
/// The registry must outlive the offers.
std::vector<ServedTool> offer_tools(const tools::Registry&);
/// Adds all tools. Leaves out tools that MCP does not allow, such as another server's tool with a wrong schema, or
/// whose name is taken, and reports the reason to `note`.
void add_tools(Core&, const tools::Registry&, const std::function<void(const std::string&)>& note = {});
}
