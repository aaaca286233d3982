// One client of an MCP server, with its open calls and its open questions.
//
//     const auto peer = std::make_shared<Peer>(core, runtime);
//     const auto box = std::make_shared<Outbox>();
//     peer->begin(std::move(request), asker, envelope, box);       // gets its notifications and its response
//     peer->hear(notification);                                    // notifications/cancelled
//     peer->hear(std::move(response));                             // the answer to a question
//
// A client over stdio, or with a session, is one peer; a modern request over HTTP has its own. Each call has one
// response, and a cancelled call none. Used on one loop; calls keep their peer until they have ended.
#pragma once
#include "engine/signal.hpp"
#include "workflows/mcp/core.hpp"
#include "workflows/mcp/outbox.hpp"
#include <memory>

namespace weft::mcp_server {
class Peer : public std::enable_shared_from_this<Peer> {
public:
    Peer(const Core& core, Runtime runtime) : core_(core), runtime_(std::move(runtime)) {}
    Peer(const Peer&) = delete;

    /// Starts a call. `shared`: the response does not close the box, which all calls share. Throws RpcFailure.
    void begin(rpc::Request, CallClient, const Envelope&, std::shared_ptr<Outbox>, bool shared = false);
    /// Handles `initialize`: returns its result, and sets agreed().
    nlohmann::json agree(const nlohmann::json& params, std::string principal);
    const CallClient* agreed() const { return agreed_ ? &*agreed_ : nullptr; }
    void hear(const rpc::Notification&);
    void hear(rpc::Response);
    /// Takes a malformed message, and returns its response if it has one. A malformed response fails its question.
    std::optional<rpc::Response> hear(rpc::Malformed, std::string_view text);

    void cancel(const rpc::Id&);
    void cancel_all();
    std::size_t calls() const { return open_.size(); }
    /// Waits until no call is open.
    awaitable<void> until_quiet();

private:
    class PeerCall;  // a call that is open, or has ended
    struct PendingRequest;
    awaitable<rpc::Response> ask(std::shared_ptr<Outbox>, std::string method, nlohmann::json params);
    static awaitable<void> serve(std::shared_ptr<Peer>, std::shared_ptr<PeerCall>);
    void close(PeerCall&);
    void ended(PeerCall&);
    nlohmann::json set_level(const nlohmann::json& params);
    const Core core_;
    const Runtime runtime_;
    std::optional<CallClient> agreed_;
    std::string log_level_;
    std::map<rpc::Id, std::shared_ptr<PeerCall>> open_;
    std::map<rpc::Id, std::shared_ptr<PendingRequest>> asked_;
    std::int64_t last_id_ = 0;
    std::optional<Signal> quiet_;
};
/// Waits until none of them has an open call, for a few seconds: a tool that ignores cancellation ends with the engine.
awaitable<void> until_quiet(std::vector<std::shared_ptr<Peer>>);
}
