// Several MCP servers at once, and their tools as those of weft.
//
//     auto file = mcp::load_servers("servers.json", environment);
//     mcp::Servers servers(std::move(file.servers), mcp::ServersOptions());
//     for (auto& tool : servers.tools()) registry.add(tool);     // starts all of them, side by side
//     for (auto& note : servers.notes()) std::cerr << note << '\n';
//
// A server that does not start, or lists nothing usable, is one note, and the others go on. What a server prints, and
// what it logs, goes to ServersOptions::noise; take control characters out of it before a terminal shows it. The
// servers live on a thread of their own, or on a loop that is given; their tools may be called from any loop. The
// destructor closes them, all at once, and waits 10 seconds at most; with a given loop it cannot, so co_await close()
// before. Tools that live on answer that their server has been closed.
//
// Nothing is started before tools() or list() is called: show people the command of a new server before that
// (ServerEntry::shown).
#pragma once
#include "tools/mcp/remote_tool.hpp"
#include "tools/mcp/servers_file.hpp"

namespace weft::tools::mcp {
struct ServersOptions {
    ClientOptions client;
    bool approve = true;  // calls need approval, except of tools that only read by the word of a trusted server
    std::function<void(const std::string& server, std::string_view line)> noise;  // on the thread of the servers
    std::shared_ptr<net::HttpClient> http;                                        // null: one without proxies
    /// Called some times a second while tools() waits, on its thread: what it throws ends the waiting, and is thrown.
    std::function<void()> waiting;
    std::optional<Runtime> runtime;  // where the servers live, and list() is awaited; none: a thread of their own
    /// How a server is reached, for tests; none: by its entry.
    std::function<std::unique_ptr<Transport>(const ServerEntry&)> reach;
};
class Servers {
public:
    /// Throws Error{usage} for two servers of one name, and Error{configuration} if the tools of two others would have
    /// the same names.
    Servers(std::vector<ServerEntry>, ServersOptions);
    ~Servers();
    Servers(const Servers&) = delete;
    /// All tools of all servers, the servers in their order. Waits until each has answered or failed. The second time
    /// it gives the same ones. Not for a coroutine, and not with a given loop: it would block that.
    std::vector<std::shared_ptr<RemoteTool>> tools();
    /// The same for coroutines, of any loop.
    awaitable<std::vector<std::shared_ptr<RemoteTool>>> list();
    /// What went wrong, and what servers had that was left out: sentences for people.
    std::vector<std::string> notes() const;
    /// What a server says about itself to models: untrusted. Empty if it says nothing.
    std::string instructions(std::string_view server) const;
    /// Closes them now: required of those who gave a loop, whose programs else run until the last tool has gone.
    awaitable<void> close();

private:
    struct State;
    std::shared_ptr<State> state_;
};
/// The transport to a server: its program or its address.
std::unique_ptr<Transport> reach(const ServerEntry&, std::shared_ptr<net::HttpClient> = {});
}
