// The MCP servers that --mcp names, and their tools.
//
//     const auto servers = mcp_servers({"servers.json", "time=uvx mcp-server-time"}, note, false);
//     add_tools(registry, *servers, note);            // starts them, side by side
//
// A word is a file in the form of other clients (tools/mcp/servers_file.hpp), or NAME=COMMAND, or NAME=URL. The
// variable WEFT_MCP_TOKEN has the token of the only server with an address. Variables and proxies come from the
// environment, else from the file .env; proxies are not used for addresses of this machine.
#pragma once
#include "workflows/catalog/options.hpp"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace weft::tools {
class Registry;
namespace mcp {
class Servers;
}
}
namespace weft::catalog {
/// Starts nothing, and reports the servers to be started. Throws Error{configuration} or Error{usage} for a wrong word,
/// file or variable, and for two servers with one name.
/// `output`: also report the output of the servers, on their threads. `waiting` is called while they start, and may
/// throw (tools/mcp/servers.hpp). `only_tool`: leave out servers that cannot have this tool.
std::unique_ptr<tools::mcp::Servers> mcp_servers(const std::vector<std::string>& words, const OnChoice&, bool output,
                                                 std::function<void()> waiting = {},
                                                 const std::optional<std::string>& only_tool = {});
/// The part of a word without secrets: NAME without its command or address, or the file with its folder.
std::string name_of_servers(const std::string& word);
/// Waits for all servers. Reports a server that fails to the note, and keeps the others.
void add_tools(tools::Registry&, tools::mcp::Servers&, const OnChoice&);
}
