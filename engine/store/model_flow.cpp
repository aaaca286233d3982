// A clock that jumps changes little: a bucket never fills for a time that runs backwards, and never above a second.
#include "engine/store/model_flow.hpp"
#include "engine/error.hpp"
#include "engine/json.hpp"
#include "engine/json/parse.hpp"
#include "engine/store/rules.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::storage {
namespace {
constexpr std::size_t most_model_name = 200, most_shares = 1000;
constexpr double used_of_limit = 0.98, minute_us = 60e6, second = 1.0 / 60;  // minutes
constexpr double lead = second / 2, most_lag = 5 * second;                   // minutes of the limit
constexpr std::int64_t forgotten_after = 2'000'000, shortest_wait = 50'000, longest_wait = 1'000'000;

[[noreturn]] void refuse_limit(const std::string& why) { throw Error(Code::usage, why); }

/// One bucket: what one second of a limit holds.
struct QuotaBucket {
    std::optional<std::uint64_t> limit;  // a minute; empty: endless
    double smallest = 0;                 // the bucket holds at least this
    double full() const { return std::max(smallest, double(*limit) * second); }
    void fill(std::optional<double>& level, std::int64_t elapsed_us, double back) const {
        if (!limit) return level.reset();
        const auto added = double(std::max<std::int64_t>(0, elapsed_us)) * used_of_limit * double(*limit) / minute_us;
        level = std::clamp(level.value_or(full()) + added + back, -double(*limit), full());
    }
    double needed(double cost) const { return limit ? std::min(cost, full()) : 0; }
    bool has(const std::optional<double>& level, double cost) const { return !limit || *level >= needed(cost) - 1e-9; }
    double microseconds_until(const std::optional<double>& level, double cost) const {
        return limit ? (needed(cost) - *level) * minute_us / (used_of_limit * double(*limit)) : 0;
    }
};
struct QuotaBuckets {
    QuotaBucket requests, tokens;
    explicit QuotaBuckets(const ModelLimit& limit) : requests{limit.requests, 1}, tokens{limit.tokens, 1} {}
    void fill(ModelQuotaState& state, std::int64_t now, std::int64_t requests_back, std::int64_t tokens_back) const {
        const auto elapsed = state.filled_at == 0 ? 0 : now - state.filled_at;
        requests.fill(state.requests, elapsed, double(requests_back));
        tokens.fill(state.tokens, elapsed, double(tokens_back));
        state.filled_at = now;
    }
    bool have(const ModelQuotaState& state, std::int64_t cost) const {
        return requests.has(state.requests, 1) && tokens.has(state.tokens, double(cost));
    }
    void take(ModelQuotaState& state, std::int64_t cost) const {
        if (state.requests) *state.requests -= 1;
        if (state.tokens) *state.tokens = std::max(*state.tokens - double(cost), -double(*tokens.limit));
    }
    double minutes_of(std::int64_t cost) const {
        return std::max(requests.limit ? 1 / double(*requests.limit) : 0,
                        tokens.limit ? double(cost) / double(*tokens.limit) : 0);
    }
};
std::size_t count_shares(const ModelQuotaState& state) {
    std::size_t count = 0;
    for (auto& [key, share] : state.keys) count += share.owners.size();
    return count;
}
void forget_old(ModelQuotaState& state, std::int64_t now) {
    for (auto& [key, share] : state.keys)
        std::erase_if(share.owners, [&](auto& entry) {
            return entry.second.seen_at < now - forgotten_after || entry.second.seen_at > now + forgotten_after;
        });
    std::erase_if(state.keys, [](auto& entry) { return entry.second.owners.empty(); });
}
template <class Shares> double highest(const Shares& shares) {
    double most = 0;
    for (auto& [name, share] : shares) most = std::max(most, share.used);
    return most;
}
/// Nobody lags far behind: a share that asks seldom must not hold the others back later.
template <class Shares> void catch_up(Shares& shares) {
    const auto least = highest(shares) - most_lag;
    for (auto& [name, share] : shares) share.used = std::max(share.used, least);
}
bool waits(const ModelQuotaState::KeyShare& share) { return share.waits(); }
bool waits(const ModelQuotaState::OwnerShare& share) { return share.waits; }
template <class Shares> bool is_in_turn(const Shares& shares, const std::string& own) {
    const auto used = shares.at(own).used;
    return std::ranges::all_of(shares, [&](auto& entry) {
        return entry.first == own || !waits(entry.second) || used <= entry.second.used + lead;
    });
}
/// The place of a waiting key, a new one if there is room for it.
struct SharePlace {
    std::string key, owner;
};
SharePlace place_of(ModelQuotaState& state, const std::string& key, const std::string& owner, std::int64_t now) {
    SharePlace place{key, owner};
    const auto known = state.keys.find(key);
    if ((known == state.keys.end() || !known->second.owners.contains(owner)) && count_shares(state) >= most_shares)
        place = {};  // all further ones share
    const auto most_used = highest(state.keys);
    auto [own, is_new] = state.keys.try_emplace(place.key);
    if (is_new) own->second.used = most_used;
    const auto most_of_owners = highest(own->second.owners);
    auto [share, is_new_owner] = own->second.owners.try_emplace(place.owner);
    if (is_new_owner) share->second.used = most_of_owners;
    share->second.seen_at = now;
    share->second.waits = true;
    return place;
}
}
bool ModelQuotaState::KeyShare::waits() const {
    return std::ranges::any_of(owners, [](auto& entry) { return entry.second.waits; });
}
QuotaReply take_quota(const ModelLimit& limit, ModelQuotaState& state, const QuotaRequest& request, std::int64_t now) {
    const QuotaBuckets buckets(limit);
    buckets.fill(state, now, request.requests_back, request.tokens_back);
    forget_old(state, now);
    for (auto& [key, share] : state.keys)
        if (const auto own = share.owners.find(request.owner); own != share.owners.end()) own->second.waits = false;
    catch_up(state.keys);
    for (auto& [key, share] : state.keys) catch_up(share.owners);

    std::vector<SharePlace> places;
    for (auto& waiting : request.waiting) places.push_back(place_of(state, waiting.key, request.owner, now));
    QuotaReply reply{.limit = limit, .granted = std::vector<std::uint64_t>(places.size(), 0), .wait_us = longest_wait};
    double until = 0;
    std::vector<bool> is_closed(places.size());
    for (;;) {  // one call after the other, of the key that has had least
        std::optional<std::size_t> next;
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (is_closed[i] || reply.granted[i] == request.waiting[i].tokens.size()) continue;
            if (!next || state.keys.at(places[i].key).used < state.keys.at(places[*next].key).used) next = i;
        }
        if (!next) break;
        const auto cost = std::max<std::int64_t>(0, request.waiting[*next].tokens[reply.granted[*next]]);
        until = std::max(buckets.requests.microseconds_until(state.requests, 1),
                         buckets.tokens.microseconds_until(state.tokens, double(cost)));
        auto& key = state.keys.at(places[*next].key);
        if (!buckets.have(state, cost)) break;
        if (!is_in_turn(state.keys, places[*next].key) || !is_in_turn(key.owners, places[*next].owner)) {
            is_closed[*next] = true;
            continue;
        }
        buckets.take(state, cost);
        key.used += buckets.minutes_of(cost);
        key.owners.at(places[*next].owner).used += buckets.minutes_of(cost);
        if (++reply.granted[*next] == request.waiting[*next].tokens.size())
            key.owners.at(places[*next].owner).waits = false;
    }
    reply.wait_us = std::clamp(std::int64_t(std::ceil(until)), shortest_wait, longest_wait);
    return reply;
}
ModelFlow flow_of(const ModelLimit& limit, ModelQuotaState state, std::int64_t now) {
    QuotaBuckets(limit).fill(state, now, 0, 0);
    forget_old(state, now);
    ModelFlow flow;
    static_cast<ModelLimit&>(flow) = limit;
    flow.requests_left = state.requests;
    flow.tokens_left = state.tokens;
    for (auto& [key, share] : state.keys)
        flow.waiting += std::uint64_t(
            std::ranges::count_if(share.owners, [](auto& entry) { return waits(entry.second); }));
    return flow;
}

