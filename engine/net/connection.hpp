// One connection, plain or TLS, as the HTTP client and the server need it: internal to engine/net.
//
//     auto connection = co_await connect(route, 5s, 5s);
//     co_await connection->write(std::move(head), body);
//     auto bytes = co_await connection->read();      // empty at the end; valid until the next read
//     connection->close();                           // at once, without a TLS shutdown
// The connection owns its buffers, and a pending operation keeps the connection alive: a coroutine may be destroyed in
// the middle of a read. Closing ends the pending operation.
#pragma once
#include "engine/asio.hpp"
#include "engine/net/http_client.hpp"
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <span>

namespace weft::net {
class Connection : public std::enable_shared_from_this<Connection> {
public:
    explicit Connection(asio::ip::tcp::socket);
    awaitable<void> handshake(asio::ssl::context&, std::string host);
    awaitable<void> accept_handshake(asio::ssl::context&);  // as the server; throws system_error
    /// The body has to live only until the first suspension: what cannot be sent at once is copied.
    awaitable<void> write(std::string head, std::string_view body = {});
    /// Throws system_error; the end of the stream is no error, unless TLS says that it was truncated.
    awaitable<std::string_view> read();
    /// The same into a buffer that others of this thread read into too: it is used only when bytes are there, so that a
    /// connection that waits needs none of its own. Valid until the next wait.
    awaitable<std::string_view> read_into(std::span<char> shared);
    /// Whether the peer goes while nothing is read: calls back once, unless unwatch() comes first. Behind bytes that
    /// come meanwhile, which are not read, it is noticed within some seconds.
    void watch(std::function<void()> gone);
    void unwatch();
    /// No more is written; the peer may still send. Over TLS it is told so. Throws system_error.
    awaitable<void> finish_writing();
    void close() noexcept;
    /// No bytes have arrived and the server has not closed it: it can be used again.
    bool is_quiet() noexcept;
    /// Ends the operation that is pending, if there is one.
    void cancel() { signal_.emit(asio::cancellation_type::terminal); }
    asio::cancellation_slot slot() noexcept { return signal_.slot(); }

private:
    asio::ip::tcp::socket socket_;
    void look_for_end();
    std::optional<asio::ssl::stream<asio::ip::tcp::socket&>> tls_;
    // Composed operations keep their state in their slot. The scope's would free it with the coroutine, this one does
    // not.
    asio::cancellation_signal signal_;
    asio::cancellation_signal watching_;  // of the watch, which goes on beside a write
    std::function<void()> gone_;
    std::unique_ptr<asio::steady_timer> look_again_;  // while unread bytes hide that the peer goes
    std::string outgoing_;
    std::unique_ptr<char[]> incoming_;
};

/// How a request gets to its server. What it points to outlives the call that it is passed to.
struct Route {
    const Url& url;
    const Proxy* proxy;  // null: a direct connection
    asio::ssl::context* tls;
    const Resolve& resolve;
    const AddressCheck& check;
};
/// Everything until the connection can be used: look-up, proxy, TLS, within what is `left` of the limit. Throws
/// NetError, and what the check throws.
awaitable<std::shared_ptr<Connection>> connect(Route, Duration left, Duration limit);
}
