// Each operation keeps its connection alive until its callback has run. The connection's own signal cancels it, because
// Asio's cancellation slot belongs to the waiting scope, which may end first.
#include "engine/net/connection.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/tls.hpp"
#include <array>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/consign.hpp>
#include <boost/asio/write.hpp>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace weft::net {
namespace {
using asio::ip::tcp;
using boost::system::error_code;
using boost::system::system_error;
using TransferSignature = void(error_code, std::size_t);
constexpr std::size_t read_size = 16 * 1024;

// Wraps an operation's handler: keeps the connection alive, and lets the connection's signal cancel the operation; the
// scope's slot only forwards to that signal.
template <class Handler> auto kept_by(std::shared_ptr<Connection> connection, Handler handler) {
    if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected())
        slot.assign([weak = std::weak_ptr(connection)](asio::cancellation_type) {
            if (auto c = weak.lock()) c->cancel();
        });
    const auto slot = connection->slot();
    return asio::bind_cancellation_slot(slot, asio::consign(std::move(handler), std::move(connection)));
}
/// An operation of the connection, which start(connection, handler) begins when it is awaited.
template <class Signature, class Start> auto operation_of(std::shared_ptr<Connection> connection, Start start) {
    return asio::async_initiate<const asio::deferred_t&, Signature>(
        [](auto handler, std::shared_ptr<Connection> self, Start begin) {
            auto& awaited = *self;
            begin(awaited, kept_by(std::move(self), std::move(handler)));
        },
        asio::deferred, std::move(connection), start);
}
// The kernel also detects a lost peer: after half a minute without acknowledgements, or a minute without answers to
// probes. Otherwise a route that loses its state would keep a waiting socket for hours.
void watch_for_silence(int socket) {
    const auto set = [&](int level, int option, int value) { setsockopt(socket, level, option, &value, sizeof value); };
    set(SOL_SOCKET, SO_KEEPALIVE, 1);
#ifdef TCP_KEEPIDLE
    set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set(IPPROTO_TCP, TCP_KEEPCNT, 3);
#endif
#ifdef TCP_USER_TIMEOUT
    set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30'000);
#endif
}
}

