// The stop sequence keeps the model from inventing a tool's result. The next try shows it its faulty reply, cut, and
// the fault.
#include "steps/agents/reflect/ask.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/agents/common/limits.hpp"
#include "steps/agents/common/model_request.hpp"
#include "steps/agents/reflect/events.hpp"
#include "steps/agents/reflect/reflection_stream.hpp"
#include "steps/agents/text/cut_text.hpp"
#include <algorithm>

namespace weft::agents::inline reflect_steps {
namespace {
constexpr std::size_t longest_faulty_reply = 4 << 10;  // bytes of it in the next prompt
constexpr std::size_t near = 64;                       // bytes by which a prompt may be shorter than the bound

/// The longest prompt of at most `tokens`, or the shortest possible one if all are longer. 0: no bound.
FittedPrompt fit(const MakePrompt& make, std::size_t most, std::size_t tokens) {
    auto messages = make(most), shortest = make(0);
    const auto least = estimate_tokens(shortest), whole = estimate_tokens(messages);
    if (tokens == 0 || whole <= tokens) return {.messages = std::move(messages), .can_shorten = least < whole};
    // Invariant of the search: with `enough` bytes the prompt fits, if it can fit at all, and with `over` it does not.
    std::size_t enough = 0, over = std::min(most, tokens * bytes_of_token + 1);
    while (least < tokens && over - enough > near) {
        const auto middle = enough + (over - enough) / 2;
        auto other = make(middle);
        if (estimate_tokens(other) <= tokens) enough = middle, shortest = std::move(other);
        else over = middle;
    }
    const bool can_shorten = least < estimate_tokens(shortest);
    return {.messages = std::move(shortest), .can_shorten = can_shorten};
}
/// The receiver of the deltas; empty without a stream. The stream can restart, so a reply that breaks off is requested
/// again.
models::OnDelta listen(models::ChatRequest& request, ReflectionStream* stream) {
    if (!stream) return {};
    request.restart = true;
    request.on_note = [stream](const models::CallNote& note) {
        if (models::is_void_after(note.kind)) stream->begin_anew();
    };
    return [stream](std::string_view delta) { stream->hear(delta); };
}
}

awaitable<std::optional<models::ChatReply>> ask(Context& ctx, models::ChatModel& model, const MakePrompt& make,
                                                const ReflectOptions& options, ReflectionStream* stream) {
    AskResult asked;
    do {
        auto fitted = fit(make, options.max_context, prompt_bound(options, ctx.get<Progress>()));
        models::ChatRequest request;
        request.messages = std::move(fitted.messages);
        request.kept = 1;  // the message after the instructions grows
        request.stop = {"OBSERVATION >>"};
        request.sampling = options.sampling;
        const auto on_delta = listen(request, stream);
        try {
            asked = co_await ask_model(ctx, model, std::move(request), options, fitted.can_shorten, on_delta);
        } catch (const models::ModelError& error) { throw AgentModelError(ctx, error); }
    } while (asked.too_long);
    if (asked.unasked) {
        ctx.edit<Progress>([&](auto& progress) { close(progress, all_spent(options.budget, progress.spent)); });
        co_return std::nullopt;
    }
    asked.reply.text = repair_utf8(asked.reply.text);
    check_refusal(ctx, asked.reply, asked.reply.text);
    co_return std::move(asked.reply);
}
awaitable<std::optional<models::ChatReply>> ask_with_room(Context& ctx, models::ChatModel& model,
                                                          const MakePrompt& make, const ReflectOptions& options) {
    auto& clock = co_await this_clock();
    if (!has_room(ctx, options, clock)) co_return std::nullopt;
    co_return co_await ask(ctx, model, make, options);
}
std::string error_of(const models::ChatReply& reply, std::string error) {
    if (reply.finish == models::FinishReason::length) return was_cut_off;
    const auto lack = lack_of(reply);
    return lack.empty() ? error : lack;
}
std::vector<FaultyReply> add_fault(Context& ctx, std::vector<FaultyReply> faults, const std::string& error,
                                   const models::ChatReply& reply, const ReflectOptions& options) {
    const auto number = ctx.get<Inquiry>().sub_question;
    ctx.stream(RetryEvent{number, error, reply.text, reply.usage});
    faults.push_back({cut_text(reply.text, longest_faulty_reply), error});
    note_fault(ctx, {error, take_reflection(ctx), faults.back().reply}, options.max_faults);
    return faults;
}
std::string take_reflection(Context& ctx) {
    std::string text;
    ctx.edit<CurrentReflection>([&text](auto& reflection) { text = std::exchange(reflection.text, {}); });
    return text;
}
}
