#include "engine/net/connection.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/tls.hpp"
#include "engine/timeout.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/consign.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>

namespace weft::net {
namespace {
using asio::ip::tcp;
using boost::system::error_code;
using boost::system::system_error;
constexpr std::size_t read_size = 16 * 1024;
constexpr Duration least_share = std::chrono::seconds(2);  // of the time to connect, for one address

// getaddrinfo cannot be interrupted, and Asio's lookup reports back only after it. This one ends at once when it is
// cancelled; what the lookup finds then is dropped.
template <class Handler> struct Lookup : std::enable_shared_from_this<Lookup<Handler>> {
    Lookup(const asio::any_io_executor& executor, Handler h) : resolver(executor), handler(std::move(h)) {}
    void start(const std::string& host, const std::string& port) {
        if (auto slot = asio::get_associated_cancellation_slot(*handler); slot.is_connected())
            slot.assign([weak = this->weak_from_this()](asio::cancellation_type) {
                if (auto self = weak.lock())
                    asio::post(self->resolver.get_executor(),
                               [self] { self->complete(asio::error::operation_aborted, {}); });
            });
        resolver.async_resolve(host, port, tcp::resolver::numeric_service,
                               [self = this->shared_from_this()](error_code error, tcp::resolver::results_type found) {
                                   self->complete(error, std::move(found));
                               });
    }
    void complete(error_code error, tcp::resolver::results_type found) {
        if (!handler) return;
        auto h = std::move(*handler);
        handler.reset();
        std::move(h)(error, std::move(found));
    }
    tcp::resolver resolver;
    std::optional<Handler> handler;
};
awaitable<std::vector<tcp::endpoint>> look_up(std::string host, std::uint16_t port) {
    std::vector<tcp::endpoint> endpoints;
    error_code not_numeric;
    const auto address = asio::ip::make_address(host, not_numeric);
    if (!not_numeric) {
        endpoints.emplace_back(address, port);
        co_return endpoints;
    }
    const auto& executor = co_await this_executor();
    auto operation = asio::async_initiate<const asio::deferred_t&, void(error_code, tcp::resolver::results_type)>(
        [](auto handler, asio::any_io_executor ex, std::string name, std::string service) {
            using Handler = decltype(handler);
            std::make_shared<Lookup<Handler>>(ex, std::move(handler))->start(name, service);
        },
        asio::deferred, executor, host, std::to_string(port));
    const auto found = co_await std::move(operation);
    for (const auto& entry : found) endpoints.push_back(entry.endpoint());
    co_return endpoints;
}
// What a connection's operation completes with: keeps the connection alive, and is cancelled by the connection's
// signal, which the scope's slot only passes on.
template <class Handler> auto kept_by(std::shared_ptr<Connection> connection, Handler handler) {
    if (auto slot = asio::get_associated_cancellation_slot(handler); slot.is_connected())
        slot.assign([weak = std::weak_ptr(connection)](asio::cancellation_type) {
            if (auto c = weak.lock()) c->cancel();
        });
    const auto slot = connection->slot();
    return asio::bind_cancellation_slot(slot, asio::consign(std::move(handler), std::move(connection)));
}
bool is_cancelled(const error_code& error) { return error == asio::error::operation_aborted; }
[[noreturn]] void throw_lookup_failed(const Url& url, const error_code& error) {
    throw NetError(Failure::name_lookup, "the name " + url.host + " has no address (" + error.message() +
                                             "): check its spelling and the network");
}
std::string in_seconds(Duration d) {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", std::chrono::duration<double>(d).count());
    return text;
}

struct Outcome {  // of trying one address
    std::optional<NetError> error;
    bool next_address_may_help = false;
};
awaitable<void> open_and_greet(std::shared_ptr<Connection> connection, tcp::endpoint endpoint, asio::ssl::context* tls,
                               std::string host, bool* connected) {
    co_await connection->open(endpoint);
    *connected = true;
    if (tls) co_await connection->handshake(*tls, std::move(host));
}
awaitable<Outcome> try_address(std::shared_ptr<Connection> connection, tcp::endpoint endpoint, Url url,
                               asio::ssl::context* tls, Duration limit) {
    Outcome outcome;
    bool connected = false;
    try {
        auto work = open_and_greet(connection, endpoint, tls, url.host, &connected);
        co_await with_timeout(limit, std::move(work));
    } catch (const NetError& error) {  // of the certificate: the same on every address
        outcome.error = error;
    } catch (const Error& error) {
        if (error.code() != Code::timed_out) throw;
        const auto what = connected ? " did not finish the TLS handshake within "
                                    : " did not accept a connection within ";
        outcome.error.emplace(Failure::timed_out, url.origin() + what + in_seconds(limit), Phase::connect);
        outcome.next_address_may_help = true;
    } catch (const system_error& error) {
        if (is_cancelled(error.code())) throw;
        const auto failure = connected ? Failure::tls_failed : Failure::connect;
        const auto what = connected ? "no TLS connection to " : "no connection to ";
        outcome.error.emplace(failure, what + url.origin() + ": " + error.code().message());
        outcome.next_address_may_help = !connected;
    }
    co_return outcome;
}
}

awaitable<void> Connection::open(tcp::endpoint endpoint) {
    co_await socket_.async_connect(endpoint, asio::deferred);
    error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
    socket_.set_option(asio::socket_base::keep_alive(true), ignored);
}
awaitable<void> Connection::handshake(asio::ssl::context& context, std::string host) {
    tls_.emplace(socket_, context);
    expect_host(tls_->native_handle(), host);
    auto operation = asio::async_initiate<const asio::deferred_t&, void(error_code)>(
        [](auto handler, std::shared_ptr<Connection> self) {
            auto& stream = *self->tls_;
            stream.async_handshake(asio::ssl::stream_base::client, kept_by(std::move(self), std::move(handler)));
        },
        asio::deferred, shared_from_this());
    try {
        co_await std::move(operation);
    } catch (const system_error& error) {
        const auto problem = certificate_problem(tls_->native_handle());
        if (is_cancelled(error.code()) || problem.empty()) throw;
        throw NetError(Failure::tls_refused,
                       "the certificate of https://" + host + " is not to be trusted: " + problem);
    }
}
awaitable<void> Connection::write(std::string bytes) {
    outgoing_ = std::move(bytes);
    auto operation = asio::async_initiate<const asio::deferred_t&, void(error_code, std::size_t)>(
        [](auto handler, std::shared_ptr<Connection> self) {
            auto& connection = *self;
            const auto buffer = asio::buffer(connection.outgoing_);
            auto kept = kept_by(std::move(self), std::move(handler));
            if (connection.tls_) asio::async_write(*connection.tls_, buffer, std::move(kept));
            else asio::async_write(connection.socket_, buffer, std::move(kept));
        },
        asio::deferred, shared_from_this());
    co_await std::move(operation);
}
awaitable<std::string_view> Connection::read() {
    if (!incoming_) incoming_ = std::make_unique<char[]>(read_size);
    auto operation = asio::async_initiate<const asio::deferred_t&, void(error_code, std::size_t)>(
        [](auto handler, std::shared_ptr<Connection> self) {
            auto& connection = *self;
            const auto buffer = asio::buffer(connection.incoming_.get(), read_size);
            auto kept = kept_by(std::move(self), std::move(handler));
            if (connection.tls_) connection.tls_->async_read_some(buffer, std::move(kept));
            else connection.socket_.async_read_some(buffer, std::move(kept));
        },
        asio::deferred, shared_from_this());
    std::size_t n = 0;
    try {
        n = co_await std::move(operation);
    } catch (const system_error& error) {
        if (error.code() != asio::error::eof) throw;
    }
    co_return std::string_view(incoming_.get(), n);
}
void Connection::close() noexcept {
    error_code ignored;
    socket_.close(ignored);
}
bool Connection::is_quiet() noexcept {
    error_code error;
    socket_.non_blocking(true, error);
    char byte;
    if (!error) socket_.receive(asio::buffer(&byte, 1), asio::socket_base::message_peek, error);
    return error == asio::error::would_block;
}

awaitable<std::shared_ptr<Connection>> connect(Url url, asio::ssl::context* tls, Duration limit,
                                               const AddressCheck& check) {
    const auto& executor = co_await this_executor();
    auto& clock = co_await this_clock();
    const auto deadline = clock.after(limit);
    std::vector<tcp::endpoint> endpoints;
    try {
        auto lookup = look_up(url.host, url.port);
        endpoints = co_await with_timeout(limit, std::move(lookup));
    } catch (const system_error& error) {
        if (is_cancelled(error.code())) throw;
        throw_lookup_failed(url, error.code());
    } catch (const Error&) {
        throw NetError(Failure::timed_out, "the name " + url.host + " was not found within " + in_seconds(limit),
                       Phase::connect);
    }
    if (endpoints.empty()) throw_lookup_failed(url, asio::error::host_not_found);
    if (check)
        for (const auto& endpoint : endpoints) check(endpoint.address());

    Outcome last;
    for (std::size_t i = 0; i < endpoints.size(); ++i) {
        const auto left = deadline - clock.now();
        if (i > 0 && left <= Duration::zero()) break;
        const auto share = std::min<Duration>(left, std::max<Duration>(left / (endpoints.size() - i), least_share));
        auto connection = std::make_shared<Connection>(executor);
        last = co_await try_address(connection, endpoints[i], url, tls, share);
        if (!last.error) co_return connection;
        connection->close();
        if (!last.next_address_may_help) break;
    }
    throw NetError(*last.error);
}
}
