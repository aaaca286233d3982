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
#include <boost/asio/cancellation_signal.hpp>
#include <memory>

namespace weft::mcp_server {
class Peer : public std::enable_shared_from_this<Peer> {
public:
    Peer(const Core& core, Runtime runtime) : core_(core), runtime_(std::move(runtime)) {}
    Peer(const Peer&) = delete;

    /// A call that is open, or has ended.
    class PeerCall;
    /// Starts a call. `shared`: the response does not close the box, which all calls share. Throws RpcFailure.
    std::shared_ptr<PeerCall> begin(rpc::Request, CallClient, const Envelope&, std::shared_ptr<Outbox>,
                                    bool shared = false);
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
    /// Waits until no call is open, or the signal rings.
    awaitable<void> until_quiet(Signal);

private:
    friend class PeerCall;
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
class Peer::PeerCall final : public Channel {
public:
    PeerCall(Peer&, rpc::Request, CallClient, const Envelope&, std::shared_ptr<Outbox>, bool shared);
    void notify(rpc::Notification) override;
    awaitable<rpc::Response> request(std::string method, nlohmann::json params) override;
    void cancel();
    bool has_ended() const { return ended_; }

private:
    friend class Peer;
    void respond(const rpc::Response&, unsigned status);
    Peer& peer_;
    const rpc::Id id_;
    const net::HttpHeaders headers_;
    Envelope envelope_;
    const std::shared_ptr<Outbox> box_;
    const bool shared_;
    Call call_;
    asio::cancellation_signal cancel_;
    bool ended_ = false, cancelled_ = false;
};
}
