// An HTTP server and its clients in one thread and virtual time: on one machine, a client's bytes have arrived when
// send() returns, so that the server's next turn reads them without a wait.
//
//     Served served([](net::HttpExchange& exchange) -> awaitable<void> { ... });
//     Caller caller(served);
//     caller.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
//     caller.received();                                  // all new bytes of the server
//     served.clock.advance(10s); served.turn();
#pragma once
#include "engine/asio.hpp"
#include "engine/net/http_server.hpp"
#include "engine/spawn.hpp"
#include "engine/testing/manual_clock.hpp"
#include <arpa/inet.h>
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace weft::testing {
struct Served {
    explicit Served(net::HttpHandler handler, net::HttpServerOptions options = {})
        : server(std::move(options), std::move(handler)) {
        server.listen(runtime());
        auto serving = server.run();
        spawn(runtime(), std::move(serving), [this](std::exception_ptr e) {
            ended = true;
            error = e;
        });
        turn();
    }
    ~Served() {
        server.stop(std::chrono::seconds(0));
        for (int i = 0; i < 10 && !ended; ++i) {
            clock.advance(std::chrono::seconds(1));
            turn();
        }
    }
    Runtime runtime() { return {io.get_executor(), &clock}; }
    void turn() {  // until no work is left
        io.restart();
        while (io.poll() > 0) {}
    }
    asio::io_context io{1};
    ManualClock clock;
    net::HttpServer server;
    bool ended = false;
    std::exception_ptr error;
};

class Caller {
public:
    explicit Caller(Served& served, int receive_buffer = 0) : served_(&served) {
        socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
        if (receive_buffer) ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        const int at_once = 1;  // sends short data at once
        ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(served.server.port());
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
        served.turn();
    }
    Caller(const Caller&) = delete;
    ~Caller() { close(); }
    void close() {
        if (socket_ >= 0) ::close(socket_);
        socket_ = -1;
    }
    void reset() {  // sends RST, not FIN
        const linger at_once{1, 0};
        ::setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close();
    }
    /// Sends as much as the connection takes, and lets the server see it.
    std::size_t send(std::string_view text) {
        std::size_t sent = 0;
        while (sent < text.size()) {
            const auto n = ::send(socket_, text.data() + sent, text.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
            served_->turn();
            if (n <= 0) break;
            sent += std::size_t(n);
        }
        return sent;
    }
    /// Returns all bytes since the last call.
    std::string received() {
        std::string text;
        for (;;) {
            served_->turn();
            char bytes[65536];
            const auto n = ::recv(socket_, bytes, sizeof bytes, MSG_DONTWAIT);
            if (n == 0) closed_ = true;
            if (n < 0 && errno != EAGAIN) closed_ = was_reset_ = true;
            if (n <= 0) return text;
            text.append(bytes, std::size_t(n));
        }
    }
    std::string ask(std::string_view text) {
        send(text);
        return received();
    }
    bool closed() {  // whether the server has closed the connection
        received();
        return closed_;
    }
    bool was_reset() const { return was_reset_; }

private:
    Served* served_;
    int socket_ = -1;
    bool closed_ = false, was_reset_ = false;
};
inline unsigned status_of(const std::string& answer) {
    return answer.starts_with("HTTP/1.1 ") ? unsigned(std::stoul(answer.substr(9, 3))) : 0;
}
inline std::string body_of(const std::string& answer) {
    const auto at = answer.find("\r\n\r\n");
    return at == answer.npos ? std::string() : answer.substr(at + 4);
}
}
