// What the snippets of tools/mcp take for granted. Part of tests/house/snippets.hpp.
#pragma once
#include "tools/mcp/transport.hpp"

namespace given::in_mcp {
namespace mcp = weft::tools::mcp;
extern mcp::Transport& transport;
extern mcp::Listener& listener;
extern nlohmann::json result;
extern std::string line;
void send(const std::string&);
}
