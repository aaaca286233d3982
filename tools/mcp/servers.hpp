// Several MCP servers and their tools as tools of weft.
//
//     auto file = mcp::load_servers("servers.json", environment);
//     mcp::Servers servers(std::move(file.servers), mcp::ServersOptions());
//     for (auto& tool : servers.tools()) registry.add(tool);     // starts all of them at the same time
//     for (auto& note : servers.notes()) std::cerr << note << '\n';
//
// A server that does not start, or lists no usable tool, becomes a note; the other servers work. The output and logs of
// servers go to ServersOptions::noise; remove control characters before a terminal shows them. The servers live on a
// thread of their own, or on a given loop; any loop may call their tools. The destructor closes all of them
// immediately, and waits at most 10 seconds; on a given loop it cannot wait, so co_await close() before. Tools that
// still exist answer that their server is closed.
//
// tools() and list() start the servers: show people the command of a new server (ServerEntry::shown) before that.
#pragma once
#include "tools/mcp/remote_tool.hpp"
#include "tools/mcp/servers_file.hpp"

namespace weft::tools::mcp {
struct ServersOptions {
    ClientOptions client = {};  // for each server
    bool approve = true;        // calls need approval, except for tools that a trusted server declares read-only
    // called on the thread of the servers
    std::function<void(const std::string& server, std::string_view line)> noise = {};
    std::shared_ptr<net::HttpClient> http = {};  // null: a client without proxies
    /// Called several times a second while tools() waits, on its thread; an exception ends the wait, and is thrown.
    std::function<void()> waiting = {};
    std::optional<Runtime> runtime = {};  // runtime of the servers and of list(); empty: a separate thread
    /// Makes the transport to a server, for tests; empty: by its entry.
    std::function<std::unique_ptr<Transport>(const ServerEntry&)> reach = {};
};
class Servers {
public:
    /// Throws Error{usage} for two servers with the same name, and Error{configuration} if tools of different servers
    /// would have the same names.
    Servers(std::vector<ServerEntry>, ServersOptions);
    ~Servers();
    Servers(const Servers&) = delete;
    /// All tools of all servers, in the order of the servers. Waits until each has answered or failed. A second call
    /// returns the same tools. It blocks: do not call it in a coroutine or with a given loop.
    std::vector<std::shared_ptr<RemoteTool>> tools();
    /// The same for coroutines on any loop.
    awaitable<std::vector<std::shared_ptr<RemoteTool>>> list();
    /// Sentences for people about failures, and about parts of servers that were left out.
    std::vector<std::string> notes() const;
    /// A server's instructions for models: untrusted. Empty: none.
    std::string instructions(std::string_view server) const;
    /// Closes the servers; required with a given loop, where the programs would else run until the last tool is gone.
    awaitable<void> close();

private:
    struct State;
    std::shared_ptr<State> state_;
};
/// The transport to a server: a program or an address.
std::unique_ptr<Transport> reach(const ServerEntry&, std::shared_ptr<net::HttpClient> = {});
}
