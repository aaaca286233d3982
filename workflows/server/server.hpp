// Serves workflows over HTTP: the routes of LlamaIndex's workflow server, an OpenAI-compatible endpoint, a page.
//
//     Engine engine;
//     std::vector<server::ServedWorkflow> workflows{server::offer(engine, hello, "greets a person")};
//     server::Server server(engine, std::move(workflows), {.port = 8080});
//     server.listen();                                     // throws Error{configuration}
//     std::cout << "serving on " << server.url() << '\n';
//     server.run();                                        // until any thread calls stop()
//
// It serves on the engine's first loop. Destroy it before the engine, once run() has returned. Stored runs continue at
// the next start, and all others are cancelled with the engine. docs/tutorial/21_serving.md has the routes.
#pragma once
#include "workflows/server/guard/guard.hpp"
#include "workflows/server/runs/served_runs.hpp"

namespace weft::server {
/// The address, the access and the limits of a server.
struct ServerOptions {
    std::string host = "127.0.0.1";  // an address
    std::uint16_t port = 8080;       // 0: any free port
    std::string certificate = {},    // PEM file with the certificate; empty: no TLS
        key = {};                    // PEM file with its key; given with the certificate only
    GuardOptions guard = {};         // allowed hosts, origins and tokens
    /// Allows an address that other machines reach without a token.
    bool without_token = false;
    Store* store = nullptr;  // the engine's; its unfinished runs continue, and it keeps their events
    RunLimits runs = {};
    /// RunOptions::values of every run.
    JsonText values = {};
    /// Whether a client may add "values" to a run; else such a request gets 403. Values name the user of a run, and
    /// tools trust them: accept them only if all requests come from the operator's own front end.
    bool accept_values = false;
    net::ServerLimits http{.body = 4 << 20};          // of connections and requests
    std::size_t requests_per_second = 0;              // per token; 0: unlimited
    std::string debugger = {};                        // folder of @llamaindex/workflow-debugger; empty: not served
    std::function<void(std::string_view)> note = {};  // takes warnings that no request caused
    std::function<std::string()> metrics = {};        // makes the body of GET /metrics; empty: 404
    std::chrono::nanoseconds grace = std::chrono::seconds(5);  // for open requests when the server stops
};
class Service;
class Server {
public:
    /// Throws Error{configuration} for unsafe options, and Error{usage} for two workflows of one name.
    Server(Engine&, std::vector<ServedWorkflow>, ServerOptions);
    ~Server();
    Server(const Server&) = delete;
    /// Continues the runs of the store, and takes the port.
    void listen();
    std::string url() const;  // http://127.0.0.1:8080
    /// A link that logs one browser in, once; empty without tokens. Call it on the server's loop or before run().
    std::string login_url();
    void run();
    void stop();
    /// The server below, for the numbers of its connections and requests. Lives as long as this object.
    net::HttpServer& http() { return *http_; }
    ServedRuns& runs();

private:
    void leave();
    bool left_ = false;
    Engine& engine_;
    std::shared_ptr<Service> service_;
    std::unique_ptr<net::HttpServer> http_;
};
}
