// Connections are closed after the lock is released. A free place goes to the first waiter.
#include "engine/net/connection_pool.hpp"
#include "engine/signal.hpp"
#include "engine/timeout.hpp"
#include <algorithm>
#include <deque>

namespace weft::net {
asio::execution_context::id ConnectionPool::id;

/// A coroutine that waits for a lease. If it is cancelled after the grant, the end of this object passes the lease on.
struct ConnectionPool::LeaseWaiter {
    void grant(ConnectionLease given) {  // from any thread, without the lock
        lease = std::move(given);
        granted.ring();
    }
    ConnectionLease lease;
    Signal granted;
    bool is_queued = false;
};
struct ConnectionPool::PooledServer {  // for one loop and one client
    std::shared_ptr<PoolCore> core;
    asio::any_io_executor executor;
    Owner owner;
    PoolLimits limits;
    struct IdleConnection {
        std::shared_ptr<Connection> connection;
        Clock::Time since;
    };
    std::size_t open = 0;              // idle ones included
    std::vector<IdleConnection> idle;  // oldest first
    std::deque<std::shared_ptr<LeaseWaiter>> waiting;

    std::shared_ptr<LeaseWaiter> take_waiter() {
        auto first = std::move(waiting.front());
        waiting.pop_front();
        first->is_queued = false;
        return first;
    }
};
struct ConnectionPool::PoolCore {
    std::mutex mutex;
    std::vector<std::shared_ptr<PooledServer>> servers;  // servers with a connection or a waiter
    std::size_t idle = 0;
    bool down = false;
    Clock::Time swept{};

