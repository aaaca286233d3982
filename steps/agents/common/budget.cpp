// A bound is nearly spent when it has no room for the closing turn and another turn, as expensive as the most expensive
// one so far. All bounds are rows of one table, so each function is one loop.
#include "steps/agents/common/budget.hpp"
#include "engine/clock.hpp"
#include "steps/agents/text/cut_text.hpp"
#include "steps/models/prices.hpp"
#include <algorithm>
#include <array>
#include <cstdio>

namespace weft::agents {
namespace {
using std::chrono::milliseconds;
constexpr int least_reply = 16;  // tokens; servers refuse a lower maximum

/// A bound: its maximum, its spent part, and the cost of another turn.
struct BudgetLimit {
    BudgetLimit(const char* n, double m, double g, double t)
        : name(n), most(m < 0 ? 1 : m), gone(m < 0 ? 1 : g), turn(t) {}
    const char* name;
    double most, gone, turn;
    double left() const { return std::max(0.0, most - gone); }
};
/// The cost of a turn includes the closing turn, except for tool calls.
std::array<BudgetLimit, 5> bounds(const Budget& budget, const Spent& spent, int requests) {
    const double turns = requests + 1;
    return {{{"tokens", double(budget.tokens), double(spent.tokens()), turns * double(spent.highest_tokens)},
             {"cost", budget.cost, spent.cost, turns * spent.highest_cost},
             {"requests", double(budget.requests), double(spent.requests), turns},
             {"tool_calls", double(budget.tool_calls), double(spent.tool_calls), 1},
             {"time", double(budget.time_ms), double(spent.time_ms), turns * double(spent.slowest_ms)}}};
}
/// Rounds up, so that a repeated prompt is the same.
int rounded(double seconds) {
    for (const int step : {5, 15, 30, 60, 120, 300, 600, 1800})
        if (seconds < step) return step;
    return 3600 * (1 + static_cast<int>(seconds / 3600));
}
std::string shown(const BudgetLimit& bound) {
    char text[40];
    const bool whole = std::string_view(bound.name) != "cost";
    if (std::string_view(bound.name) == "time")
        std::snprintf(text, sizeof text, "less than %d seconds", rounded(bound.left() / 1000));
    else std::snprintf(text, sizeof text, whole ? "%.0f" : "%.4g", bound.left());
    return text;
}
std::string in_words(const BudgetLimit& bound) {
    const std::string_view name = bound.name;
    auto left = shown(bound);
    if (name == "tokens") return "about " + left + " tokens";
    if (name == "cost") return left + " of the money";
    if (name == "requests") return left + (left == "1" ? " reply" : " replies");
    if (name == "tool_calls") return left + (left == "1" ? " call of a tool" : " calls of tools");
    return left;
}
/// The time since the last update.
Duration gone_by(const Spent& spent, Clock::Time now, WallTime wall) {
    Duration gone{};
    if (spent.noted) gone = now - *spent.noted;
    else if (spent.noted_us != 0) gone = wall.time_since_epoch() - std::chrono::microseconds(spent.noted_us);
    return std::max(gone, Duration::zero());
}
void count_time(Spent& spent, const Clock& clock) {
    const auto now = clock.now();
    const auto wall = clock.wall();
    const auto gone = gone_by(spent, now, wall);
    const auto whole = std::chrono::floor<milliseconds>(gone);
    const auto rest = gone - whole;  // counts at the next update, so that many short turns take time
    spent.time_ms += whole.count();
    spent.noted = now - rest;
    spent.noted_us = std::chrono::floor<std::chrono::microseconds>(wall - rest).time_since_epoch().count();
}
}

std::string nearly_spent(const Budget& budget, const Spent& spent, int requests) {
    for (const auto& bound : bounds(budget, spent, requests))
        if (bound.most > 0 && bound.left() < bound.turn) return bound.name;
    return {};
}
std::string all_spent(const Budget& budget, const Spent& spent) {
    for (const auto& bound : bounds(budget, spent, 1))
        if (bound.most > 0 && bound.left() <= 0 && std::string_view(bound.name) != "tool_calls") return bound.name;
    return {};
}
std::string what_is_left(const Budget& budget, const Spent& spent, int requests) {
    std::string list;
    for (const auto& bound : bounds(budget, spent, requests)) {
        const bool little = bound.left() < 2 * bound.turn || bound.left() < bound.most / 4;
        if (bound.most > 0 && bound.gone > 0 && little) list += (list.empty() ? "" : ", ") + in_words(bound);
    }
    if (list.empty()) return list;
    return "Little is left for this task: " + list + ". Do only what is needed most, and answer soon.";
}
std::optional<int> bounded_reply(std::optional<int> max_tokens, const Budget& budget, const Spent& spent) {
    if (budget.tokens == 0) return max_tokens;
    const auto left = std::clamp<std::int64_t>(budget.tokens - spent.tokens(), least_reply, 1 << 30);
    return std::min(static_cast<int>(left), max_tokens.value_or(1 << 30));
}

void count(Spent& spent, const models::ChatReply& reply, std::string_view model, const models::PriceTable* prices,
           std::size_t estimate) {
    if (reply.cached) return;
    const auto before = spent.tokens();
    auto usage = reply.usage;
    if (usage == models::Usage() && estimate) {
        auto bytes = reply.text.size();
        for (const auto& call : reply.calls) bytes += call.arguments.size();
        usage.prompt_tokens = static_cast<std::int64_t>(estimate);
        usage.completion_tokens = static_cast<std::int64_t>(1 + bytes / bytes_of_token);
    }
    spent.usage += usage;
    spent.requests += std::max(1, reply.attempts);
    spent.retries += std::max(1, reply.attempts) - 1;
    spent.highest_tokens = std::max(spent.highest_tokens, spent.tokens() - before);
    const bool is_counted = usage != models::Usage();
    const auto cost = prices && is_counted ? prices->cost(model, usage) : std::nullopt;
    spent.unpriced = spent.unpriced || !cost;
    spent.cost += cost.value_or(0);
    spent.highest_cost = std::max(spent.highest_cost, cost.value_or(0));
}
void add(Spent& spent, const Spent& part) {
    spent.usage += part.usage;
    spent.cost += part.cost;
    spent.unpriced = spent.unpriced || part.unpriced;
    spent.requests += part.requests;
    spent.retries += part.retries;
    spent.tool_calls += part.tool_calls;
}
Budget part_of(Budget budget, int parts) {
    const auto divide = [parts](auto& bound) {
        if (bound <= 0) return;
        bound /= parts;
        if (bound <= 0) bound = -1;
    };
    divide(budget.tokens);
    divide(budget.cost);
    divide(budget.requests);
    divide(budget.tool_calls);
    return budget;  // the time passes for all parts at once
}
Budget left_of(Budget budget, const Spent& spent) {
    const auto lower = [](auto& bound, auto gone) {
        if (bound <= 0) return;
        bound -= gone;
        if (bound <= 0) bound = -1;
    };
    lower(budget.tokens, spent.tokens());
    lower(budget.cost, spent.cost);
    lower(budget.requests, spent.requests);
    lower(budget.tool_calls, spent.tool_calls);
    lower(budget.time_ms, spent.time_ms);
    return budget;
}
void begin_turn(Spent& spent, const Clock& clock) { count_time(spent, clock); }
void end_turn(Spent& spent, const Clock& clock) {
    const auto before = spent.time_ms;
    count_time(spent, clock);
    spent.slowest_ms = std::max(spent.slowest_ms, spent.time_ms - before);
}
}
