// The counting functions take a Spent, because a tool's requests count in a Spent of their own until the tool has
// ended. Without a bound nothing is computed: no estimate of a prompt, no time.
#include "steps/agents/common/model_request.hpp"
#include "engine/core/data/run_values.hpp"
#include "engine/once.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/common/call_operations.hpp"
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/agents/common/limits.hpp"
#include "tools/tool.hpp"
#include <algorithm>
#include <boost/describe/enum_to_string.hpp>
#include <nlohmann/json.hpp>
#include <utility>

namespace weft::agents {
namespace {
using SteadyTimePoint = std::chrono::steady_clock::time_point;

std::string value_text(const nlohmann::json& values, const std::string& name) {
    const auto own = values.find(name);
    return own == values.end() ? std::string() : core::value_text(*own).value_or("");
}
/// Adapts the request to the budget, and makes it stream its notes.
void prepare(Context& ctx, models::ChatRequest& request, const ReactOptions& options, const Spent& spent,
             SteadyTimePoint now) {
    request.sampling.max_tokens = bounded_reply(request.sampling.max_tokens, options.budget, spent);
    request.restart = request.restart || options.restart;
    const auto allowed = std::max(0, options.max_retries - spent.retries);
    request.max_retries = std::min(request.max_retries.value_or(allowed), allowed);
    if (options.budget.requests != 0)
        request.max_retries = std::clamp(options.budget.requests - spent.requests - 1, 0, *request.max_retries);
    std::optional<std::chrono::nanoseconds> left;
    if (const auto deadline = ctx.deadline()) left = *deadline - now;
    if (options.budget.time_ms > 0) {
        const std::chrono::milliseconds rest(options.budget.time_ms - spent.time_ms);
        left = std::min<std::chrono::nanoseconds>(left.value_or(rest), rest);
    }
    if (left) request.time_left = std::max(*left, std::chrono::nanoseconds::zero());
    if (!request.value_of)
        request.value_of = [&ctx](const std::string& name) { return value_text(ctx.values(), name); };
    request.on_note = [&ctx, own = std::move(request.on_note)](const models::CallNote& note) {
        if (own) own(note);
        const auto* kind = boost::describe::enum_to_string(note.kind, "fallback");
        ctx.stream(CallNoteEvent{kind, note.model, note.text, note.wait.count()});
    };
}
/// The key of a reply's price in the table; empty if no price is needed.
std::string priced_name(const models::ChatReply& reply, const models::ChatModel& model, const ReactOptions& options) {
    if (!options.prices && options.budget.cost == 0) return {};
    return reply.answered_by.empty() ? model.name() : reply.answered_by;
}
void count_reply(Spent& spent, const models::ChatRequest& request, const models::ChatReply& reply,
                 const models::ChatModel& model, const ReactOptions& options) {
    const bool is_bounded = options.budget.tokens != 0 || options.budget.cost != 0;
    const bool is_estimated = is_bounded && reply.usage == models::Usage();
    count(spent, reply, priced_name(reply, model, options), options.prices.get(),
          is_estimated ? estimate_tokens(request.messages) + estimate_tool_tokens(request.tools) : 0);
}
void check_price(const Spent& spent, const models::ChatReply& reply, const models::ChatModel& model,
                 const ReactOptions& options) {
    if (options.budget.cost != 0 && spent.unpriced)
        throw Error(Code::configuration,
                    "the table of prices has no price for " + priced_name(reply, model, options) +
                        ", so the bound of cost cannot hold: add the price, or leave out the bound");
}
void count_refusal(Spent& spent, const models::ModelError& error) {
    spent.requests += error.details().attempts;
    spent.retries += error.details().attempts - 1;
}
void count_refusal(Context& ctx, const models::ModelError& error) {
    ctx.edit<Progress>([&error](auto& progress) { count_refusal(progress.spent, error); });
}
/// Bounds the next prompt to half of the refused one's size.
void shorten(Context& ctx, const std::vector<models::Message>& refused) {
    const auto tokens = estimate_tokens(refused);
    ctx.edit<Progress>([tokens](auto& progress) {
        progress.context_tokens = static_cast<std::int64_t>(std::max<std::size_t>(tokens / 2, 1));
        progress.again = true;
    });
    ctx.stream(WarningEvent{"the prompt of about " + std::to_string(tokens) +
                            " tokens is too long for the model: it gets a shorter one"});
}
/// Forwards the deltas of a reply to the listeners. finish() forwards a reply that came without deltas.
class DeltaListener {
public:
    /// The listener must outlive the DeltaListener, and the DeltaListener must outlive the call.
    DeltaListener(models::ChatRequest& request, const models::OnDelta& on_delta)
        : on_delta_(on_delta), on_reasoning_(std::move(request.on_reasoning)) {
        if (on_delta)
            tap_ = [this](std::string_view delta) {
                heard_ = true;
                on_delta_(delta);
            };
        request.on_reasoning = nullptr;
        if (on_reasoning_)
            request.on_reasoning = [this](std::string_view piece) {
                reasoned_ = true;
                on_reasoning_(piece);
            };
        request.on_note = [this, own = std::move(request.on_note)](const models::CallNote& note) {
            if (models::is_void_after(note.kind)) heard_ = false;
            if (note.kind != models::CallNote::Kind::held) reasoned_ = false;
            if (own) own(note);
        };
    }
    DeltaListener(const DeltaListener&) = delete;
    const models::OnDelta& on_delta() const { return tap_; }
    void finish(const models::ChatReply& reply) {
        if (heard_) return;
        if (on_reasoning_ && !reasoned_ && !reply.reasoning.empty()) on_reasoning_(reply.reasoning);
        if (on_delta_ && !reply.text.empty()) on_delta_(reply.text);
    }

private:
    const models::OnDelta& on_delta_;
    const models::OnDelta on_reasoning_;
    models::OnDelta tap_;
    bool heard_ = false, reasoned_ = false;
};
/// Streams at most 64 KiB of the reasoning; nothing if it is blank.
void tell_reasoning(Context& ctx, const std::string& text, std::int64_t tokens) {
    constexpr std::size_t most_reasoning = 64 << 10;
    if (is_blank(text)) return;
    auto shown = repair_utf8(utf8_cut(text, most_reasoning));
    if (const auto rest = text.size() - std::min(text.size(), most_reasoning))
        shown += "\n[" + std::to_string(rest) + " more bytes]";
    ctx.stream(ReasoningEvent{std::move(shown), tokens});
}
}

awaitable<AskResult> ask_model(Context& ctx, models::ChatModel& model, models::ChatRequest request,
                               const ReactOptions& options, bool can_shorten, const models::OnDelta& on_delta) {
    AskResult asked;
    auto& clock = co_await this_clock();
    note_time(ctx, options, clock);
    asked.unasked = !all_spent(options.budget, ctx.get<Progress>().spent).empty();
    if (asked.unasked) co_return asked;
    prepare(ctx, request, options, ctx.get<Progress>().spent, clock.now());
    if (request.key.empty()) request.key = ctx.key();
    DeltaListener ear(request, on_delta);
    try {
        auto asking = chat_observed(ctx, model, request, ear.on_delta());
        asked.reply = co_await ctx.once("chat", std::move(asking));
    } catch (const models::PromptTooLong& error) {
        count_refusal(ctx, error);
        if (!can_shorten || ctx.get<Progress>().again) throw;
        asked.too_long = true;
    } catch (const models::ModelError& error) {
        count_refusal(ctx, error);
        const auto& partial = error.details().partial;
        if (on_delta && !partial.empty()) ctx.stream(FaultEvent{error.what(), repair_utf8(partial), {}});
        throw;
    }
    if (asked.too_long) {
        shorten(ctx, request.messages);
        co_return asked;
    }
    ear.finish(asked.reply);
    tell_reasoning(ctx, asked.reply.reasoning, asked.reply.usage.reasoning_tokens);
    ctx.edit<Progress>([&](auto& progress) {
        count_reply(progress.spent, request, asked.reply, model, options);
        if (options.budget.time_ms != 0) end_turn(progress.spent, clock);
        progress.again = false;
    });
    check_price(ctx.get<Progress>().spent, asked.reply, model, options);
    co_return asked;
}
awaitable<AskResult> ask_model(Context& ctx, models::ChatModel& model, models::ChatRequest request,
                               const ReactOptions& options) {
    static const models::OnDelta nobody;
    return ask_model(ctx, model, std::move(request), options, false, nobody);
}

awaitable<models::ChatReply> ToolAsker::ask(models::ChatModel& model, models::ChatRequest request) {
    auto& clock = co_await this_clock();
    auto spent = ctx_.get<Progress>().spent;
    add(spent, spent_);
    if (options_.budget.time_ms != 0) begin_turn(spent, clock);
    auto budget = options_.budget;
    budget.tool_calls = 0;  // the request belongs to a call that runs already
    if (const auto limit = nearly_spent(budget, spent); !limit.empty())
        throw tools::ToolError("the budget of this task (" + limit +
                               ") has no room for another question to the model: answer with what is known");
    prepare(ctx_, request, options_, spent, clock.now());
    if (request.key.empty()) request.key = key_;
    models::ChatReply reply;
    const models::OnDelta nobody;
    try {
        auto asking = chat_observed(ctx_, model, request, nobody);
        reply = co_await ctx_.once("chat", std::move(asking));
    } catch (const models::ModelError& error) {
        count_refusal(spent_, error);
        throw;
    }
    count_reply(spent_, request, reply, model, options_);
    check_price(spent_, reply, model, options_);
    co_return reply;
}

AgentError::AgentError(const Context& ctx, Code code, const std::string& sentence)
    : Error(code, sentence), SpentBeforeFailure(ctx.get<Progress>().spent) {}
AgentModelError::AgentModelError(const Context& ctx, const models::ModelError& error)
    : ModelError(error.code(), error.what(), error.details()), SpentBeforeFailure(ctx.get<Progress>().spent) {}
}
