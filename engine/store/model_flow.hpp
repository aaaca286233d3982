// The arithmetic of limits of models. Pure: a store keeps the state as a text, changes it by these functions in one
// transaction, and knows the time.
//
//     auto state = read_model_state(text);
//     auto reply = take_quota(limit, state, request, now);
//     text = write_model_state(state);
//
// Requests and tokens have a bucket each. It fills evenly with 98 % of the limit, and holds one second of it, at least
// one request: so no minute has more than the limit, and a server that counts by seconds is content, too. A process
// takes a block for the calls that wait at this moment, never in advance, so a dead process holds nothing back but its
// place, for two seconds. A call with more tokens than the bucket holds is sent when the bucket is full, and leaves a
// debt.
//
// While several keys wait, each may lead the one that has had least by half a second of the limit; in a key the
// processes take turns by the same rule. Use is counted in minutes of the limit.
#pragma once
#include "engine/describe.hpp"
#include "engine/store.hpp"
#include <map>

namespace weft::storage {
BOOST_DESCRIBE_STRUCT(ModelLimit, (), (model, requests, tokens, per))
BOOST_DESCRIBE_STRUCT(ModelFlow, (ModelLimit), (requests_left, tokens_left, waiting))
/// Throws Error{usage} if the limit contradicts itself.
void check_limit(const ModelLimit&);
[[noreturn]] void too_many_model_limits();      // throws Error{usage}
void check_quota_request(const QuotaRequest&);  // throws Error{usage} for one beyond the bounds

struct ModelQuotaState {
    struct OwnerShare {
        double used = 0;           // minutes of the limit
        std::int64_t seen_at = 0;  // microseconds since 1970
        bool waits = false;
    };
    struct KeyShare {
        double used = 0;
        std::map<std::string, OwnerShare> owners;
        bool waits() const;
    };
    std::optional<double> requests, tokens;  // the contents of the buckets; empty: full; negative: a debt
    std::int64_t filled_at = 0;              // microseconds since 1970
    std::map<std::string, KeyShare> keys;    // of the last two seconds
};
BOOST_DESCRIBE_STRUCT(ModelQuotaState::OwnerShare, (), (used, seen_at, waits))
BOOST_DESCRIBE_STRUCT(ModelQuotaState::KeyShare, (), (used, owners))
BOOST_DESCRIBE_STRUCT(ModelQuotaState, (), (requests, tokens, filled_at, keys))
QuotaReply take_quota(const ModelLimit&, ModelQuotaState&, const QuotaRequest&, std::int64_t now);
ModelFlow flow_of(const ModelLimit&, ModelQuotaState, std::int64_t now);
std::string write_model_state(const ModelQuotaState&);
ModelQuotaState read_model_state(const std::string&);  // a damaged text is an empty state
std::string write_model_limit(const ModelLimit&);
std::optional<ModelLimit> read_model_limit(const std::string&);
/// "500 requests and 200000 tokens a minute", for a limit of something.
std::string rates_in_words(const ModelLimit&);
}
