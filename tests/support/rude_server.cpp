#include "tests/support/rude_server.hpp"
#include <boost/asio/ip/address.hpp>
#include <boost/asio/write.hpp>
#include <sys/socket.h>

namespace weft::testing {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

Peer::Peer(tcp::socket socket, asio::ssl::context* tls, std::function<void(const std::string&)> on_request,
           std::function<bool()> is_over)
    : socket_(std::move(socket)), on_request_(std::move(on_request)), is_over_(std::move(is_over)) {
    const timeval limit{1, 0};
    setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    socket_.set_option(tcp::no_delay(true));
    if (tls) start_tls(*tls);
}
void Peer::start_tls(asio::ssl::context& context) {
    tls_ = std::make_unique<asio::ssl::stream<tcp::socket&>>(socket_, context);
    error_code refused;
    tls_->handshake(asio::ssl::stream_base::server, refused);
}
// Calls recv directly, because Asio would not check for the server's end. Checks each second, and once more at the end.
ssize_t Peer::receive_plain(char* to, std::size_t size) {
    for (;;) {
        const bool is_last = is_over_();
        const auto n = ::recv(socket_.native_handle(), to, size, 0);
        if (n >= 0 || is_last || (errno != EAGAIN && errno != EINTR)) return n;
    }
}
std::size_t Peer::receive(char* to, std::size_t size) {
    if (tls_) {
        error_code error;
        return tls_->read_some(asio::buffer(to, size), error);
    }
    const auto n = receive_plain(to, size);
    return n > 0 ? static_cast<std::size_t>(n) : 0;
}
std::string Peer::read_request() {
    std::string text = std::exchange(left_, {});
    std::size_t end = std::string::npos;
    char buffer[4096];
    while ((end = text.find("\r\n\r\n")) == std::string::npos) {
        const auto n = receive(buffer, sizeof buffer);
        if (n == 0) return {};
        text.append(buffer, n);
    }
    std::size_t whole = end + 4;
    if (const auto at = text.find("Content-Length: "); at < end) whole += std::stoul(text.substr(at + 16));
    while (text.size() < whole) {
        const auto n = receive(buffer, sizeof buffer);
        if (n == 0) return {};
        text.append(buffer, n);
    }
    left_ = text.substr(whole);
    text.resize(whole);
    on_request_(text);
    return text;
}
bool Peer::send(std::string_view bytes) {
    error_code error;
    if (tls_) asio::write(*tls_, asio::buffer(bytes), error);
    else asio::write(socket_, asio::buffer(bytes), error);
    return !error;
}
bool Peer::answer(int status, std::string_view body, std::string_view headers) {
    return send("HTTP/1.1 " + std::to_string(status) + " Status\r\nContent-Length: " + std::to_string(body.size()) +
                "\r\n" + std::string(headers) + "\r\n" + std::string(body));
}
void Peer::reset() {
    error_code error;
    socket_.set_option(asio::socket_base::linger(true, 0), error);
    socket_.close(error);
}
bool Peer::wait_for_end() {
    char buffer[4096];
    for (;;) {
        const auto n = receive_plain(buffer, sizeof buffer);
        if (n > 0) continue;
        return n == 0 || errno == ECONNRESET;
    }
}

RudeServer::RudeServer(std::vector<Session> sessions, asio::ssl::context* tls)
    : sessions_(std::move(sessions)), tls_(tls), acceptor_(io_, {asio::ip::make_address("127.0.0.1"), 0}) {
    threads_.emplace_back([this] { serve(); });
}
RudeServer::~RudeServer() {
    {
        std::lock_guard lock(mutex_);
        stopped_ = true;
    }
    error_code ignored;
    tcp::socket(io_).connect(acceptor_.local_endpoint(), ignored);  // wakes the accepting thread
    threads_.front().join();
    for (std::size_t i = 1; i < threads_.size(); ++i) threads_[i].join();
}
net::Url RudeServer::url(std::string path) const {
    return {tls_ != nullptr, tls_ ? "localhost" : "127.0.0.1", acceptor_.local_endpoint().port(), std::move(path)};
}
int RudeServer::connections() const {
    std::lock_guard lock(mutex_);
    return connections_;
}
std::vector<std::string> RudeServer::requests() const {
    std::lock_guard lock(mutex_);
    return requests_;
}
void RudeServer::serve() {
    for (std::size_t next = 0;; ++next) {
        error_code error;
        tcp::socket socket(io_);
        acceptor_.accept(socket, error);
        std::lock_guard lock(mutex_);
        if (stopped_ || error) return;
        ++connections_;
        const Session& session = sessions_[std::min(next, sessions_.size() - 1)];
        threads_.emplace_back(
            [this, &session, socket = std::move(socket)]() mutable { handle(session, std::move(socket)); });
    }
}
void RudeServer::handle(const Session& session, tcp::socket socket) {
    const auto note = [this](const std::string& request) {
        std::lock_guard lock(mutex_);
        requests_.push_back(request);
    };
    Peer peer(std::move(socket), tls_, note, [this] {
        std::lock_guard lock(mutex_);
        return stopped_;
    });
    session(peer);
}
RudeServer::Session always(int status, std::string body, std::string headers) {
    return [=](Peer& peer) {
        while (!peer.read_request().empty())
            if (!peer.answer(status, body, headers)) return;
    };
}
}
