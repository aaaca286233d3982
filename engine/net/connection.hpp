// One connection, plain or TLS, for the HTTP client and the server. Internal to engine/net.
//
//     auto connection = co_await connect(route, 5s, 5s);
//     co_await connection->write(std::move(head), body);
//     auto bytes = co_await connection->read();      // empty at the end; valid until the next read
//     connection->close();                           // immediately, without a TLS shutdown
// The connection owns its buffers, and a pending operation keeps the connection alive, so a coroutine may be destroyed
// during a read. Closing ends the pending operation.
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
    awaitable<void> accept_handshake(asio::ssl::context&);  // the server's side; throws system_error
    /// The body must live until the first suspension: the unsent rest is copied.
    awaitable<void> write(std::string head, std::string_view body = {});
    /// Throws system_error. The end of the stream is not an error, unless TLS reports a truncation.
    awaitable<std::string_view> read();
    /// Reads into a buffer that all connections of this thread share: it is used only when bytes are available, so an
    /// idle connection needs no buffer. Valid until the next wait. With wait_first other work of the loop comes before
    /// bytes that have arrived already.
    awaitable<std::string_view> read_into(std::span<char> shared, bool wait_first = false);
    /// Calls `gone` once if the peer closes while no read is pending, unless unwatch() comes first. Behind unread bytes
    /// the end is detected within some seconds.
    void watch(std::function<void()> gone);
    void unwatch();
    /// Ends the sending direction; the peer may still send. Over TLS it sends an alert. Throws system_error.
    awaitable<void> finish_writing();
    void close() noexcept;
    /// True if no bytes have arrived and the peer has not closed: the connection can be reused.
    bool is_quiet() noexcept;
    /// Ends the pending operation, if any.
    void cancel() { signal_.emit(asio::cancellation_type::terminal); }
    asio::cancellation_slot slot() noexcept { return signal_.slot(); }

private:
    asio::ip::tcp::socket socket_;
    void look_for_end();
    std::optional<asio::ssl::stream<asio::ip::tcp::socket&>> tls_;
    // Composed operations keep their state in their slot. The scope's slot would free it with the coroutine; this one
    // does not.
    asio::cancellation_signal signal_;
    asio::cancellation_signal watching_;  // for the watch, which is parallel to a write
    std::function<void()> gone_;
    std::unique_ptr<asio::steady_timer> look_again_;  // runs while unread bytes hide the peer's end
    std::string outgoing_;
    std::unique_ptr<char[]> incoming_;
};

/// The way of a request to its server. The referenced objects must outlive the call.
struct ConnectRoute {
    const Url& url;
    const Proxy* proxy;  // null: a direct connection
    asio::ssl::context* tls;
    const Resolve& resolve;
    const AddressCheck& check;
};
/// Opens a usable connection: look-up, proxy, TLS, within `left`, the rest of the limit. Throws NetError, and
/// exceptions of the check.
awaitable<std::shared_ptr<Connection>> connect(ConnectRoute, Duration left, Duration limit);
}
