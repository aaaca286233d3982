// A list of MCP servers in the format of other clients:
//
//     {"mcpServers": {
//         "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${HOME}/notes"]},
//         "search": {"type": "http", "url": "https://host/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}
//
//     auto file = mcp::load_servers("servers.json", environment);    // throws Error{configuration}
//     auto server = mcp::read_server("time=uvx mcp-server-time");
//
// Members of a program: command, args, env, cwd; of an address: url, headers; of both: type (stdio, http), disabled.
// Two members are weft's own: trusted (believe the server's hints) and token (a bearer token). In all these texts
// ${NAME} and ${NAME:-default}, also written ${env:NAME}, are replaced. Unknown members are ignored, and noted. A
// server that cannot be used, for example because a variable is not set, is left out, and noted; if it is the only
// server, this is the error. Comments and a trailing comma are allowed. Names of other clients are accepted: servers
// for mcpServers, serverUrl and httpUrl for url, and numbers in place of texts. Errors name the file, the server and
// the member, and never a value with a variable. A server is shown before its start with *** for the value of an option
// such as --api-key, and ... for each value behind the '?' of an address.
#pragma once
#include "engine/net/http_client.hpp"
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft::tools::mcp {
struct ServerEntry {
    std::string name = {};
    bool trusted = false;
    std::string command = {};  // empty: the server has an address
    std::vector<std::string> args = {};
    std::map<std::string, std::string> env = {};
    std::string folder = {};  // working folder; empty: the folder of this process
    std::string url = {};
    net::HttpHeaders headers = {};
    std::string token = {};
    std::string token_hint = {};  // for people: where to put a token; empty: in its configuration
    std::string shown = {};       // command or address for people, without secrets: with the names of variables
    /// Texts that the server must not repeat: tokens and values of variables, except those that are plainly a path or
    /// an address without a password.
    std::vector<std::string> secrets = {};
    bool is_program() const { return !command.empty(); }
};
struct ServersFile {
    std::vector<ServerEntry> servers;  // sorted by name
    std::vector<std::string> notes;    // sentences for people
};
using Variable = std::function<std::optional<std::string>(const std::string& name)>;

/// `where` names the text in errors. Throws Error{configuration}.
ServersFile read_servers(std::string_view text, const Variable& environment, const std::string& where);
/// Reads a file. Throws Error{configuration}.
ServersFile load_servers(const std::string& path, const Variable& environment);
/// Reads NAME=COMMAND or NAME=URL. Blanks divide a command; '...' and "..." keep a part together, and a backslash
/// keeps the next character, except in '...'. There is no shell. Variables are not replaced: a shell has done that.
/// Throws Error{configuration}.
ServerEntry read_server(std::string_view word, std::string token = {});
}
