// The state of a response that is arriving: its lease of a connection, its timeouts, its parser, and the unread bytes.
// Internal to engine/net.
#pragma once
#include "engine/net/connection_pool.hpp"
#include "engine/net/gunzip.hpp"
#include "engine/net/response_parser.hpp"
#include "engine/net/watch.hpp"

namespace weft::net {
struct HttpStream::State : core::Recycled {
    State(const HttpRequest&, std::size_t limit, ConnectionPool::Lease, const Runtime&, Clock::Time deadline);
    /// False: the connection broke; the server may have responded before it closed.
    awaitable<bool> write(std::string head, std::string_view body);
    /// Reads once.
    awaitable<void> fill(Phase);
    /// The head has come: is the body packed?
    void look_at_encoding();
    void settle();  // the response is complete: the connection is kept, or closed

    const std::string origin;
    const std::size_t limit;
    ConnectionPool::Lease lease;
    Watch watch;
    ResponseParser parser;
    std::unique_ptr<Gunzip> unpack;    // null: nothing is packed
    std::string body, piece, packed_;  // received; being read; to be unpacked
    bool body_begun = false;           // until then the server may still be thinking

private:
    void take(std::string_view bytes);
    [[noreturn]] void fail(const boost::system::system_error&);
};
}
