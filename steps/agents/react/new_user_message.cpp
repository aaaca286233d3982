// The first step. It reads the memory once, so that all turns of a run see the same past.
#include "engine/text/utf8.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/react/steps.hpp"

namespace weft::agents::inline react_steps {
PrepEvent new_user_message(Context& ctx, UserMessageEvent message, Memory& memory) {
    check_question(message.text);
    ctx.edit<Conversation>([&](auto& conversation) {
        conversation.history = memory.read(message.text);
        conversation.question = repair_utf8(message.text);
    });
    if (auto known = memory.summaries().find(ctx.get<Conversation>().history))
        ctx.edit<PastSummary>([&known](auto& summary) {
            summary = {.text = std::move(known->text), .history = known->messages, .idle = true};
        });
    return {};
}
}
