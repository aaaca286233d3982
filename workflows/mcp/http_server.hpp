// Serves MCP over HTTP to many clients: streamable HTTP of both eras, on one path.
//
//     Engine engine;
//     mcp_server::Core core({.name = "greeter"});
//     core.add(mcp_server::offer_run(server::offer(engine, hello, "greets a person")));
//     mcp_server::McpHttpServer server(engine, core, {.port = 8081});
//     server.listen();                                      // throws Error{configuration}
//     std::cout << "MCP at " << server.url() << '\n';
//     server.run();                                         // until any thread calls stop()
//
// Access depends on Host, Origin and token, as for any server of workflows (workflows/server/guard/guard.hpp).
// Requests of 2026-07-28 have no session, and closing their stream cancels them. Clients of the older revisions have a
// session: their calls continue after a broken stream, and Last-Event-ID reads the missed messages. The server uses the
// engine's first loop. Destroy it before the engine, after run() has returned. run() cancels open calls at its end, and
// gives them a moment to end.
#pragma once
#include "engine/engine.hpp"
#include "workflows/mcp/core.hpp"
#include "workflows/server/guard/guard.hpp"

namespace weft::mcp_server {
/// The address, the access and the limits of a server.
struct HttpOptions {
    std::string host = "127.0.0.1";  // an address
    std::uint16_t port = 8081;       // 0: any free port
    std::string path = "/mcp";
    std::string certificate,  // PEM file with the certificate; empty: no TLS
        key;                  // PEM file with its key; given with the certificate only
    server::GuardOptions guard;
    /// Allows an address that other machines reach without a token.
    bool without_token = false;
    net::ServerLimits http{.body = 4 << 20};                        // of connections and requests
    std::size_t sessions = 1000;                                    // maximum; the longest idle session goes first
    std::chrono::nanoseconds session_rest = std::chrono::hours(1);  // maximum idle time of a session
    std::chrono::nanoseconds grace = std::chrono::seconds(5);       // for open requests when the server stops
};
/// Throws Error{configuration} for unsafe options, as the constructor of McpHttpServer does.
void check_options(const HttpOptions&);
class HttpService;
class McpHttpServer {
public:
    /// Throws Error{configuration} for unsafe options.
    McpHttpServer(Engine&, const Core&, HttpOptions);
    ~McpHttpServer();
    McpHttpServer(const McpHttpServer&) = delete;
    void listen();
    std::string url() const;  // http://127.0.0.1:8081/mcp
    void run();
    void stop();
    /// The server below, for the numbers of its connections and requests. Lives as long as this object.
    net::HttpServer& http() { return *http_; }

private:
    Engine& engine_;
    std::shared_ptr<HttpService> service_;
    std::unique_ptr<net::HttpServer> http_;
};
using HttpServer [[deprecated("its name is McpHttpServer")]] = McpHttpServer;
}
