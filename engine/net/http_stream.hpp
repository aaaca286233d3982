// The state of an arriving response: connection lease, timeouts, parser, unread bytes. Internal to engine/net.
#pragma once
#include "engine/net/connection_pool.hpp"
#include "engine/net/gunzip.hpp"
#include "engine/net/request_limits.hpp"
#include "engine/net/response_parser.hpp"

namespace weft::net {
struct HttpStream::State : core::Recycled {
    State(std::string origin, const HttpRequest&, std::size_t limit, ConnectionPool::ConnectionLease, const Runtime&,
          Clock::Time deadline);
    /// A broken connection is no error here: the server may have responded before it closed.
    awaitable<void> write(std::string head, std::string_view body);
    /// Reads once from the connection, and parses the bytes.
    awaitable<void> fill(TimeoutPhase);
    /// Called after the head: sets up the decompression of the body.
    void look_at_encoding();
    void settle();  // keeps or closes the connection after a complete response

    const std::string origin;
    const std::size_t limit;
    ConnectionPool::ConnectionLease lease;
    RequestLimits watch;
    ResponseParser parser;
    std::unique_ptr<Gunzip> unpack;    // null: not compressed
    std::string body, piece, packed_;  // received; being read; compressed
    bool body_begun = false;           // false: the server may still be working

private:
    void take(std::string_view bytes);
    [[noreturn]] void fail(const boost::system::system_error&);
};
}
