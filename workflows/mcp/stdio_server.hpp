// A server of MCP for the one client that has started this program: messages come from standard input and go to
// standard output, one in a line. Nothing else may be written there; what people shall read goes to standard error.
//
//     Engine engine;
//     mcp_server::Core core({.name = "greeter"});
//     core.add(mcp_server::offer_run(server::offer(engine, hello, "greets a person")));
//     mcp_server::StdioServer server(engine, core);
//     server.run();                                         // until its client closes its end, or stop()
//
// The client may be of either era, and may use both. When it has closed its end, calls that go on have a moment to
// answer, and are cancelled then. Destroy it before the engine; the core may be destroyed before or after it.
#pragma once
#include "engine/engine.hpp"
#include "workflows/mcp/core.hpp"

namespace weft::mcp_server {
struct StdioOptions {
    int input = 0, output = 1;                                 // descriptors
    std::size_t longest_line = 16u << 20;                      // longer ones are refused
    std::chrono::nanoseconds grace = std::chrono::seconds(1);  // for calls, when the client has closed its end
};
class StdioServer {
public:
    StdioServer(Engine&, const Core&, StdioOptions = {});
    ~StdioServer();
    StdioServer(const StdioServer&) = delete;
    /// Throws Error{configuration} if the system has no descriptors left.
    void run();
    void stop();  // from any thread

    struct State;

private:
    Engine& engine_;
    std::shared_ptr<State> state_;
};
}
