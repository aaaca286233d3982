// A server of MCP over HTTP, for many clients: streamable HTTP of both eras, on one path.
//
//     Engine engine;
//     mcp_server::Core core({.name = "greeter"});
//     core.add(mcp_server::offer_run(server::offer(engine, hello, "greets a person")));
//     mcp_server::HttpServer server(engine, core, {.port = 8081});
//     server.listen();                                      // throws Error{configuration}
//     std::cout << "MCP at " << server.url() << '\n';
//     server.run();                                         // until stop() was called, from any thread
//
// Access depends on Host, Origin and token, as for any server of workflows (workflows/server/guard/guard.hpp).
// Requests of 2026-07-28 stand alone, and closing their stream cancels them. Clients of the older revisions have a
// session; theirs go on when a stream breaks, and what they say then is read with Last-Event-ID. It serves on the
// engine's first loop. Destroy it before the engine, once run() has returned; calls that go on then were cancelled, and
// had a moment to end.
#pragma once
#include "engine/engine.hpp"
#include "workflows/mcp/core.hpp"
#include "workflows/server/guard/guard.hpp"

namespace weft::mcp_server {
struct HttpOptions {
    std::string host = "127.0.0.1";  // an address
    std::uint16_t port = 8081;       // 0: one that is free
    std::string path = "/mcp";
    std::string certificate, key;  // files in PEM form; empty: no TLS
    server::GuardOptions guard;
    /// Another address than that of this machine itself is refused without a token, unless this says so.
    bool without_token = false;
    net::ServerLimits http{.body = 4 << 20};
    std::size_t sessions = 1000;  // at once; that of an older client that has rested longest goes first
    std::chrono::nanoseconds session_rest = std::chrono::hours(1);  // a session that rests as long is forgotten
    std::chrono::nanoseconds grace = std::chrono::seconds(5);       // of requests that go on when the server stops
};
/// Throws Error{configuration} for options that are not safe, as the constructor of HttpServer does.
void check_options(const HttpOptions&);
class HttpService;
class HttpServer {
public:
    /// Throws Error{configuration} for options that are not safe.
    HttpServer(Engine&, const Core&, HttpOptions);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    void listen();
    std::string url() const;  // http://127.0.0.1:8081/mcp
    void run();
    void stop();
    net::HttpServer& http() { return *http_; }

private:
    Engine& engine_;
    std::shared_ptr<HttpService> service_;
    std::unique_ptr<net::HttpServer> http_;
};
}