void check_limit(const ModelLimit& limit) {
    if (limit.model.empty() || limit.model.size() > most_model_name || !can_be_run_id(limit.model))
        refuse_limit("the name of a limited model is one line of 1 to " + std::to_string(most_model_name) +
                     " bytes of UTF-8, and \"" + excerpt(limit.model, 60) + "\" is not");
    for (const auto& rate : {limit.requests, limit.tokens})
        if (rate && (*rate == 0 || *rate > most_model_rate))
            refuse_limit("a limit of " + excerpt(limit.model, 60) + " is 1 to " + std::to_string(most_model_rate) +
                         " a minute");
    check_key_name(limit.per, "the model " + excerpt(limit.model, 60));
}
void too_many_model_limits() {
    refuse_limit("the store has " + std::to_string(most_limited_models) +
                 " limited models: remove the limits of one first");
}
void check_quota_request(const QuotaRequest& request) {
    const auto is_text = [](const std::string& text) {
        return text.size() <= most_model_name && (text.empty() || can_be_run_id(text));
    };
    bool is_sound = is_text(request.model) && is_text(request.owner) && request.waiting.size() <= most_waiting_keys;
    for (auto& waiting : request.waiting)
        is_sound = is_sound && is_text(waiting.key) && waiting.tokens.size() <= most_waiting_calls;
    if (!is_sound) refuse_limit("a question for a model's quota has too many or too long parts");
}

std::string write_model_state(const ModelQuotaState& state) { return to_json(state).dump(); }
ModelQuotaState read_model_state(const std::string& text) {
    try {
        return from_json<ModelQuotaState>(parse_json(text));
    } catch (const Error&) { return {}; }
}
std::string write_model_limit(const ModelLimit& limit) { return to_json(limit).dump(); }
std::optional<ModelLimit> read_model_limit(const std::string& text) {
    try {
        auto limit = from_json<ModelLimit>(parse_json(text));
        check_limit(limit);
        return limit;
    } catch (const Error&) { return std::nullopt; }
}
std::string rates_in_words(const ModelLimit& limit) {
    std::string text;
    if (limit.requests) text = std::to_string(*limit.requests) + " requests";
    if (limit.tokens) text += (text.empty() ? "" : " and ") + std::to_string(*limit.tokens) + " tokens";
    return text + " a minute";
}
}
