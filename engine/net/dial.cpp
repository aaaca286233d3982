// Asio cannot abort a look-up or connect, so both are wrapped: a cancelled coroutine resumes immediately,
// and the later result is dropped.
#include "engine/net/dial.hpp"
#include "engine/asio.hpp"
#include "engine/timeout.hpp"
#include <algorithm>
#include <boost/asio/post.hpp>

namespace weft::net {
namespace {
using asio::ip::tcp;
using boost::system::error_code;
using boost::system::system_error;
constexpr Duration head_start = std::chrono::milliseconds(250);  // between two addresses
constexpr std::size_t most_addresses = 16;

// getaddrinfo cannot be interrupted, and Asio's look-up completes only after it. This one ends immediately when
// cancelled, and drops the later result.
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

// Parallel connection attempts as one operation. The callback of each attempt keeps the object alive; the alarm does
// not, and cannot fire after its end.
template <class Handler> struct Race : std::enable_shared_from_this<Race<Handler>> {
    Race(const Runtime& r, std::vector<tcp::endpoint> e, Handler h)
        : runtime(r), endpoints(std::move(e)), handler(std::move(h)) {}
    void start() {
        if (auto slot = asio::get_associated_cancellation_slot(*handler); slot.is_connected())
            slot.assign([weak = this->weak_from_this()](asio::cancellation_type) {
                if (auto self = weak.lock())
                    asio::post(self->runtime.executor,
                               [self] { self->complete(asio::error::operation_aborted, nullptr); });
            });
        sockets.reserve(endpoints.size());
        alarm = runtime.clock->make_alarm(runtime.executor, [this] { try_next(); });
        try_next();
    }
    void try_next() {
        const auto i = sockets.size();
        if (!handler || i == endpoints.size()) return;
        auto& socket = *sockets.emplace_back(std::make_unique<tcp::socket>(runtime.executor));
        ++pending;
        socket.async_connect(endpoints[i], [self = this->shared_from_this(), i](error_code e) { self->tried(i, e); });
        if (sockets.size() < endpoints.size()) alarm->set(runtime.clock->after(head_start));
    }
    void tried(std::size_t i, error_code error) {
        --pending;
        if (!handler) return;
        if (!error) return complete(error, std::move(sockets[i]));
        if (!first_error) first_error = error;  // the first address's error, which the system prefers
        sockets[i]->close(error);
        if (sockets.size() < endpoints.size()) try_next();
        else if (pending == 0) complete(first_error, nullptr);
    }
    void complete(error_code error, std::unique_ptr<tcp::socket> won) {
        if (!handler) return;
        auto h = std::move(*handler);
        handler.reset();
        alarm.reset();
        sockets.clear();  // closes the others; their callbacks do nothing
        if (!won) won = std::make_unique<tcp::socket>(runtime.executor);
        std::move(h)(error, std::move(*won));
    }
    const Runtime runtime;
    const std::vector<tcp::endpoint> endpoints;
    std::vector<std::unique_ptr<tcp::socket>> sockets;
    std::size_t pending = 0;
    error_code first_error;
    std::unique_ptr<Alarm> alarm;
    std::optional<Handler> handler;
};

awaitable<std::vector<tcp::endpoint>> look_up(std::string host, std::uint16_t port, const Resolve& resolve) {
    std::vector<tcp::endpoint> endpoints;
    error_code not_numeric;
    const auto address = asio::ip::make_address(host, not_numeric);
    if (!not_numeric) {
        endpoints.emplace_back(address, port);
        co_return endpoints;
    }
    if (resolve) {
        for (const auto& known : resolve(host)) endpoints.emplace_back(known, port);
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
}

NetError lookup_error(const std::string& host, const error_code& error) {
    const bool passing = error == asio::error::host_not_found_try_again || error == asio::error::no_recovery ||
                         error.category() == asio::error::get_system_category();
    if (passing)
        return {Failure::name_service, "the name " + host + " could not be looked up (" + error.message() +
                                           "): the name service or the network fails at the moment"};
    return {Failure::name_lookup,
            "the name " + host + " has no address (" + error.message() + "): check its spelling and the network"};
}
void interleave(std::vector<tcp::endpoint>& endpoints) {
    if (endpoints.empty()) return;
    const auto family = endpoints.front().protocol().family();
    std::vector<tcp::endpoint> other;
    for (const auto& endpoint : endpoints)
        if (endpoint.protocol().family() != family) other.push_back(endpoint);
    std::erase_if(endpoints, [&](const auto& endpoint) { return endpoint.protocol().family() != family; });
    for (std::size_t i = 0; i < other.size(); ++i)
        endpoints.insert(endpoints.begin() + static_cast<std::ptrdiff_t>(std::min(2 * i + 1, endpoints.size())),
                         other[i]);
}

awaitable<tcp::socket> dial(const Url& url, const Resolve& resolve, const AddressCheck& check) {
    std::vector<tcp::endpoint> endpoints;
    try {
        endpoints = co_await look_up(url.host, url.port, resolve);
    } catch (const system_error& error) {
        if (error.code() == asio::error::operation_aborted) throw;
        throw lookup_error(url.host, error.code());
    }
    if (endpoints.empty()) throw lookup_error(url.host, asio::error::host_not_found);
    if (check)
        for (const auto& endpoint : endpoints) check(endpoint.address());
    interleave(endpoints);
    if (endpoints.size() > most_addresses) endpoints.resize(most_addresses);

    const Runtime* runtime = co_await this_runtime();
    auto operation = asio::async_initiate<const asio::deferred_t&, void(error_code, tcp::socket)>(
        [](auto handler, const Runtime* r, std::vector<tcp::endpoint> e) {
            using Handler = decltype(handler);
            std::make_shared<Race<Handler>>(*r, std::move(e), std::move(handler))->start();
        },
        asio::deferred, runtime, std::move(endpoints));
    try {
        co_return co_await std::move(operation);
    } catch (const system_error& error) {
        if (error.code() == asio::error::operation_aborted) throw;
        throw NetError(Failure::connect, "no connection to " + url.origin() + ": " + error.code().message());
    }
}
}
