// One call of an HttpModel: its attempts, and the decisions between them. Internal to
// steps/models/http/http_model.cpp.
//
// It lives in the coroutine of the call and is used by nobody else; what is shared with other calls is the account and
// the allowance.
#pragma once
#include "steps/models/http/http_model.hpp"
#include "steps/models/model_error.hpp"

namespace weft::net {
class NetError;
}
namespace weft::models {
class HttpCall {
public:
    /// All but `http` outlives it.
    HttpCall(const HttpModelOptions&, Account&, Clock&, net::HttpRequest http, const ChatRequest&, const OnDelta&);
    HttpCall(const HttpCall&) = delete;
    const net::HttpRequest& http() const { return http_; }
    const ChatRequest& request() const { return request_; }
    const OnDelta& on_delta() const { return tap_; }
    WallTime wall() const { return clock_.wall(); }

    /// How long the next attempt has to wait for a limit; zero: it begins. Throws if nobody waits for so long.
    Duration delay_for_limit(bool again);
    void note_answer(std::string request_id, Duration hint);  // with status 200
    void note_begin() { begun_ = true; }                      // a byte of the reply has come
    void finish(ChatReply&);
    Fault fault_of(const net::NetError&) const;
    /// Whether the request may be asked again in another form: nothing was delivered, and the server refused it.
    bool may_adapt(const Fault&) const;
    /// Asks at once, which is no retry. `how`: a sentence for people.
    void adapt(net::HttpRequest, const std::string& how);
    /// The reply of a model that wrote a call that its server could not read.
    ChatReply unreadable(const Fault&);
    void note_reasoned();  // what was delivered is void
    /// How long to wait before the next attempt. Throws ModelError if there is none.
    Duration wait_before_retry_or_throw(Fault);

private:
    bool too_late(Duration wait) const { return clock_.now() + wait > deadline_; }
    int attempts_allowed() const;
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
    Duration held_{};   // in all
    int attempts_ = 0;  // requests
    int refused_ = 0;   // those of them that were no retries
    bool begun_ = false;
};
}