    // Drops old connections of servers without requests, and of destroyed clients.
    void sweep(Clock::Time now, std::vector<PooledServer::IdleConnection>& dropped) {
        if (now - swept < longest) return;
        swept = now;
        for (const auto& server : std::vector(servers)) {
            std::size_t old = 0;
            while (old < server->idle.size() && now - server->idle[old].since >= longest) ++old;
            drop(*server, old, dropped);
        }
    }
    std::shared_ptr<PooledServer> server(const std::shared_ptr<PoolCore>& self, const asio::any_io_executor& executor,
                                         const Owner& owner, const PoolLimits& limits) {
        for (const auto& known : servers)
            if (known->owner == owner && known->executor == executor) return known;
        return servers.emplace_back(new PooledServer{self, executor, owner, limits});
    }
    void forget_if_unused(const PooledServer& server) {
        if (server.open == 0 && server.waiting.empty())
            std::erase_if(servers, [&](const auto& known) { return known.get() == &server; });
    }
    // Drops the first ones. The caller closes them after the lock.
    void drop(PooledServer& server, std::size_t count, std::vector<PooledServer::IdleConnection>& dropped) {
        const auto begin = server.idle.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
        std::move(begin, end, std::back_inserter(dropped));
        server.idle.erase(begin, end);
        server.open -= count;
        idle -= count;
        forget_if_unused(server);
    }
    // Called after a connection was kept: drops those that are too old, or else the oldest one above the limit.
    void make_room(PooledServer& server, Clock::Time now, std::vector<PooledServer::IdleConnection>& dropped) {
        std::size_t old = 0;
        while (now - server.idle[old].since >= longest) ++old;  // the youngest is not old
        if (old == 0 && server.idle.size() > server.limits.idle_of_server) old = 1;
        drop(server, old, dropped);
        if (idle <= server.limits.idle) return;
        PooledServer* oldest = &server;
        for (const auto& s : servers)
            if (!s->idle.empty() && s->idle.front().since < oldest->idle.front().since) oldest = s.get();
        drop(*oldest, 1, dropped);
    }
    // Returns an idle connection or the right to open one; an empty lease if there is neither.
    ConnectionLease take(const std::shared_ptr<PooledServer>& server, Clock::Time now,
                         std::vector<PooledServer::IdleConnection>& dropped) {
        ConnectionLease lease;
        while (!server->idle.empty()) {  // the youngest is most likely alive
            auto last = std::move(server->idle.back());
            server->idle.pop_back();
            --idle;
            if (now - last.since < longest && last.connection->is_quiet()) {
                lease.connection = std::move(last.connection);
                lease.server_ = server;
                return lease;
            }
            --server->open;
            dropped.push_back(std::move(last));
        }
        if (server->open < server->limits.open_of_server) {
            ++server->open;
            lease.server_ = server;
        }
        return lease;
    }
};

ConnectionPool::ConnectionLease& ConnectionPool::ConnectionLease::operator=(ConnectionLease&& other) noexcept {
    release();
    connection = std::move(other.connection);
    server_ = std::move(other.server_);
    return *this;
}
void ConnectionPool::ConnectionLease::release() noexcept {
    if (connection) std::exchange(connection, nullptr)->close();
    if (!server_) return;
    ConnectionLease next;
    std::shared_ptr<LeaseWaiter> waiter;
    {
        std::lock_guard lock(server_->core->mutex);
        if (!server_->waiting.empty()) {
            waiter = server_->take_waiter();
            next.server_ = std::move(server_);
        } else {
            --server_->open;
            if (!server_->core->down) server_->core->forget_if_unused(*server_);
        }
    }
    server_.reset();
    if (waiter) waiter->grant(std::move(next));
}
void ConnectionPool::ConnectionLease::keep(Clock::Time now) {
    const auto server = server_;
    std::shared_ptr<LeaseWaiter> waiter;
    std::vector<PooledServer::IdleConnection> dropped;
    {
        auto& core = *server->core;
        std::lock_guard lock(core.mutex);
        if (core.down || server->limits.idle == 0 || server->limits.idle_of_server == 0) {
            // closed with the lease
        } else if (!server->waiting.empty()) {
            waiter = server->take_waiter();
        } else {
            server->idle.push_back({std::move(connection), now});
            ++core.idle;
            server_.reset();
            core.sweep(now, dropped);
            if (server->idle.size() > server->limits.idle_of_server || core.idle > server->limits.idle ||
                now - server->idle.front().since >= longest)
                core.make_room(*server, now, dropped);
        }
    }
    if (waiter) return waiter->grant(std::move(*this));
    for (auto& old : dropped) old.connection->close();
    release();
}

ConnectionPool::ConnectionPool(asio::execution_context& context)
    : service(context), core_(std::make_shared<PoolCore>()) {}
ConnectionPool::~ConnectionPool() = default;
std::shared_ptr<ConnectionPool::PoolCore> ConnectionPool::core_of(const asio::any_io_executor& executor) {
    auto& context = asio::query(executor, asio::execution::context);
    // The sockets' service must be older, because services are shut down in reverse order.
    if (!asio::has_service<ConnectionPool>(context)) asio::ip::tcp::socket first(executor);
    return asio::use_service<ConnectionPool>(context).core_;
}
void ConnectionPool::shutdown() {
    std::vector<std::vector<PooledServer::IdleConnection>> idle;
    std::lock_guard lock(core_->mutex);
    core_->down = true;
    core_->idle = 0;
    for (auto& server : core_->servers) {
        idle.push_back(std::exchange(server->idle, {}));
        server->waiting.clear();
    }
    core_->servers.clear();
}
ConnectionPool::ConnectionLease ConnectionPool::take(const asio::any_io_executor& executor, const Owner& owner,
                                                     const PoolLimits& limits, Clock::Time now) {
    const auto core = core_of(executor);
    std::vector<PooledServer::IdleConnection> dropped;  // closed after the lock
    std::lock_guard lock(core->mutex);
    return core->take(core->server(core, executor, owner, limits), now, dropped);
}

awaitable<ConnectionPool::ConnectionLease> ConnectionPool::wait(Owner owner, PoolLimits limits) {
    const auto& executor = co_await this_executor();
    auto& clock = co_await this_clock();
    struct QueuePlace {  // its end takes a cancelled waiter out of the queue
        std::shared_ptr<PooledServer> server;
        std::shared_ptr<LeaseWaiter> waiter;
        ~QueuePlace() {
            std::lock_guard lock(server->core->mutex);
            if (waiter->is_queued) std::erase(server->waiting, waiter);
        }
    };
    const auto waiter = std::make_shared<LeaseWaiter>();
    std::shared_ptr<PooledServer> server;
    ConnectionLease lease;
    {
        const auto core = core_of(executor);
        std::vector<PooledServer::IdleConnection> dropped;  // closed after the lock
        std::lock_guard lock(core->mutex);
        server = core->server(core, executor, owner, limits);
        lease = core->take(server, clock.now(), dropped);  // a place may be free by now
        waiter->is_queued = !lease;
        if (waiter->is_queued) server->waiting.push_back(waiter);
    }
    if (lease) co_return lease;
    const QueuePlace place{server, waiter};
    co_await waiter->granted.wait();
    co_return std::move(waiter->lease);
}
}
