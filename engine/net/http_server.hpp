// An HTTP/1.1 server: keep-alive, streams, TLS, bounds on everything.
//
//     HttpServer server({.port = 8080}, [](HttpExchange& exchange) -> awaitable<void> {
//         HttpReply reply{.status = 200, .headers = {{"Content-Type", "text/plain"}}, .body = "Hello\n"};
//         co_await exchange.respond(std::move(reply));
//     });
//     server.listen(engine.first_runtime());            // throws Error{configuration}; port() is known now
//     auto serving = server.run();
//     engine.wait(std::move(serving));                  // until stop() was called, from any thread
//
// The server runs on one loop, and calls the handler there once for each request, with the whole body. Destroy the
// server after run() has returned, or after its engine. The server itself answers a client's errors with a status and
// `{"detail": "..."}`, and closes the connection: ambiguous heads (request smuggling), bodies above the limit, slow
// senders. It reads and drops the rest of such a request, because closing immediately would lose the answer. It does
// not read a request that comes before the last answer (pipelining): that answer says `Connection: close`. An exception
// of the handler gives 500, or breaks off an answer in progress.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/net/http_client.hpp"
#include <optional>

namespace weft {
struct Runtime;  // engine/clock.hpp
}
namespace weft::net {
struct ServerLimits {                                          // times by the loop's clock
    std::size_t header = 16 << 10,                             // bytes of a head; a longer one gets 431
        body = 1 << 20;                                        // bytes of a body; a longer one gets 413
    std::size_t connections = 10'000;                          // maximum; further clients get 503
    std::size_t connections_of_peer = 0;                       // maximum from one address; 0: no separate limit
    std::chrono::nanoseconds head = std::chrono::seconds(10);  // TLS and the whole head, from its first byte
    std::chrono::nanoseconds idle = std::chrono::seconds(60);  // between two requests
    /// Time limit of a body: `body_begin`, and one second for each `body_rate` bytes received.
    std::chrono::nanoseconds body_begin = std::chrono::seconds(20);
    std::size_t body_rate = 500;                                   // bytes per second; see `body_begin`
    std::chrono::nanoseconds body_most = std::chrono::minutes(5);  // maximum
    std::chrono::nanoseconds write = std::chrono::seconds(30);     // longest wait for a slow client
};
/// A request as its client has sent it: untrusted text.
struct IncomingRequest {
    std::string method = {},  // "GET", as received
        target = {};          // path and query as received, beginning with /
    HttpHeaders headers = {};
    std::string body = {};
    std::string peer = {};  // the client's address without the port
    bool tls = false;       // the connection is encrypted
};
struct HttpReply {
    unsigned status = 200;
    HttpHeaders headers = {};  // Date, Content-Length and Connection are added
    std::string body = {};
};

/// One request and its answer: respond(), or begin(), write() ..., end(). They throw system_error if the client has
/// closed the connection, takes nothing for too long, or the server stops. Valid during the handler's call.
class HttpExchange {
public:
    virtual ~HttpExchange() = default;
    virtual const IncomingRequest& request() const = 0;
    virtual awaitable<void> respond(HttpReply) = 0;
    /// Sends the head of an answer whose body follows in pieces; each piece is sent immediately.
    virtual awaitable<void> begin(unsigned status, HttpHeaders) = 0;
    virtual awaitable<void> write(std::string piece) = 0;  // returns when the piece is sent; waits for a slow client
    virtual awaitable<void> end() = 0;
    /// Ends the connection with an incomplete answer, so that the client notices the missing part.
    virtual void break_off() = 0;
    virtual bool begun() const = 0;  // a part of the answer was sent
    /// Sets a function that is called once, on the loop, when the client leaves or the server stops; immediately if
    /// that has happened. Replaces the former one. The client is watched from this call on.
    virtual void when_leaving(std::function<void()>) = 0;
    virtual bool client_has_gone() const = 0;  // known only after when_leaving()
    virtual bool stopping() const = 0;         // the server stops: end soon, else the connection is cut off
};
using Exchange [[deprecated("its name is HttpExchange")]] = HttpExchange;  // name of version 0.1
/// Answers one request. Called on the server's loop, for several connections at once; the exchange is valid until it
/// ends. A handler that ends without an answer gives 500.
using HttpHandler = std::function<awaitable<void>(HttpExchange&)>;

/// The options of a server, fixed for its life.
struct HttpServerOptions {
    std::string host = "127.0.0.1";  // an IP address
    std::uint16_t port = 0;          // 0: any free port
    std::string certificate = {},    // file in PEM form, with its chain; empty: no TLS
        key = {};                    // file in PEM form: the certificate's private key
    ServerLimits limits = {};        // sizes, counts and times of requests
    /// Called with the head of a request before its body has come. A reply is sent as the answer, without reading the
    /// body, and ends the connection. So an unauthorised body costs no memory.
    std::function<std::optional<HttpReply>(const IncomingRequest&)> look_at_head = {};
    /// Makes the answer to a request that the server itself refuses, of which at most the head is known. Null:
    /// `{"detail": ...}`.
    std::function<HttpReply(const IncomingRequest&, unsigned status, const std::string& detail)> refuse = {};
};
class HttpServer {
public:
    HttpServer(HttpServerOptions, HttpHandler);
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;
    /// Throws Error{configuration} for an unusable address, or unusable files of certificate and key.
    void listen(const Runtime&);
    std::uint16_t port() const;
    /// Returns after stop() and the end of the last connection. Call it once.
    awaitable<void> run();
    /// Call it from any thread, after listen() has returned. The server accepts no more connections, closes idle ones,
    /// and notifies requests in progress (HttpExchange::when_leaving); connections still open after `grace` are cut
    /// off.
    void stop(std::chrono::nanoseconds grace);
    // From any thread:
    std::size_t connections() const;    // currently open
    std::uint64_t requests() const;     // total
    std::uint64_t turned_away() const;  // refused connections above the limits

    struct State;

private:
    std::shared_ptr<State> state_;
};
/// Returns the reason phrase of a status: "Not Found".
std::string_view reason_of(unsigned status);
}
