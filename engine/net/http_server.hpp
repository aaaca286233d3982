// An HTTP/1.1 server: keep-alive, streams, TLS, everything bounded.
//
//     HttpServer server({.port = 8080}, [](Exchange& exchange) -> awaitable<void> {
//         HttpReply reply{.status = 200, .headers = {{"Content-Type", "text/plain"}}, .body = "Hello\n"};
//         co_await exchange.respond(std::move(reply));
//     });
//     server.listen(engine.first_runtime());            // throws Error{configuration}; port() is known now
//     auto serving = server.run();
//     engine.wait(std::move(serving));                  // until stop() was called, from any thread
//
// All of it goes on one loop, on which the handler is called once for each request, with the whole body. Destroy the
// server once run() has returned, or after its engine. What a client gets wrong is answered here, with a status and
// `{"detail": "..."}`, and closes its connection: heads that could be read in two ways (request smuggling), bodies past
// the limit, senders that are too slow. The rest of such a request is read and dropped, as closing at once would
// take the answer from its client. A request that comes before the last one was answered (pipelining) is not
// read: the answer says `Connection: close`. An exception of the handler is 500, or breaks off what it has begun.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/net/http_client.hpp"
#include <optional>

namespace weft {
struct Runtime;  // engine/clock.hpp
}
namespace weft::net {
struct ServerLimits {  // times by the clock of the loop
    std::size_t header = 16 << 10, body = 1 << 20;
    std::size_t connections = 10'000;                          // at once; whoever comes then is answered 503
    std::size_t connections_of_peer = 0;                       // of one address; 0: as many as of all
    std::chrono::nanoseconds head = std::chrono::seconds(10);  // TLS and the whole head, from its first byte
    std::chrono::nanoseconds idle = std::chrono::seconds(60);  // between two requests
    // A body has `body_begin`, and a second more for each `body_rate` bytes that have come.
    std::chrono::nanoseconds body_begin = std::chrono::seconds(20);
    std::size_t body_rate = 500;
    std::chrono::nanoseconds body_most = std::chrono::minutes(5);  // in all
    std::chrono::nanoseconds write = std::chrono::seconds(30);     // until some of an answer that waits is taken
};
struct IncomingRequest {
    std::string method, target;  // target: path and query as they came, beginning with /
    HttpHeaders headers;
    std::string body;
    std::string peer;  // the address that it came from, without the port
    bool tls = false;
};
struct HttpReply {
    unsigned status = 200;
    HttpHeaders headers;  // Date, Content-Length and Connection are added
    std::string body;
};

/// One request and its answer: respond(), or begin(), write() ..., end(). They throw system_error if the client has
/// gone, or has taken nothing for too long, and when the server stops. Valid during the call of the handler.
class Exchange {
public:
    virtual ~Exchange() = default;
    virtual const IncomingRequest& request() const = 0;
    virtual awaitable<void> respond(HttpReply) = 0;
    /// The head of an answer whose body follows in pieces, of which each is sent at once.
    virtual awaitable<void> begin(unsigned status, HttpHeaders) = 0;
    virtual awaitable<void> write(std::string piece) = 0;
    virtual awaitable<void> end() = 0;
    /// Ends the connection after this answer as it is now, so that the client knows that something is missing.
    virtual void break_off() = 0;
    virtual bool begun() const = 0;  // something has been sent
    /// Called once, on the loop, when the client goes or the server stops; at once, if that has happened. Replaces what
    /// was given before. The client is watched only from here on.
    virtual void when_leaving(std::function<void()>) = 0;
    virtual bool client_has_gone() const = 0;
    virtual bool stopping() const = 0;
};
using HttpHandler = std::function<awaitable<void>(Exchange&)>;

struct HttpServerOptions {
    std::string host = "127.0.0.1";  // an address
    std::uint16_t port = 0;          // 0: one that is free
    std::string certificate, key;    // files in PEM form; empty: no TLS
    ServerLimits limits;
    /// Called with the head of a request whose body has still to come: what it gives is the answer, the body is not
    /// read, and the connection ends. So a stranger's body costs no memory.
    std::function<std::optional<HttpReply>(const IncomingRequest&)> look_at_head;
    /// Makes the answer to what this server refuses by itself, of which no more than the head is known, and often less.
    /// None: `{"detail": ...}`.
    std::function<HttpReply(const IncomingRequest&, unsigned status, const std::string& detail)> refuse;
};
class HttpServer {
public:
    HttpServer(HttpServerOptions, HttpHandler);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    /// Throws Error{configuration} for an address that cannot be used, and for files that are no certificate and key.
    void listen(const Runtime&);
    std::uint16_t port() const;
    /// Until stop(), and the last connection has ended. Call it once.
    awaitable<void> run();
    /// From any thread, once listen() has returned. No connection is accepted any more, quiet ones are closed, and what
    /// goes on is told (Exchange::when_leaving); what has not ended within the time is cut off.
    void stop(std::chrono::nanoseconds grace);
    // From any thread:
    std::size_t connections() const;    // open now
    std::uint64_t requests() const;     // since the beginning
    std::uint64_t turned_away() const;  // connections that were one too many

    struct State;

private:
    std::shared_ptr<State> state_;
};
/// The reason phrase of a status: "Not Found".
std::string_view reason_of(unsigned status);
}
