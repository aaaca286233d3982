// The budget of an agent's run, and its expenses so far. Pure; the steps of the agents ask and count.
//
//     ReactOptions options{.budget = {.tokens = 20'000, .tool_calls = 8}};
//     if (const auto limit = nearly_spent(options.budget, spent); !limit.empty()) ...   // "tokens": close
//
// A run closes before it passes a bound: once another turn, as expensive as the most expensive one so far, might pass a
// bound, no more tool runs and the model must give its best answer. Before that, the model learns how little is left. A
// reply is never longer than the rest of the tokens, so only the last prompt can pass their bound.
#pragma once
#include "engine/describe.hpp"
#include "steps/models/chat_model.hpp"
#include <chrono>
#include <optional>
#include <string_view>

namespace weft {
class Clock;
}
namespace weft::models {
class PriceTable;
}
namespace weft::agents {
struct Budget {               // 0: no bound; negative: nothing is left
    std::int64_t tokens = 0;  // sum of prompts and replies
    double cost = 0;          // cost by the table of prices, in its currency
    int requests = 0;         // number of requests to the model, with retries
    int tool_calls = 0;
    std::int64_t time_ms = 0;  // since the first request to the model
};
BOOST_DESCRIBE_STRUCT(Budget, (), (tokens, cost, requests, tool_calls, time_ms))

/// The expenses of a run so far.
struct Spent {
    models::Usage usage;
    double cost = 0;
    bool unpriced = false;  // a price or a server's count is unknown: the true cost is higher
    int requests = 0, retries = 0, tool_calls = 0;
    std::int64_t time_ms = 0;   // duration of the run
    std::int64_t noted_us = 0;  // last update of time_ms, by the wall clock, in microseconds since 1970; 0: never
    std::int64_t highest_tokens = 0, slowest_ms = 0;
    double highest_cost = 0;  // the most expensive turn's
    /// The last update of time_ms by the monotonic clock, if this process made it. The JSON leaves it out, because it
    /// means nothing to another process.
    std::optional<std::chrono::steady_clock::time_point> noted = {};
    static constexpr std::string_view undescribed_fields[] = {"noted"};
    std::int64_t tokens() const { return usage.prompt_tokens + usage.completion_tokens; }
};
BOOST_DESCRIBE_STRUCT(Spent, (),
                      (usage, cost, unpriced, requests, retries, tool_calls, time_ms, noted_us, highest_tokens,
                       slowest_ms, highest_cost))

/// The bound that another turn before the closing one might pass, as an AnswerEvent names it: tokens, cost, requests,
/// tool_calls, time. Empty if there is none. `requests` is their number in a turn.
std::string nearly_spent(const Budget&, const Spent&, int requests = 1);
/// The bound that leaves no room for any request. Empty if there is none.
std::string all_spent(const Budget&, const Spent&);
/// A sentence for the model when little is left. Empty if enough is left.
std::string what_is_left(const Budget&, const Spent&, int requests = 1);
/// The maximum tokens of a reply: `max_tokens`, but no more than the rest of the budget.
std::optional<int> bounded_reply(std::optional<int> max_tokens, const Budget&, const Spent&);

/// Counts a reply. `model` is the name that users write; `prices` may be null. `estimate` is the prompt's tokens for a
/// server that counts none; then the reply's tokens are estimated, too. 0: the tokens stay unknown.
void count(Spent&, const models::ChatReply&, std::string_view model, const models::PriceTable* prices,
           std::size_t estimate = 0);
/// Adds the expenses of another run that worked for this one.
void add(Spent&, const Spent& part);
/// Returns the rest of a budget, for such a run.
Budget left_of(Budget, const Spent&);
/// Returns one of `parts` equal parts of a budget. The time is not divided.
Budget part_of(Budget, int parts);
/// Add the time since the last call, at the beginning and at the end of a turn. They use the monotonic clock, which no
/// change of the date affects. Only the first call in another process uses the wall clock; it never adds a negative
/// time.
void begin_turn(Spent&, const Clock&);
void end_turn(Spent&, const Clock&);
}
