// A turn is two requests. If the budget has no room for both, the run closes without a reflection.
#include "engine/timeout.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/budget_notes.hpp"
#include "steps/agents/common/limits.hpp"
#include "steps/agents/reflect/ask.hpp"
#include "steps/agents/reflect/events.hpp"
#include "steps/agents/reflect/prompts.hpp"
#include "steps/agents/reflect/reflection_stream.hpp"
#include "steps/agents/reflect/replies.hpp"
#include "steps/agents/reflect/running_context.hpp"
#include "steps/agents/reflect/steps.hpp"

namespace weft::agents::inline reflect_steps {
awaitable<ChooseEvent> write_reflection(Context& ctx, ReflectEvent, models::ChatModel& model,
                                        const tools::Registry& tools, const ReflectOptions& options) {
    auto& clock = co_await this_clock();
    ctx.edit<Progress>([&](auto& progress) { begin_step(progress, options, 2); });
    ChooseEvent next;
    next.closing = ctx.get<Progress>().closing || !begin_asking(ctx, options, clock);
    if (next.closing) co_return next;
    const auto inquiry = ctx.get<Inquiry>();
    const OfferedActions offer{tools, inquiry.sub_question == 0};
    note_what_is_left(ctx, options.budget, ctx.get<CurrentReasoning>().size(), 2);
    const MakePrompt prompt = [&](std::size_t bytes) {
        return messages_for(reflection_prompt(offer, options),
                            question_message(inquiry.question, growing_context(ctx, bytes)), {});
    };
    ReflectionStream stream(ctx, inquiry.sub_question);
    const auto reply = co_await ask(ctx, model, prompt, options, &stream);
    next.closing = !reply;
    if (next.closing) co_return next;
    if (const auto lack = lack_of(*reply); !lack.empty()) next.faults = add_fault(ctx, {}, lack, *reply, options);
    auto text = read_reflection(reply->text);
    stream.tell(text);
    ctx.stream(ReflectionEvent{inquiry.sub_question, text, reply->usage});
    ctx.edit<CurrentReflection>([&text](auto& reflection) { reflection.text = std::move(text); });
    co_return next;
}
}
