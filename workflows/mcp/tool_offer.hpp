// The tools of agents as tools of a server of MCP, under their own names.
//
//     for (auto& offer : offer_tools(registry)) core.add(std::move(offer));
//
// Wrong arguments and what goes wrong in a tool are results with isError, so that a model can repair them. A call
// that needs a permission (tools/permission.hpp) is asked about at the client before it runs; tools whose calls are all
// blocked are not offered.
#pragma once
#include "tools/registry.hpp"
#include "workflows/mcp/core.hpp"

namespace weft::mcp_server {
/// The registry outlives the offers.
std::vector<Offer> offer_tools(const tools::Registry&);
}
