// The shared state of a server's connections, for the server's loop; the counters are thread-safe. Internal.
#pragma once
#include "engine/net/http_server.hpp"
#include "engine/signal.hpp"
#include <array>
#include <atomic>
#include <boost/asio/ssl/context.hpp>
#include <map>
#include <set>

namespace weft::net {
class ServerConnection;
struct HttpServer::State {
    State(HttpServerOptions o, HttpHandler h) : options(std::move(o)), handler(std::move(h)) {}
    ~State();
    State(const State&) = delete;
    void begin_stop(Duration grace);
    void cut();               // ends all connections immediately
    std::string_view date();  // for the Date header; computed once a second

    const HttpServerOptions options;
    const HttpHandler handler;
    Runtime runtime;
    std::optional<asio::ssl::context> tls;
    int listening = -1;  // the socket, before run()
    std::uint16_t port = 0;
    std::function<void()> stop_accepting;
    std::set<ServerConnection*> open;
    std::map<std::string, std::size_t> of_peer;
    std::size_t leaving = 0;  // refused connections that get an answer
    bool stopping = false;
    std::unique_ptr<Alarm> grace_over;
    Signal one_less;                      // rings when a connection ends
    std::array<char, 64 << 10> incoming;  // shared read buffer
    std::atomic<std::size_t> connections{0};
    std::atomic<std::uint64_t> requests{0}, turned_away{0};

private:
    std::int64_t second_ = -1;
    std::string date_;
};
}
