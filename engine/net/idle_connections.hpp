// Connections that wait for their next request. They live in the I/O context that they belong to, as one of its
// services: whoever goes first, client or context, no socket outlives its context. Internal to engine/net; safe from
// any thread.
#pragma once
#include "engine/net/connection.hpp"
#include <boost/asio/execution_context.hpp>
#include <mutex>

namespace weft::net {
class IdleConnections final : public asio::execution_context::service {
public:
    static asio::execution_context::id id;
    struct Owner {  // a connection goes to nobody else: another client may trust other authorities
        std::uint64_t client;
        std::string origin;
        bool operator==(const Owner&) const = default;
    };
    explicit IdleConnections(asio::execution_context& context) : service(context) {}
    /// One that still stands; null if there is none.
    static std::shared_ptr<Connection> take(const asio::any_io_executor&, const Owner&, Clock::Time now);
    static void keep(std::shared_ptr<Connection>, Owner, Clock::Time now);

private:
    static constexpr std::size_t most = 64, most_of_owner = 8;
    static constexpr Duration longest = std::chrono::seconds(50);  // servers drop them after 60 s, commonly
    struct Entry {
        std::shared_ptr<Connection> connection;
        Owner owner;
        Clock::Time since;
    };
    void shutdown() override;
    std::mutex mutex_;
    std::vector<Entry> entries_;  // the oldest first
};
}
