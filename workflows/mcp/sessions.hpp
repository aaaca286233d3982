// The sessions of clients of the older revisions, with their agreed capabilities and their streams. A client can
// continue the newest streams. Internal to workflows/mcp.
//
//     auto session = sessions.open(core, runtime, principal);                // by `initialize`
//     auto known = sessions.find(id, principal, *runtime.clock);             // null: 404
//
// Ids cannot be guessed, and are valid only for the caller that has opened the session. Used on the server's loop.
#pragma once
#include "workflows/mcp/peer.hpp"
#include <unordered_map>

namespace weft::mcp_server {
struct McpSession {
    std::string id, principal;
    std::shared_ptr<Peer> peer;
    Clock::Time used{};
    /// Streams of its calls, the newest last, with the number at the begin of their event ids.
    std::deque<std::pair<std::size_t, std::shared_ptr<Outbox>>> streams;
    std::size_t last_stream = 0;
    Signal ended;  // rings at the session's end, for its open GET stream
    bool is_gone = false;

    /// Adds a stream for a call. If streams are too many or keep too many bytes, streams of ended calls go, first those
    /// that were read.
    std::pair<std::size_t, std::shared_ptr<Outbox>> add_stream();
};
class Sessions {
public:
    Sessions(std::size_t most, Duration rest) : most_(most), rest_(rest) {}
    std::shared_ptr<McpSession> open(const Core&, const Runtime&, const std::string& principal);
    std::shared_ptr<McpSession> find(std::string_view id, const std::string& principal, const Clock&);
    /// Ends a session and cancels its calls.
    void close(const std::shared_ptr<McpSession>&);
    void close_all();
    std::size_t size() const { return by_id_.size(); }
    std::vector<std::shared_ptr<Peer>> peers() const;

private:
    void forget_old(const Clock&);
    const std::size_t most_;
    const Duration rest_;
    std::unordered_map<std::string, std::shared_ptr<McpSession>> by_id_;
};
/// The position where a broken stream continues: "3-17" is behind event 17 of stream 3.
struct StreamPlace {
    std::size_t stream = 0, next = 0;
};
std::optional<StreamPlace> read_place(std::string_view event_id);
std::string event_id(std::size_t stream, std::size_t number);
}
