// The data of a store's limits of models: how often, and with how many tokens, all its processes together may ask one.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::storage {
/// Holds for all processes that use a store together. Empty members limit nothing.
struct ModelLimit {
    std::string model;                      // ChatModel::name(): openai:gpt-4o-mini
    std::optional<std::uint64_t> requests;  // maximum in any minute; 1 to most_model_rate
    std::optional<std::uint64_t> tokens;    // maximum in any minute, of requests and replies; 1 to most_model_rate
    /// "value.NAME": runs whose values (RunOptions::values) differ in this member get equal shares while they wait.
    /// Empty: equal shares for each process.
    std::string per;
    static constexpr std::string_view optional_fields[] = {"per"};
    bool operator==(const ModelLimit&) const = default;
};
/// A limit with what is left of it at this moment. At most one second of the limit is left, and at least one request.
struct ModelFlow : ModelLimit {
    std::optional<double> requests_left, tokens_left;  // negative: a debt, after a call with more tokens than expected
    std::uint64_t waiting = 0;                         // keys with calls that wait, counted in each process
};
inline bool limits_nothing(const ModelLimit& limit) { return !limit.requests && !limit.tokens; }
inline constexpr std::uint64_t most_model_rate = 1'000'000'000;
inline constexpr std::size_t most_limited_models = 1000,  // maximum of a store
    most_waiting_keys = 100,                              // maximum of one call; others wait for a later one
    most_waiting_calls = 1000;                            // maximum of one key in one call

/// The calls of one process that wait for a limit.
struct QuotaRequest {
    std::string model;
    std::string owner;  // identifies the process
    struct WaitingKey {
        std::string key;                   // by ModelLimit::per
        std::vector<std::int64_t> tokens;  // one entry for each waiting call, in their order: the expected tokens
    };
    std::vector<WaitingKey> waiting;  // all of this process; empty: none waits any more
    /// The difference of what earlier calls were expected to take and what they took. Negative: they took more.
    std::int64_t requests_back = 0, tokens_back = 0;
};
struct QuotaReply {
    std::optional<ModelLimit> limit;     // empty: the model has no limit, and all calls may be sent
    std::vector<std::uint64_t> granted;  // for each waiting key: how many of its first calls may be sent now
    std::int64_t wait_us = 0;            // the time until the next question, if calls still wait
};
}
