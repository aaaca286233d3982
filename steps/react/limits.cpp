// A run that closes has one last turn, for which a budget keeps something back. Whatever has no bound costs nothing
// here: no prompt is estimated and no time is kept for it.
#include "steps/react/limits.hpp"
#include "engine/context.hpp"
#include "engine/error.hpp"
#include "engine/utf8.hpp"
#include "steps/react/budget.hpp"
#include "steps/warning.hpp"
#include <algorithm>
#include <utility>

namespace weft::steps {
namespace {
const char* name_of(llm::CallNote::Kind kind) {
    switch (kind) {
    case llm::CallNote::Kind::retry: return "retry";
    case llm::CallNote::Kind::restart: return "restart";
    case llm::CallNote::Kind::held: return "held";
    case llm::CallNote::Kind::fallback: break;
    }
    return "fallback";
}
}

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

void prepare_request(Context& ctx, llm::ChatRequest& request, const ReactOptions& options,
                     std::chrono::steady_clock::time_point now) {
    request.sampling.max_tokens = bounded_reply(request.sampling.max_tokens, options.budget, ctx.get<Progress>().spent);
    request.restart = options.restart;
    const auto& spent = ctx.get<Progress>().spent;
    request.max_retries = std::max(0, options.max_retries - spent.retries);
    if (options.budget.requests != 0)
        request.max_retries = std::clamp(options.budget.requests - spent.requests - 1, 0, *request.max_retries);
    std::optional<std::chrono::nanoseconds> left;
    if (const auto deadline = ctx.deadline()) left = *deadline - now;
    if (options.budget.time_ms > 0) {
        const std::chrono::milliseconds rest(options.budget.time_ms - spent.time_ms);
        left = std::min<std::chrono::nanoseconds>(left.value_or(rest), rest);
    }
    if (left) request.time_left = std::max(*left, std::chrono::nanoseconds::zero());
    if (!request.on_note)
        request.on_note = [&ctx](const llm::CallNote& note) {
            ctx.stream(CallNoteEvent{name_of(note.kind), note.model, note.text, note.wait.count()});
        };
}
bool begin_asking(Context& ctx, const ReactOptions& options, std::chrono::steady_clock::time_point now, bool closing) {
    if (options.budget.time_ms == 0) return true;  // the usual case costs nothing
    bool goes_on = true;
    ctx.edit<Progress>([&](auto& progress) {
        begin_turn(progress.spent, now.time_since_epoch());
        goes_on = closing || nearly_spent(options.budget, progress.spent) != "time";
        if (goes_on) return;
        --progress.steps;
        close(progress, "time");
    });
    return goes_on;
}
void count_reply(Context& ctx, const llm::ChatRequest& request, const llm::ChatReply& reply,
                 const llm::ChatModel& model, const ReactOptions& options, std::chrono::steady_clock::time_point now) {
    const bool priced = options.prices || options.budget.cost != 0;
    const auto name = priced ? (reply.answered_by.empty() ? model.name() : reply.answered_by) : std::string();
    const bool uncounted = options.budget.tokens != 0 && reply.usage == llm::Usage();
    const auto estimate = uncounted ? estimate_tokens(request.messages) : 0;
    ctx.edit<Progress>([&](auto& progress) {
        count(progress.spent, reply, name, options.prices.get(), estimate);
        if (options.budget.time_ms != 0) end_turn(progress.spent, now.time_since_epoch());
        progress.again = false;
    });
    if (options.budget.cost != 0 && ctx.get<Progress>().spent.unpriced)
        throw Error(Code::configuration,
                    "the table of prices has none for " + name +
                        ", so a bound of cost cannot be kept: add its price, or leave the bound out");
}
void count_refusal(Context& ctx, const llm::ModelError& error) {
    ctx.edit<Progress>([&error](auto& progress) {
        progress.spent.requests += error.details().attempts;
        progress.spent.retries += error.details().attempts - 1;
    });
}
void shorten(Context& ctx, const std::vector<llm::Message>& refused) {
    const auto tokens = estimate_tokens(refused);
    ctx.edit<Progress>([tokens](auto& progress) {
        progress.context_tokens = static_cast<std::int64_t>(std::max<std::size_t>(tokens / 2, 1));
        progress.again = true;
    });
    ctx.stream(WarningEvent{"the model cannot read so long a prompt, of about " + std::to_string(tokens) +
                            " tokens: it is asked again with a shorter one"});
}
void tell_partial(Context& ctx, const llm::ModelError& error) {
    const auto& partial = error.details().partial;
    if (!partial.empty()) ctx.stream(FaultEvent{error.what(), repair_utf8(partial), {}});
}
void tell_spent(AnswerEvent& answer, const Progress& progress) {
    const auto& spent = progress.spent;
    answer.steps = progress.steps;
    answer.usage = spent.usage;
    answer.requests = spent.requests;
    answer.tool_calls = spent.tool_calls;
    if (answer.outcome == Outcome::limit && answer.limit.empty()) answer.limit = progress.limit;
    if (!spent.unpriced) answer.cost = spent.cost;
}
Spent spent_by(const AnswerEvent& answer) {
    Spent spent;
    spent.usage = answer.usage;
    spent.requests = answer.requests;
    spent.tool_calls = answer.tool_calls;
    spent.cost = answer.cost.value_or(0);
    spent.unpriced = !answer.cost;
    return spent;
}
std::size_t prompt_bound(const ReactOptions& options, const Progress& progress) {
    const std::int64_t chosen = options.context_tokens, known = progress.context_tokens;
    const auto bound = chosen <= 0 || known <= 0 ? std::max(chosen, known) : std::min(chosen, known);
    return static_cast<std::size_t>(std::max<std::int64_t>(bound, 0));
}
std::string closing_reason(std::string_view limit) {
    if (limit == "repeated_calls") return "The same call has come round too often";
    if (limit == "steps") return "There are no steps left";
    return "The budget of this task is nearly spent";
}
}
