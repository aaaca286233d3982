// One call of an HttpModel: its attempts, and the decisions between them. Internal to
// steps/models/http/http_model.cpp.
//
// The object belongs to the coroutine of its call. Other calls share only the account and the allowance.
#pragma once
#include "steps/models/http/http_model.hpp"
#include "steps/models/model_error.hpp"

namespace weft::net {
class NetError;
}
namespace weft::models {
class HttpCall {
public:
    /// All arguments but `http` must outlive this object.
    HttpCall(const HttpModelOptions&, Account&, Clock&, net::HttpRequest http, const ChatRequest&, const OnDelta&);
    HttpCall(const HttpCall&) = delete;
    const net::HttpRequest& http() const { return http_; }
    const ChatRequest& request() const { return request_; }
    const OnDelta& on_delta() const { return tap_; }
    WallTime wall() const { return clock_.wall(); }

    /// Returns the wait for a limit before the next attempt; zero begins it. Throws ModelError if the wait is too long.
    Duration delay_for_limit(bool again);
    /// Waits for the limits that processes share. Throws ModelError if the wait is too long.
    awaitable<void> enter_quota();
    void leave_quota(std::optional<std::int64_t> tokens);     // empty: the request was not sent
    void note_answer(std::string request_id, Duration hint);  // for status 200
    void note_begin() { begun_ = true; }                      // call this after the first byte of the reply
    void finish(ChatReply&);
    Fault fault_of(const net::NetError&) const;
    /// True if the request may be sent in another form: the server refused it, and nothing was delivered.
    bool may_adapt(const Fault&) const;
    /// Sets another form, which is sent immediately and does not count as a retry. `how`: a sentence for people.
    void adapt(net::HttpRequest, const std::string& how);
    /// Returns the reply for a call that the model wrote and its server could not parse.
    ChatReply unreadable(const Fault&);
    void note_reasoned();  // voids the delivered text
    /// Returns the wait before the next attempt. Throws ModelError if there is no next attempt.
    Duration wait_before_retry_or_throw(Fault);

private:
    QuotaCall quota_call();
    bool too_late(Duration wait) const { return clock_.now() + wait > deadline_; }
    RetryPolicy policy_for(const Fault&) const;
    Duration longest_wait() const;
    void send_note(CallNote::Kind, const std::string& what, Duration wait) const;
    [[noreturn]] void give_up(const Fault&, const std::string& why_not_again);

    const HttpModelOptions& options_;
    Account& account_;
    Clock& clock_;
    net::HttpRequest http_;
    const ChatRequest& request_;
    const Clock::Time deadline_;
    OnDelta tap_;
    std::string delivered_, request_id_;
    Duration held_{};   // total
    int attempts_ = 0;  // number of requests
    int refused_ = 0;   // number of requests that do not count as tries
    bool begun_ = false;
    QuotaPermit permit_;
};
}
