// After a refusal as too long the same turn comes here again, and does not count as another step.
#include "steps/agents/common/budget_notes.hpp"
#include "steps/agents/common/limits.hpp"
#include "steps/agents/memory/history_summary.hpp"
#include "steps/agents/react/fit_prompt.hpp"
#include "steps/agents/react/steps.hpp"

namespace weft::agents::inline react_steps {
namespace {
/// The entries of a summary's request.
std::vector<std::string> tell(const CurrentReasoning& reasoning, std::size_t from, std::size_t to) {
    std::vector<std::string> entries;
    for (auto i = from; i < to; ++i) {
        const auto& step = reasoning[i];
        entries.push_back(past_entry("THOUGHT", step.thought));
        if (step.kind == ReasoningKind::action)
            entries.push_back(past_entry("ACTION", step.tool + ' ' + step.arguments.text));
        if (step.kind == ReasoningKind::observation) entries.push_back(past_entry("OBSERVATION", step.text));
        if (step.kind == ReasoningKind::fault) entries.push_back(past_entry("ERROR", step.text));
    }
    return entries;
}
}

InputEvent prepare_chat_history(Context& ctx, PrepEvent, const Dialect& dialect, const tools::Registry& tools,
                                const ReactOptions& options) {
    const bool summarised = goes_on(ctx, options), again = summarised || ctx.get<Progress>().again;
    ctx.edit<Progress>([&](auto& progress) {
        if (!again) begin_step(progress, options);
    });
    if (!again) note_what_is_left(ctx, options.budget, ctx.get<CurrentReasoning>().size());
    const auto& progress = ctx.get<Progress>();
    const auto conversation = with_notes(ctx.get<Conversation>(), progress.notes);
    const auto reasoning = with_notes(ctx.get<CurrentReasoning>(), progress.notes);
    if (!again) ctx.stream(TurnEvent{progress.closing ? 0 : progress.steps, options.max_steps, progress.limit});
    const PromptInput now{.conversation = conversation,
                          .reasoning = reasoning,
                          .tools = tools,
                          .system = options.system,
                          .step = progress.steps,
                          .max_steps = options.max_steps,
                          .closing = progress.closing,
                          .limit = progress.limit};
    const HistoryPrompt past{
        [&](std::size_t tokens, const auto& summary) { return fit_prompt(dialect, now, tokens, summary); },
        [&](std::size_t from, std::size_t to) { return tell(now.reasoning, from, to); }};
    auto fitted = fit_past(ctx, options, past, summarised);
    if (fitted.summary.wanted()) return {.messages = std::move(fitted.messages), .summary = fitted.summary};
    return {.messages = std::move(fitted.messages),
            .sampling = options.sampling,
            .max_faults = options.max_faults,
            .closing = progress.closing,
            .can_shorten = fitted.can_shorten};
}
}
