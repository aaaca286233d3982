// A prompt that was refused as too long comes here again, and is not counted as another step.
#include "engine/published.hpp"
#include "steps/react/budget.hpp"
#include "steps/react/limits.hpp"
#include "steps/react/steps.hpp"

namespace weft::steps {
InputEvent prepare_chat_history(Context& ctx, PrepEvent, const Dialect& dialect, const tools::Registry& tools,
                                const ReactOptions& options) {
    const bool again = ctx.get<Progress>().again;
    ctx.edit<Progress>([&](auto& progress) {
        if (!again) begin_step(progress, options);
    });
    const auto& progress = ctx.get<Progress>();
    if (!again) ctx.stream(TurnEvent{progress.closing ? 0 : progress.steps, options.max_steps, progress.limit});
    const Situation now{.conversation = ctx.get<Conversation>(),
                        .reasoning = ctx.get<CurrentReasoning>(),
                        .tools = tools,
                        .system = options.system,
                        .step = progress.steps,
                        .max_steps = options.max_steps,
                        .closing = progress.closing,
                        .limit = progress.limit};
    auto fitted = fit_prompt(dialect, now, prompt_bound(options, progress));
    if (const auto left = what_is_left(options.budget, progress.spent); !left.empty() && !progress.closing)
        fitted.messages.back().content += "\n\nNote: " + left;
    return {.messages = std::move(fitted.messages),
            .sampling = options.sampling,
            .max_faults = options.max_faults,
            .closing = progress.closing,
            .can_shorten = fitted.can_shorten};
}
}
