// The sessions of clients of the older revisions: what was agreed with each, and its streams, of which the newest can
// be taken up again. Internal to workflows/mcp.
//
//     auto session = sessions.open(core, runtime, principal);                // by `initialize`
//     auto known = sessions.find(id, principal, *runtime.clock);             // null: 404
//
// Ids cannot be guessed, and are good only for the caller that they were given to. On the server's loop.
#pragma once
#include "workflows/mcp/peer.hpp"
#include <unordered_map>

namespace weft::mcp_server {
struct Session {
    std::string id, principal;
    std::shared_ptr<Peer> peer;
    Clock::Time used{};
    /// Of its calls, the newest last: each with the number that event ids begin with.
    std::deque<std::pair<std::size_t, std::shared_ptr<Outbox>>> streams;
    std::size_t last_stream = 0;
    Signal ended;  // rings when it is forgotten, for its standing stream
    bool is_gone = false;

    /// A stream for a call: what it has sent stays for a while. Streams of calls that have ended go, those first that
    /// were read, if there are too many of them or they keep too much.
    std::pair<std::size_t, std::shared_ptr<Outbox>> add_stream();
};
class Sessions {
public:
    Sessions(std::size_t most, Duration rest) : most_(most), rest_(rest) {}
    std::shared_ptr<Session> open(const Core&, const Runtime&, const std::string& principal);
    std::shared_ptr<Session> find(std::string_view id, const std::string& principal, const Clock&);
    /// Its calls are cancelled.
    void close(const std::shared_ptr<Session>&);
    void close_all();
    std::size_t size() const { return by_id_.size(); }
    std::vector<std::shared_ptr<Peer>> peers() const;

private:
    void forget_old(const Clock&);
    const std::size_t most_;
    const Duration rest_;
    std::unordered_map<std::string, std::shared_ptr<Session>> by_id_;
};
/// Where a broken stream goes on: "3-17" is behind the event 17 of stream 3.
struct StreamPlace {
    std::size_t stream = 0, next = 0;
};
std::optional<StreamPlace> read_place(std::string_view event_id);
std::string event_id(std::size_t stream, std::size_t number);
}
