// The connections of a loop: their number for each server, and the idle ones. A service of their I/O context owns them,
// so no socket outlives its context, even if the client does. Internal to engine/net. Thread-safe.
//
//     auto lease = ConnectionPool::take(executor, {client, origin}, limits, now);    // immediately, or empty
//     if (!lease) lease = co_await ConnectionPool::wait(owner, limits);              // first come, first served
//     if (!lease.connection) lease.connection = co_await connect(...);
//     lease.keep(now);                        // for another request; else the lease closes it
#pragma once
#include "engine/net/connection.hpp"
#include <boost/asio/execution_context.hpp>
#include <mutex>

namespace weft::net {
class ConnectionPool final : public asio::execution_context::service {
    struct PoolCore;
    struct PooledServer;
    struct LeaseWaiter;

public:
    static asio::execution_context::id id;
    struct Owner {  // clients do not share connections, because they may trust different authorities
        std::uint64_t client;
        std::string place;
        bool operator==(const Owner&) const = default;
    };
    /// The right to one connection. Its destructor frees the place.
    class ConnectionLease {
    public:
        ConnectionLease() = default;
        ConnectionLease(ConnectionLease&&) noexcept = default;
        ConnectionLease& operator=(ConnectionLease&&) noexcept;
        ~ConnectionLease() { release(); }
        explicit operator bool() const noexcept { return server_ != nullptr; }
        void keep(Clock::Time now);
        std::shared_ptr<Connection> connection;  // null: must be opened

    private:
        friend ConnectionPool;
        void release() noexcept;
        std::shared_ptr<PooledServer> server_;
    };

    explicit ConnectionPool(asio::execution_context&);
    ~ConnectionPool();
    static ConnectionLease take(const asio::any_io_executor&, const Owner&, const PoolLimits&, Clock::Time now);
    static awaitable<ConnectionLease> wait(Owner, PoolLimits);

private:
    static constexpr Duration longest = std::chrono::seconds(50);  // many servers close idle ones after 60 s
    static std::shared_ptr<PoolCore> core_of(const asio::any_io_executor&);
    void shutdown() override;
    std::shared_ptr<PoolCore> core_;
};
}
