// An error replaces a response beyond the maximum length, since clients could not read it.
#include "workflows/mcp/peer.hpp"
#include "engine/asio.hpp"
#include "engine/error.hpp"
#include "engine/spawn.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

namespace weft::mcp_server {
namespace {
using nlohmann::json;
constexpr std::size_t most_calls_of_peer = 200, most_unread = 1u << 20;

rpc::Response failure_of(const rpc::Id& id, const RpcFailure& failure) {
    return rpc::failure(id, failure.code, failure.what(), failure.data);
}
}

struct Peer::PendingRequest {
    Signal signal;
    std::optional<rpc::Response> response;
};

class Peer::PeerCall final : public Channel {
public:
    PeerCall(Peer&, rpc::Request, CallClient, const Envelope&, std::shared_ptr<Outbox>, bool shared);
    void notify(rpc::Notification) override;
    awaitable<rpc::Response> request(std::string method, nlohmann::json params) override;
    void cancel();

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

Peer::PeerCall::PeerCall(Peer& peer, rpc::Request request, CallClient asker, const Envelope& envelope,
                         std::shared_ptr<Outbox> box, bool shared)
    : peer_(peer),
      id_(request.id),
      headers_(envelope.headers ? *envelope.headers : net::HttpHeaders()),
      envelope_(envelope),
      box_(std::move(box)),
      shared_(shared),
      call_(std::move(request), std::move(asker), *this) {
    if (envelope_.headers) envelope_.headers = &headers_;
    envelope_.agreed = nullptr;
}
void Peer::PeerCall::notify(rpc::Notification notification) {
    if (!ended_ && box_->unread() < most_unread) box_->put(rpc::write(std::move(notification)));
}
awaitable<rpc::Response> Peer::PeerCall::request(std::string method, json params) {
    return peer_.ask(box_, std::move(method), std::move(params));
}
void Peer::PeerCall::cancel() {
    if (ended_) return;
    cancelled_ = true;
    cancel_.emit(asio::cancellation_type::terminal);
}
void Peer::PeerCall::respond(const rpc::Response& response, unsigned status) {
    auto text = rpc::write(response);
    const auto most = peer_.core_.options().result_bytes;
    if (text.size() > most) {
        const auto sentence = "the result has " + std::to_string(text.size()) + " bytes, more than the " +
                              std::to_string(most) + " of a response";
        auto instead = call_.method() == rpc::method::call_tool ? rpc::success(id_, text_result(sentence, true))
                                                                : rpc::failure(id_, rpc::code::ours, sentence);
        if (auto* result = std::get_if<json>(&instead.outcome); result && call_.modern())
            (*result)["resultType"] = "complete";
        text = rpc::write(std::move(instead));
    }
    peer_.close(*this);
    if (shared_) box_->put(std::move(text));
    else box_->finish(std::move(text), status);
}

void Peer::begin(rpc::Request request, CallClient asker, const Envelope& envelope, std::shared_ptr<Outbox> box,
                 bool shared) {
    if (open_.contains(request.id))
        throw RpcFailure(rpc::code::no_request, "another request has the id " + rpc::text_of(request.id), nullptr, 400);
    if (open_.size() >= most_calls_of_peer)
        throw RpcFailure(rpc::code::ours, "this client has too many open requests: try again later");
    const auto id = request.id;
    auto open = std::make_shared<PeerCall>(*this, std::move(request), std::move(asker), envelope, std::move(box),
                                           shared);
    if (!open->call_.modern()) open->call_.set_log_level(log_level_);
    open_[id] = open;
    auto serving = serve(shared_from_this(), open);
    const auto slot = open->cancel_.slot();
    spawn(runtime_, std::move(serving),
          asio::bind_cancellation_slot(slot,
                                       [self = shared_from_this(), open](std::exception_ptr) { self->ended(*open); }));
}
awaitable<void> Peer::serve(std::shared_ptr<Peer> self, std::shared_ptr<PeerCall> open) {
    std::optional<rpc::Response> response;
    unsigned status = 200;
    try {
        if (!open->call_.modern() && open->call_.method() == rpc::method::set_level &&
            self->core_.options().older_capabilities.contains("logging")) {
            response = rpc::success(open->id_, self->set_level(open->call_.params()));
        } else {
            auto result = co_await self->core_.answer(open->call_, open->envelope_);
            response = rpc::success(open->id_, std::move(result));
        }
    } catch (const RpcFailure& failure) {
        response = failure_of(open->id_, failure);
        if (open->call_.modern()) status = failure.status;  // 404 would tell an older client that its session is lost
    } catch (const std::exception& error) {
        if (open->cancelled_) throw;
        response = rpc::failure(open->id_, rpc::code::ours, "the server has failed: " + excerpt(error.what(), 300));
    } catch (...) {
        if (open->cancelled_) throw;
        response = rpc::failure(open->id_, rpc::code::ours, "the server has failed");
    }
    open->respond(*response, status);
}
void Peer::close(PeerCall& open) {
    if (std::exchange(open.ended_, true)) return;
    open_.erase(open.id_);
    if (open_.empty() && quiet_) quiet_->ring();
}
void Peer::ended(PeerCall& open) {
    if (!open.ended_ && !open.shared_) open.box_->close();  // cancelled
    close(open);
}
json Peer::agree(const json& params, std::string principal) {
    CallClient asker;
    asker.principal = std::move(principal);
    auto result = core_.agree(params, asker);
    agreed_ = std::move(asker);
    return result;
}
json Peer::set_level(const json& params) {
    const auto level = params.find("level");
    if (level == params.end() || !level->is_string() || !is_log_level(level->get_ref<const std::string&>()))
        throw RpcFailure(
            rpc::code::bad_params,
            "params.level has to be one of debug, info, notice, warning, error, critical, alert, emergency");
    log_level_ = *level;
    return json::object();
}
void Peer::hear(const rpc::Notification& notification) {
    if (notification.method != rpc::method::cancelled) return;
    const auto id = notification.params.find("requestId");
    if (id == notification.params.end()) return;
    if (id->is_string()) cancel(id->get<std::string>());
    else if (id->is_number_integer()) cancel(id->get<std::int64_t>());
}
void Peer::hear(rpc::Response response) {
    if (!response.id) return;
    const auto found = asked_.find(rpc::as_number(*response.id));
    if (found == asked_.end()) return;  // too late, or to an unknown question
    found->second->response = std::move(response);
    found->second->signal.ring();
}
std::optional<rpc::Response> Peer::hear(rpc::Malformed malformed, std::string_view text) {
    const auto meant = classify(malformed, text);
    if (meant == MessageKind::notification) return {};
    if (meant == MessageKind::response) {
        hear(rpc::failure(malformed.id, malformed.code, malformed.why));
        return {};
    }
    if (meant != MessageKind::request) malformed.id.reset();
    return rpc::error_for(malformed);
}
void Peer::cancel(const rpc::Id& id) {
    auto found = open_.find(id);
    if (found == open_.end()) found = open_.find(rpc::as_number(id));
    if (found == open_.end()) return;
    const auto open = found->second;
    open->cancel();
}
void Peer::cancel_all() {
    const auto all = open_;
    for (const auto& [id, open] : all) open->cancel();
}
awaitable<void> Peer::until_quiet() {
    if (open_.empty()) co_return;
    co_await quiet_.emplace().wait();
}
awaitable<void> until_quiet(std::vector<std::shared_ptr<Peer>> peers) {
    auto all_quiet = [](std::vector<std::shared_ptr<Peer>> all) -> awaitable<void> {
        for (const auto& peer : all) co_await peer->until_quiet();
    }(std::move(peers));
    try {
        co_await with_timeout(std::chrono::seconds(3), std::move(all_quiet));
    } catch (const Error&) {}
}
awaitable<rpc::Response> Peer::ask(std::shared_ptr<Outbox> box, std::string method, json params) {
    const rpc::Id id = ++last_id_;
    const auto asked = std::make_shared<PendingRequest>();
    asked_[id] = asked;
    struct Forget {
        Peer& peer;
        const rpc::Id& id;
        const std::shared_ptr<Outbox>& box;
        const std::shared_ptr<PendingRequest>& asked;
        ~Forget() {
            peer.asked_.erase(id);
            if (asked->response) return;
            json params = {{"reason", "the call has ended"}};
            if (const auto* number = std::get_if<std::int64_t>(&id)) params["requestId"] = *number;
            rpc::Notification cancelled{std::string(rpc::method::cancelled), std::move(params)};
            box->put(rpc::write(std::move(cancelled)));
        }
    } forget{*this, id, box, asked};
    rpc::Request request{id, std::move(method), std::move(params)};
    box->put(rpc::write(std::move(request)));
    bool late = false;
    try {
        auto waiting = [](std::shared_ptr<PendingRequest> question) -> awaitable<void> {
            while (!question->response) co_await question->signal.wait();
        }(asked);
        co_await with_timeout(core_.options().answer_time, std::move(waiting));
    } catch (const Error& error) {
        if (error.code() != Code::timed_out) throw;
        late = true;
    }
    if (late) throw Error(Code::timed_out, "the question of this call was not answered in time");
    co_return *asked->response;
}
}
