// What a run of an agent may spend, and what it has spent. Pure; the steps of the agents ask and count.
//
//     ReactOptions options{.budget = {.tokens = 20'000, .tool_calls = 8}};
//     if (const auto limit = nearly_spent(options.budget, spent); !limit.empty()) ...   // "tokens": close
//
// A budget is kept by closing in time: once a turn as expensive as the most expensive one so far might pass a bound, no
// tool runs any more and the model is asked for the best answer it can give. Before that, when little is left, it is
// told how much. A reply is never longer than what is left of the tokens, so that bound is passed by at most the last
// prompt.
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
    std::int64_t tokens = 0;  // read and written, in all
    double cost = 0;          // by the table of prices, in its currency
    int requests = 0;         // to the model, those that had to be made again included
    int tool_calls = 0;
    std::int64_t time_ms = 0;  // since the model was first asked
};
BOOST_DESCRIBE_STRUCT(Budget, (), (tokens, cost, requests, tool_calls, time_ms))

/// The slot of what has been spent.
struct Spent {
    models::Usage usage;
    double cost = 0;
    bool unpriced = false;  // a price, or what a server has counted, is not known: the cost is more than that
    int requests = 0, retries = 0, tool_calls = 0;
    std::int64_t time_ms = 0;   // that it has taken so far
    std::int64_t noted_us = 0;  // when that was noted: a wall time, in microseconds since 1970; 0: never
    std::int64_t highest_tokens = 0, slowest_ms = 0;
    double highest_cost = 0;  // the most expensive turn's
    /// When time_ms was noted by the monotonic clock, if this process has noted it. It means nothing to another
    /// process, so it is no part of the JSON.
    std::optional<std::chrono::steady_clock::time_point> noted = {};
    static constexpr std::string_view undescribed_fields[] = {"noted"};
    std::int64_t tokens() const { return usage.prompt_tokens + usage.completion_tokens; }
};
BOOST_DESCRIBE_STRUCT(Spent, (),
                      (usage, cost, unpriced, requests, retries, tool_calls, time_ms, noted_us, highest_tokens,
                       slowest_ms, highest_cost))

/// Which bound another turn before the closing one might pass, as an AnswerEvent names it: tokens, cost, requests,
/// tool_calls, time. Empty if none.
/// `requests`: of a turn.
std::string nearly_spent(const Budget&, const Spent&, int requests = 1);
/// Which bound leaves no room for any request at all. Empty if none.
std::string all_spent(const Budget&, const Spent&);
/// What the model is told when little is left: a sentence. Empty if there is enough.
std::string what_is_left(const Budget&, const Spent&, int requests = 1);
/// How long a reply may be: what was asked for, but no more than is left of the tokens.
std::optional<int> bounded_reply(std::optional<int> max_tokens, const Budget&, const Spent&);

/// Counts a reply. `model` is the name that users write; `prices` may be null. `estimate` are the tokens of the prompt
/// for a server that counts none, which makes those of the reply an estimate, too; 0: they stay unknown.
void count(Spent&, const models::ChatReply&, std::string_view model, const models::PriceTable* prices,
           std::size_t estimate = 0);
/// Adds what another run has spent for this one.
void add(Spent&, const Spent& part);
/// Returns the rest of a budget, for such a run.
Budget left_of(Budget, const Spent&);
/// A budget divided into so many equal parts: one of them.
Budget part_of(Budget, int parts);
/// Notes the time, at the beginning of a turn and at its end. It is a sum of spans, each from one note to the next by
/// the monotonic clock, so that nobody who sets the date lengthens or shortens it. Only where a run goes on in another
/// process is the span from the last note before to the first one after by the date; it is never less than nothing.
void begin_turn(Spent&, const Clock&);
void end_turn(Spent&, const Clock&);
}
