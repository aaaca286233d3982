// Which MCP servers there are, in the form that other clients keep it:
//
//     {"mcpServers": {
//         "files": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem", "${HOME}/notes"]},
//         "search": {"type": "http", "url": "https://host/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}}}}
//
//     auto file = mcp::load_servers("servers.json", environment);    // throws Error{configuration}
//     auto server = mcp::read_server("time=uvx mcp-server-time");
//
// Of a program: command, args, env, cwd. Of an address: url, headers. Of both: type (stdio, http), disabled, and of
// weft alone: trusted, whether the server's hints are believed, and token, a bearer token. ${NAME} and
// ${NAME:-default}, also written ${env:NAME}, are replaced in all of these texts. Members that are not known are
// ignored, and noted. A server that cannot be used, for one because a variable is not set, is left out, and noted; if
// no other one is there, that is the error. Comments are read, and a comma behind the last of several. The names of
// other clients are understood: servers for mcpServers, serverUrl and httpUrl for url, and numbers where text belongs.
// Errors name the file, the server and the member, and never a value in which a variable stands. A server is
// shown before it is started with *** in place of what an option such as --api-key names, and ... in place of each
// value behind the '?' of an address.
#pragma once
#include "engine/net/http_client.hpp"
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft::tools::mcp {
struct ServerEntry {
    std::string name;
    bool trusted = false;
    std::string command;  // empty: at the address
    std::vector<std::string> args;
    std::map<std::string, std::string> env;
    std::string folder;  // to run it in; empty: ours
    std::string url;
    net::HttpHeaders headers;
    std::string token;
    std::string token_hint;            // for people, where a token is to be put; empty: in its configuration
    std::string shown;                 // command or address for people, without secrets: the names of variables
    std::vector<std::string> secrets;  // what the server must not repeat: tokens, and the values of variables, except
                                       // of those that are plainly a path or an address without a password
    bool is_program() const { return !command.empty(); }
};
struct ServersFile {
    std::vector<ServerEntry> servers;  // in the order of their names
    std::vector<std::string> notes;    // sentences for people
};
using Variable = std::function<std::optional<std::string>(const std::string& name)>;

/// `where` is how the text is called in errors. Throws Error{configuration}.
ServersFile read_servers(std::string_view text, const Variable& environment, const std::string& where);
/// The same for a file. Throws Error{configuration}.
ServersFile load_servers(const std::string& path, const Variable& environment);
/// NAME=COMMAND or NAME=URL. A command is divided at blanks; '...' and "..." keep a part together, and a backslash
/// keeps the character behind it, except in '...'. There is no shell. Variables are not replaced: a shell has done
/// that. Throws Error{configuration}.
ServerEntry read_server(std::string_view word, std::string token = {});
}