Connection::Connection(tcp::socket socket) : socket_(std::move(socket)) {
    error_code ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay(true), ignored);
    watch_for_silence(socket_.native_handle());
}
awaitable<void> Connection::handshake(asio::ssl::context& context, std::string host) {
    tls_.emplace(socket_, context);
    expect_host(tls_->native_handle(), host);
    auto operation = operation_of<void(error_code)>(shared_from_this(), [](Connection& self, auto handler) {
        self.tls_->async_handshake(asio::ssl::stream_base::client, std::move(handler));
    });
    try {
        co_await std::move(operation);
    } catch (const system_error& error) {
        if (error.code() == asio::error::operation_aborted) throw;
        if (const auto problem = certificate_problem(tls_->native_handle()); !problem.empty())
            throw NetError(Failure::tls_refused,
                           "the certificate of https://" + host + " cannot be trusted: " + problem);
        if (is_no_tls(error.code()))
            throw NetError(Failure::tls_refused,
                           "the server at https://" + host + " does not speak TLS there: write http:// in its address");
        if (is_old_tls(error.code()))
            throw NetError(Failure::tls_refused,
                           "https://" + host + " does not speak TLS 1.2 or later (" + error.code().message() + ")");
        throw;
    }
}
awaitable<void> Connection::accept_handshake(asio::ssl::context& context) {
    tls_.emplace(socket_, context);
    auto operation = operation_of<void(error_code)>(shared_from_this(), [](Connection& self, auto handler) {
        self.tls_->async_handshake(asio::ssl::stream_base::server, std::move(handler));
    });
    co_await std::move(operation);
}
awaitable<void> Connection::write(std::string head, std::string_view body) {
    if (!tls_) {  // usually sends all at once, without a copy
        const std::array<asio::const_buffer, 2> buffers{asio::buffer(head), asio::buffer(body.data(), body.size())};
        error_code error;
        const auto sent = socket_.write_some(buffers, error);
        if (error && error != asio::error::would_block) throw system_error(error);
        if (sent == head.size() + body.size()) co_return;
        const auto of_head = std::min(sent, head.size());
        head.erase(0, of_head);
        body.remove_prefix(sent - of_head);
    }
    outgoing_ = std::move(head);
    outgoing_ += body;
    auto operation = operation_of<TransferSignature>(shared_from_this(), [](Connection& self, auto handler) {
        const auto buffer = asio::buffer(self.outgoing_);
        if (self.tls_) asio::async_write(*self.tls_, buffer, std::move(handler));
        else asio::async_write(self.socket_, buffer, std::move(handler));
    });
    co_await std::move(operation);
    std::string().swap(outgoing_);  // frees memory, because thousands of connections may be idle
}
awaitable<std::string_view> Connection::read() {
    if (!incoming_) incoming_ = std::make_unique_for_overwrite<char[]>(read_size);
    auto operation = operation_of<TransferSignature>(shared_from_this(), [](Connection& self, auto handler) {
        const auto buffer = asio::buffer(self.incoming_.get(), read_size);
        if (self.tls_) self.tls_->async_read_some(buffer, std::move(handler));
        else self.socket_.async_read_some(buffer, std::move(handler));
    });
    std::size_t n = 0;
    try {
        n = co_await std::move(operation);
    } catch (const system_error& error) {
        if (error.code() != asio::error::eof) throw;
    }
    co_return std::string_view(incoming_.get(), n);
}
awaitable<std::string_view> Connection::read_into(std::span<char> shared, bool wait_first) {
    if (tls_) co_return co_await read();
    for (;; wait_first = false) {
        error_code error = asio::error::would_block;
        const auto n = wait_first ? 0 : socket_.read_some(asio::buffer(shared.data(), shared.size()), error);
        if (!error) co_return std::string_view(shared.data(), n);
        if (error == asio::error::eof) co_return std::string_view();
        if (error != asio::error::would_block) throw system_error(error);
        auto readable = operation_of<void(error_code)>(shared_from_this(), [](Connection& self, auto handler) {
            self.socket_.async_wait(tcp::socket::wait_read, std::move(handler));
        });
        co_await std::move(readable);
    }
}
// A TLS peer announces its end by an alert record. Its type identifies it, or its size if the type is encrypted: it is
// smaller than any request.
static bool is_leaving(const unsigned char* record, ssize_t size, bool tls) {
    if (size == 0) return true;
    if (!tls || size < 5) return false;
    return record[0] == 0x15 || (record[0] == 0x17 && record[3] == 0 && record[4] <= 24);
}
void Connection::watch(std::function<void()> gone) {
    gone_ = std::move(gone);
    socket_.async_wait(tcp::socket::wait_read,
                       asio::bind_cancellation_slot(watching_.slot(), [weak = weak_from_this()](error_code error) {
                           const auto self = weak.lock();
                           if (!self || !self->gone_ || error == asio::error::operation_aborted) return;
                           unsigned char first[5];
                           const auto n = ::recv(self->socket_.native_handle(), first, sizeof first,
                                                 MSG_PEEK | MSG_DONTWAIT);
                           if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return self->watch(self->gone_);
                           if (n > 0 && !is_leaving(first, n, self->tls_.has_value())) return self->look_for_end();
                           std::exchange(self->gone_, nullptr)();
                       }));
}
/// Polls for the peer's end behind unread bytes: the system reports it nevertheless.
void Connection::look_for_end() {
    if (!look_again_) look_again_ = std::make_unique<asio::steady_timer>(socket_.get_executor());
    look_again_->expires_after(std::chrono::seconds(3));
    look_again_->async_wait([weak = weak_from_this()](error_code error) {
        const auto self = weak.lock();
        if (error || !self || !self->gone_) return;
        pollfd look{self->socket_.native_handle(), POLLRDHUP, 0};
        if (::poll(&look, 1, 0) <= 0) return self->look_for_end();
        std::exchange(self->gone_, nullptr)();
    });
}
void Connection::unwatch() {
    look_again_.reset();
    if (!gone_) return;
    gone_ = nullptr;
    watching_.emit(asio::cancellation_type::terminal);
}
awaitable<void> Connection::finish_writing() {
    if (tls_) {
        auto operation = operation_of<void(error_code)>(
            shared_from_this(), [](Connection& self, auto handler) { self.tls_->async_shutdown(std::move(handler)); });
        co_await std::move(operation);
    }
    error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
}
void Connection::close() noexcept {
    error_code ignored;
    socket_.close(ignored);
}
bool Connection::is_quiet() noexcept {
    char byte;
    const auto n = ::recv(socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}
}
