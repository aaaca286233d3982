#include "engine/published.hpp"
#include "steps/react/steps.hpp"

namespace weft::steps {
InputEvent prepare_chat_history(Context& ctx, PrepEvent, const Dialect& dialect, const tools::Registry& tools,
                                const ReactOptions& options) {
    ctx.edit<Progress>([&](auto& progress) {
        if (progress.steps >= options.max_steps) progress.closing = true;
        if (!progress.closing) ++progress.steps;
    });
    const auto& progress = ctx.get<Progress>();
    ctx.stream(TurnEvent{.step = progress.closing ? 0 : progress.steps, .limit = options.max_steps});
    const Situation now{.conversation = ctx.get<Conversation>(),
                        .reasoning = ctx.get<CurrentReasoning>(),
                        .tools = tools,
                        .system = options.system,
                        .step = progress.steps,
                        .max_steps = options.max_steps,
                        .closing = progress.closing};
    return {.messages = dialect.prompt(now),
            .sampling = options.sampling,
            .max_faults = options.max_faults,
            .closing = progress.closing};
}
}
