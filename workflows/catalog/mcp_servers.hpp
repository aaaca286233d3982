// The MCP servers that --mcp names, and their tools.
//
//     const auto servers = mcp_servers({"servers.json", "time=uvx mcp-server-time"}, note, false);
//     add_tools(registry, *servers, note);            // starts them, side by side
//
// A word is a file in the form of other clients (tools/mcp/servers_file.hpp), or NAME=COMMAND, or NAME=URL. The
// variable WEFT_MCP_TOKEN has the token of the one server that is named by its address. Variables are those of the
// environment, else of the file .env; so are the proxies, which are not used for addresses of this machine.
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
/// Starts nothing, and says what is going to be started. Throws Error{configuration} or Error{usage} for a word, a file
/// or a variable that does not fit, and for two servers of the same name.
/// `output`: what the servers print is told, too, from a thread of theirs. `waiting` is called while they start, and
/// may throw (tools/mcp/servers.hpp). `only_tool`: servers that cannot have it are left out.
std::unique_ptr<tools::mcp::Servers> mcp_servers(const std::vector<std::string>& words, const Note&, bool output,
                                                 std::function<void()> waiting = {},
                                                 const std::optional<std::string>& only_tool = {});
/// What a word is called without what it starts or reaches, which may have secrets in it: NAME, or the file with its
/// folder.
std::string name_of_servers(const std::string& word);
/// A server that fails is told to the note, and the others go on. Waits for all of them.
void add_tools(tools::Registry&, tools::mcp::Servers&, const Note&);
}
