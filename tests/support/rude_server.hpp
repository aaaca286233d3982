// A local server with any bad behaviour that a test needs. The next session of a list serves each connection, the last
// session all further ones, on its own thread with blocking calls.
//
//     auto session = [](Peer& peer) { peer.read_request(); peer.send("HTTP/1.1 200 OK\r\nContent-Le"); peer.reset(); };
//     RudeServer server({session});
//     client.send({.url = server.url("/")});
//
// During the server's destruction a wait ends after two seconds, so that a failing test ends too.
#pragma once
#include "engine/net/url.hpp"
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <functional>
#include <mutex>
#include <sys/types.h>
#include <thread>

namespace weft::testing {
class Peer {
public:
    Peer(boost::asio::ip::tcp::socket, boost::asio::ssl::context*, std::function<void(const std::string&)> on_request,
         std::function<bool()> is_over);
    /// Returns head and body unchanged; empty when the client has closed the connection.
    std::string read_request();
    bool send(std::string_view bytes);  // false: the client has closed the connection
    /// Sends a whole answer.
    bool answer(int status, std::string_view body, std::string_view headers = {});
    void start_tls(boost::asio::ssl::context&);  // from now on, for example after CONNECT
    void reset();                                // sends RST, not FIN
    bool wait_for_end();                         // true: the client has closed the connection
    boost::asio::ip::tcp::socket& socket() { return socket_; }

private:
    std::size_t receive(char*, std::size_t);
    ssize_t receive_plain(char*, std::size_t);
    boost::asio::ip::tcp::socket socket_;
    std::unique_ptr<boost::asio::ssl::stream<boost::asio::ip::tcp::socket&>> tls_;
    std::string left_;
    std::function<void(const std::string&)> on_request_;
    std::function<bool()> is_over_;
};

class RudeServer {
public:
    using Session = std::function<void(Peer&)>;
    explicit RudeServer(std::vector<Session>, boost::asio::ssl::context* = nullptr);
    ~RudeServer();
    net::Url url(std::string path = "/") const;
    std::string address() const { return url("").text(); }
    int connections() const;
    std::vector<std::string> requests() const;  // all requests of read_request()

private:
    void serve();
    void handle(const Session&, boost::asio::ip::tcp::socket);
    std::vector<Session> sessions_;
    boost::asio::ssl::context* tls_;
    boost::asio::io_context io_;
    boost::asio::ip::tcp::acceptor acceptor_;
    mutable std::mutex mutex_;
    bool stopped_ = false;
    int connections_ = 0;
    std::vector<std::string> requests_;
    std::vector<std::thread> threads_;
};

/// Answers one request after the other until the client closes the connection.
RudeServer::Session always(int status, std::string body, std::string headers = {});
}
