// What the connections of a server share. Used on the server's loop, but for the counters. Internal to engine/net.
#pragma once
#include "engine/bell.hpp"
#include "engine/net/http_server.hpp"
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
    void cut();               // all connections, whatever they are at
    std::string_view date();  // as a header has it; of this second

    const HttpServerOptions options;
    const HttpHandler handler;
    Runtime runtime;
    std::optional<asio::ssl::context> tls;
    int listening = -1;  // the socket, until run() has it
    std::uint16_t port = 0;
    std::function<void()> stop_accepting;
    std::set<ServerConnection*> open;
    std::map<std::string, std::size_t> of_peer;
    std::size_t leaving = 0;  // connections that were one too many, and are told so
    bool stopping = false;
    std::unique_ptr<Alarm> grace_over;
    Bell one_less;                        // connection
    std::array<char, 64 << 10> incoming;  // read into by all of them
    std::atomic<std::size_t> connections{0};
    std::atomic<std::uint64_t> requests{0}, turned_away{0};

private:
    std::int64_t second_ = -1;
    std::string date_;
};
}
