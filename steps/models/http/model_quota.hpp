// The part of a limit of a model, which processes share, that a request takes. HttpModel asks for it; the limits of a
// store are behind it (steps/models/http/store_quota.hpp).
//
//     auto entering = quota.enter(call);
//     const auto permit = co_await std::move(entering);        // waits until the request may be sent
//     quota.leave(permit, reply.usage.prompt_tokens + reply.usage.completion_tokens);
//
// Thread-safe.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/clock.hpp"
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace weft::models {
struct QuotaCall {
    std::string model;                                                     // ChatModel::name()
    std::int64_t prompt_tokens = 0;                                        // estimated
    std::optional<std::int64_t> reply_tokens{};                            // the maximum, if the request has one
    std::function<std::string(const std::string&)> value_of = {};          // ChatRequest::value_of
    std::function<void(const std::string& limit, Duration)> on_wait = {};  // called once if the call waits
};
struct QuotaPermit {
    std::string model;  // empty: it has no limit
    std::int64_t prompt_tokens = 0, tokens = 0;
};
class ModelQuota {
public:
    virtual ~ModelQuota() = default;
    /// False: the model is known to have no limit, so that a call need not enter.
    virtual bool may_limit(const std::string& model, Clock::Time now) = 0;
    /// Waits for the model's limits. A cancelled wait gives back what it has taken.
    virtual awaitable<QuotaPermit> enter(QuotaCall) = 0;
    /// Corrects the expected tokens by the real ones; empty: the request was not sent. Without this call a permit
    /// counts as it was given.
    virtual void leave(const QuotaPermit&, std::optional<std::int64_t> tokens) = 0;
};
}
