// Serves MCP to the one client that has started this program. Messages are lines of standard input and standard output.
// The program must write nothing else there; texts for people go to standard error.
//
//     Engine engine;
//     mcp_server::Core core({.name = "greeter"});
//     core.add(mcp_server::offer_run(server::offer(engine, hello, "greets a person")));
//     mcp_server::StdioServer server(engine, core);
//     server.run();                                         // until the client closes its end, or stop()
//
// The client may be of either era, and may use both. After the client has closed its end, open calls have a moment to
// answer; then they are cancelled. Destroy the server before the engine; the core may go before or after it.
#pragma once
#include "engine/engine.hpp"
#include "workflows/mcp/core.hpp"

namespace weft::mcp_server {
/// The descriptors of a server, and its limits.
struct StdioOptions {
    int input = 0, output = 1;                                 // descriptors
    std::size_t longest_line = 16u << 20;                      // bytes; longer lines are refused
    std::chrono::nanoseconds grace = std::chrono::seconds(1);  // for open calls at the end
};
class StdioServer {
public:
    StdioServer(Engine&, const Core&, StdioOptions = {});
    ~StdioServer();
    StdioServer(const StdioServer&) = delete;
    /// Throws Error{configuration} if the system has no descriptors left.
    void run();
    void stop();  // callable from any thread

    struct State;

private:
    Engine& engine_;
    std::shared_ptr<State> state_;
};
}
