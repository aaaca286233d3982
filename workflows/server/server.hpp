// Serves workflows over HTTP: the routes of LlamaIndex's workflow server, an OpenAI-compatible endpoint, a page.
//
//     Engine engine;
//     std::vector<server::ServedWorkflow> workflows{server::offer(engine, hello, "greets a person")};
//     server::Server server(engine, std::move(workflows), {.port = 8080});
//     server.listen();                                     // throws Error{configuration}
//     std::cout << "serving on " << server.url() << '\n';
//     server.run();                                        // until stop() was called, from any thread
//
// It serves on the engine's first loop. Destroy it before the engine, once run() has returned. Stored runs continue at
// the next start, and all others are cancelled with the engine. docs/tutorial/21_serving.md has the routes.
#pragma once
#include "workflows/server/guard/guard.hpp"
#include "workflows/server/runs/served_runs.hpp"

namespace weft::server {
struct ServerOptions {
    std::string host = "127.0.0.1";  // an address
    std::uint16_t port = 8080;       // 0: one that is free
    std::string certificate, key;    // files in PEM form; empty: no TLS
    GuardOptions guard;
    /// Another address than that of this machine itself is refused without a token, unless this says so.
    bool without_token = false;
    Store* store = nullptr;  // the engine's: runs in it go on, and their events are kept in it
    RunLimits runs;
    /// RunOptions::values of every run.
    JsonText values;
    /// Whether whoever starts a run may give it "values" besides. They say whom a run is for, and tools trust them: so
    /// only where none but the operator's own front end can ask. Else such a request is refused with 403.
    bool accept_values = false;
    net::ServerLimits http{.body = 4 << 20};
    std::size_t requests_per_second = 0;  // of each token; 0: as many as come
    std::string debugger;  // the folder of @llamaindex/workflow-debugger's files; empty: it is not served
    std::function<void(std::string_view)> note;  // what goes wrong without anybody asking
    std::function<std::string()> metrics;        // what GET /metrics answers; empty: there is no such route
    std::chrono::nanoseconds grace = std::chrono::seconds(5);  // of requests that go on when the server stops
};
class Service;
class Server {
public:
    /// Throws Error{configuration} for options that are not safe, and Error{usage} for two workflows of one name.
    Server(Engine&, std::vector<ServedWorkflow>, ServerOptions);
    ~Server();
    Server(const Server&) = delete;
    /// Goes on with what the store has, and takes the port.
    void listen();
    std::string url() const;  // http://127.0.0.1:8080
    /// A link that logs one browser in, once; empty without tokens. On the server's loop, or before run().
    std::string login_url();
    void run();
    void stop();
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
