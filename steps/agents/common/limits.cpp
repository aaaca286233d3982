// A closing run has one last turn, which the bounds leave room for.
#include "steps/agents/common/limits.hpp"
#include <algorithm>
#include <utility>

namespace weft::agents {
void close(Progress& progress, std::string limit) {
    if (progress.closing) return;
    progress.closing = true;
    progress.limit = std::move(limit);
}
void begin_step(Progress& progress, const ReactOptions& options, int requests) {
    if (progress.steps >= options.max_steps) close(progress, "steps");
    if (auto limit = nearly_spent(options.budget, progress.spent, requests); !limit.empty())
        close(progress, std::move(limit));
    if (!progress.closing) ++progress.steps;
}

void note_time(Context& ctx, const ReactOptions& options, const Clock& clock) {
    if (options.budget.time_ms == 0) return;  // the usual case costs nothing
    ctx.edit<Progress>([&clock](auto& progress) { begin_turn(progress.spent, clock); });
}
bool has_room(Context& ctx, const ReactOptions& options, const Clock& clock) {
    note_time(ctx, options, clock);
    auto budget = options.budget;
    budget.tool_calls = 0;  // a request needs no tool call
    const auto limit = nearly_spent(budget, ctx.get<Progress>().spent);
    if (limit.empty()) return true;
    ctx.edit<Progress>([&limit](auto& progress) { close(progress, limit); });
    return false;
}
bool begin_asking(Context& ctx, const ReactOptions& options, const Clock& clock) {
    if (ctx.get<Progress>().closing || has_room(ctx, options, clock)) return true;
    ctx.edit<Progress>([](auto& progress) {
        --progress.steps;  // this turn becomes the closing one
        progress.again = false;
    });
    return false;
}
void tell_spent(AnswerEvent& answer, const Progress& progress) {
    const auto& spent = progress.spent;
    answer.steps = progress.steps;
    answer.usage = spent.usage;
    answer.requests = spent.requests;
    answer.retries = spent.retries;
    answer.tool_calls = spent.tool_calls;
    if (answer.outcome == AnswerOutcome::limit && answer.limit.empty()) answer.limit = progress.limit;
    if (!spent.unpriced) answer.cost = spent.cost;
}
Spent spent_by(const AnswerEvent& answer) {
    Spent spent;
    spent.usage = answer.usage;
    spent.requests = answer.requests;
    spent.retries = answer.retries;
    spent.tool_calls = answer.tool_calls;
    spent.cost = answer.cost.value_or(0);
    spent.unpriced = !answer.cost;
    return spent;
}
void leave_rest(ReactOptions& options, const Progress& progress) {
    options.budget = left_of(options.budget, progress.spent);
    options.max_retries = std::max(0, options.max_retries - progress.spent.retries);
    options.context_tokens = static_cast<int>(prompt_bound(options, progress));
}
std::size_t prompt_bound(const ReactOptions& options, const Progress& progress) {
    const std::int64_t chosen = options.context_tokens, known = progress.context_tokens;
    const auto bound = chosen <= 0 || known <= 0 ? std::max(chosen, known) : std::min(chosen, known);
    return static_cast<std::size_t>(std::max<std::int64_t>(bound, 0));
}
std::string closing_reason(std::string_view limit, std::string_view turns) {
    if (limit == "repeated_calls") return "The same call has come round too often";
    if (limit == "steps") return "There are no " + std::string(turns) + " left";
    return "The budget of this task is nearly spent";
}
}
