#include "engine/net/idle_connections.hpp"
#include <algorithm>

namespace weft::net {
asio::execution_context::id IdleConnections::id;

namespace {
asio::execution_context& context_of(const asio::any_io_executor& executor) {
    return asio::query(executor, asio::execution::context);
}
}

std::shared_ptr<Connection> IdleConnections::take(const asio::any_io_executor& executor, const Owner& owner,
                                                  Clock::Time now) {
    auto& context = context_of(executor);
    // Made when the first connection is kept, never here: a service that is younger than the sockets' own is shut down
    // before it.
    if (!asio::has_service<IdleConnections>(context)) return nullptr;
    auto& self = asio::use_service<IdleConnections>(context);
    std::vector<Entry> dropped;  // closed after the lock
    std::lock_guard lock(self.mutex_);
    for (std::size_t i = self.entries_.size(); i-- > 0;) {  // the youngest is the likeliest to stand
        if (self.entries_[i].owner != owner || self.entries_[i].connection->executor() != executor) continue;
        Entry entry = std::move(self.entries_[i]);
        self.entries_.erase(self.entries_.begin() + static_cast<std::ptrdiff_t>(i));
        if (now - entry.since < longest && entry.connection->is_quiet()) return entry.connection;
        entry.connection->close();
        dropped.push_back(std::move(entry));
    }
    return nullptr;
}
void IdleConnections::keep(std::shared_ptr<Connection> connection, Owner owner, Clock::Time now) {
    auto& self = asio::use_service<IdleConnections>(context_of(connection->executor()));
    std::shared_ptr<Connection> dropped;
    std::lock_guard lock(self.mutex_);
    auto same = [&](const Entry& e) { return e.owner == owner; };
    auto oldest = self.entries_.end();
    if (std::count_if(self.entries_.begin(), self.entries_.end(), same) >= std::ptrdiff_t(most_of_owner))
        oldest = std::find_if(self.entries_.begin(), self.entries_.end(), same);
    else if (self.entries_.size() >= most) oldest = self.entries_.begin();
    if (oldest != self.entries_.end()) {
        dropped = std::move(oldest->connection);
        self.entries_.erase(oldest);
    }
    self.entries_.push_back({std::move(connection), std::move(owner), now});
}
void IdleConnections::shutdown() { entries_.clear(); }
}
