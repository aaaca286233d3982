// Each exit from the loop of attempts has a sentence with the reason for no further request;
// wait_before_retry_or_throw() has them in order.
#include "steps/models/http/http_call.hpp"
#include "engine/net/net_error.hpp"
#include "engine/timeout.hpp"
#include "steps/models/reply_room.hpp"
#include "steps/models/thought_filter.hpp"
#include <algorithm>

namespace weft::models {
namespace {
using std::chrono::milliseconds;

std::string in_whole_seconds(Duration wait) {
    return std::to_string(std::chrono::ceil<std::chrono::seconds>(wait).count()) + " s";
}
}

HttpCall::HttpCall(const HttpModelOptions& options, Account& account, Clock& clock, net::HttpRequest http,
                   const ChatRequest& request, const OnDelta& on_delta)
    : options_(options),
      account_(account),
      clock_(clock),
      http_(std::move(http)),
      request_(request),
      deadline_(request.time_left ? clock.after(*request.time_left) : Clock::Time::max()) {
    if (on_delta)
        tap_ = [this, &on_delta](std::string_view delta) {
            if (delivered_.empty()) reserve_reply(delivered_, delta.size());
            delivered_ += delta;
            on_delta(delta);
        };
    options_.allowance->request(clock_.now());
    if (const auto delay = account_.delay_while_down(clock_.now()); delay > Duration::zero())
        give_up(Fault(Code::model_unreachable, account_.last_failure(), 0, FaultKind::transient),
                "; after repeated failures it is not asked again for " + in_whole_seconds(delay));
}
Duration HttpCall::longest_wait() const {
    const Duration own = options_.retry.longest_wait;
    return std::min(own, request_.longest_wait.value_or(own));
}
RetryPolicy HttpCall::policy_for(const Fault& fault) const {
    RetryPolicy policy = options_.retry;
    if (request_.max_retries) policy.attempts = std::min(policy.attempts, 1 + std::max(0, *request_.max_retries));
    if (fault.unresolved && request_.longest_wait) policy.attempts = 1;
    policy.longest_wait = std::chrono::floor<milliseconds>(longest_wait());
    return policy;
}
void HttpCall::send_note(CallNote::Kind kind, const std::string& what, Duration wait) const {
    if (request_.on_note)
        request_.on_note({kind, options_.name, options_.key.redact(options_.name + " " + what),
                          std::chrono::ceil<milliseconds>(wait)});
}
Duration HttpCall::delay_for_limit(bool again) {
    const auto wait = account_.delay_for_limit(clock_.now(), again || attempts_ > 0, options_.chance());
    if (wait == Duration::zero()) {
        ++attempts_;
        begun_ = false;
        request_id_.clear();
        return wait;
    }
    held_ += wait;
    const std::string limited = "limits how often it is asked with this key";
    if (held_ > longest_wait() || too_late(wait))
        give_up(Fault(Code::model_refused, limited, 0, FaultKind::throttled),
                "; the next request may go in " + in_whole_seconds(wait));
    send_note(CallNote::Kind::held, limited + ": the request is held back", wait);
    return wait;
}
QuotaCall HttpCall::quota_call() {
    constexpr std::size_t bytes_of_token = 4;
    QuotaCall call{.model = options_.name, .prompt_tokens = std::int64_t(http_.body.size() / bytes_of_token + 1)};
    if (request_.sampling.max_tokens) call.reply_tokens = *request_.sampling.max_tokens;
    call.value_of = request_.value_of;
    call.on_wait = [this](const std::string& limit, Duration wait) {
        send_note(CallNote::Kind::held, "may have " + limit + " in this store: the request is held back", wait);
    };
    return call;
}
awaitable<void> HttpCall::enter_quota() {
    if (!options_.quota || !options_.quota->may_limit(options_.name, clock_.now())) co_return;
    auto most = request_.longest_wait ? *request_.longest_wait - held_ : Duration::max();
    if (deadline_ != Clock::Time::max()) most = std::min<Duration>(most, deadline_ - clock_.now());
    auto entering = options_.quota->enter(quota_call());
    const auto since = clock_.now();
    bool is_in_time = true;
    try {
        if (most == Duration::max()) permit_ = co_await std::move(entering);
        else permit_ = co_await with_timeout(std::max(most, Duration::zero()), std::move(entering));
    } catch (const Error& error) {
        if (error.code() != Code::timed_out) throw;
        is_in_time = false;
    }
    held_ += clock_.now() - since;
    if (is_in_time) co_return;
    --attempts_;
    give_up(Fault(Code::model_refused, "has used up its limits in this store", 0, FaultKind::throttled),
            "; the request would have waited for more than " + in_whole_seconds(most));
}
void HttpCall::leave_quota(std::optional<std::int64_t> tokens) {
    if (!permit_.model.empty()) options_.quota->leave(permit_, tokens);
    permit_ = {};
}
void HttpCall::note_answer(std::string request_id, Duration hint) {
    request_id_ = std::move(request_id);
    if (hint > Duration::zero()) account_.block_for(clock_.now(), hint);
}
void HttpCall::finish(ChatReply& reply) {
    account_.note_answer();
    const auto used = reply.usage.prompt_tokens + reply.usage.completion_tokens;
    leave_quota(used > 0 ? used : permit_.tokens);
    reply.attempts = attempts_;
    if (reply.request_id.empty()) reply.request_id = request_id_;
}
Fault HttpCall::fault_of(const net::NetError& error) const { return judge(error, options_.protocol->hints(), begun_); }
bool HttpCall::may_adapt(const Fault& fault) const {
    const bool refused = fault.kind == FaultKind::permanent || fault.kind == FaultKind::transient;
    return delivered_.empty() && refused && !fault.too_long && !fault.refusal.empty();
}
void HttpCall::adapt(net::HttpRequest http, const std::string& how) {
    account_.note_answer();
    http_ = std::move(http);
    ++refused_;
    send_note(CallNote::Kind::adapted, "refused the request as it was: " + how, Duration::zero());
}
ChatReply HttpCall::unreadable(const Fault& fault) {
    ChatReply reply;
    reply.finish = FinishReason::unreadable;
    reply.fault = options_.key.redact(fault.what());
    reply.request_id = fault.request_id;
    finish(reply);
    return reply;
}
void HttpCall::note_reasoned() {
    delivered_.clear();
    if (request_.on_note) request_.on_note(reasoned_note(options_.name));
}
Duration HttpCall::wait_before_retry_or_throw(Fault fault) {
    if (fault.request_id.empty()) fault.request_id = request_id_;
    if (const auto wait = until_point(fault.reset, clock_.wall()); wait && !fault.floor) fault.floor = wait;
    const auto now = clock_.now();
    if (fault.kind == FaultKind::transient || fault.kind == FaultKind::unknown_outcome)
        account_.note_failure(now, fault.what());
    else account_.note_answer();

    const auto policy = policy_for(fault);
    const auto wait = next_wait(policy, fault, attempts_ - refused_, options_.chance());
    if (fault.kind == FaultKind::throttled)
        account_.block_for(now, std::max(fault.floor.value_or(milliseconds(0)), wait.value_or(policy.base)));
    if (!delivered_.empty() && !request_.restart)
        give_up(fault, "; a part of its reply had been shown, so it was not asked again");
    if (!wait) {
        if (fault.retries > 0 && fault.floor > policy.longest_wait)
            give_up(fault, "; it asks to wait " + in_whole_seconds(*fault.floor) + " before the next try");
        const auto tries = attempts_ - refused_;
        give_up(fault, tries > 1 ? "; tried " + std::to_string(tries) + " times" : std::string());
    }
    if (request_.longest_wait && *wait > *request_.longest_wait)
        give_up(fault, "; the next try would come after " + in_whole_seconds(*wait));
    if (too_late(*wait))
        give_up(fault, "; the next try, after " + in_whole_seconds(*wait) + ", would come too late for this run");
    // Requests behind a limit are spaced anyway, so they need no allowance.
    if (fault.kind != FaultKind::throttled && !options_.allowance->retry(now))
        give_up(fault, "; it was not asked again, as too many requests are being tried again already");
    send_note(delivered_.empty() ? CallNote::Kind::retry : CallNote::Kind::restart, fault.what(), *wait);
    delivered_.clear();
    return *wait;
}
void HttpCall::give_up(const Fault& fault, const std::string& why_not_again) {
    const auto sentence = options_.key.redact(options_.name + " " + fault.what() + why_not_again);
    ModelError::Details details{fault.kind, fault.provider_code, fault.request_id, attempts_, std::move(delivered_)};
    if (details.partial.empty() && fault.too_long) throw PromptTooLong(sentence, std::move(details));
    if (details.partial.empty() && fault.no_tools && !request_.tools.empty())
        throw ToolsUnsupported(sentence, std::move(details));
    throw ModelError(fault.code, sentence, std::move(details));
}
}
