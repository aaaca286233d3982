// The tools of agents as tools of a server of MCP, under their own names.
//
//     add_tools(core, registry, [](const std::string& why) { std::cerr << why << '\n'; });
//
// Wrong arguments and what goes wrong in a tool are results with isError, so that a model can repair them. A call
// that needs a permission (tools/permission.hpp) is asked about at the client before it runs, each time; tools that
// Permissions::deny names are not offered.
#pragma once
#include "tools/registry.hpp"
#include "workflows/mcp/core.hpp"

namespace weft::mcp_server {
/// The registry outlives the offers.
std::vector<Offer> offer_tools(const tools::Registry&);
/// Adds them. One that MCP does not allow, such as a tool of another server with an odd schema, or whose name is taken,
/// is left out, and `note` is told why.
void add_tools(Core&, const tools::Registry&, const std::function<void(const std::string&)>& note = {});
}
