// A tool must not have the name of a request of the workflow: this is refused before the first request.
#include "engine/error.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/answer.hpp"
#include "steps/agents/reflect/running_context.hpp"
#include "steps/agents/reflect/steps.hpp"
#include "steps/agents/reflect/sub_answers.hpp"

namespace weft::agents::inline reflect_steps {
ReflectEvent open_question(Context& ctx, UserMessageEvent message, Memory& memory, const tools::Registry& tools) {
    check_question(message.text);
    for (const auto name : {decomposition, final_answer})
        if (tools.find(name))
            throw Error(Code::usage, "a tool is named " + std::string(name) +
                                         ", but the reflect workflow has a request of that name: rename the tool");
    ctx.edit<Inquiry>([&](auto& inquiry) {
        inquiry.question = repair_utf8(message.text);
        inquiry.background = remembered(memory.read(message.text));
    });
    return {};
}
ReflectEvent open_sub_question(Context& ctx, SubQuestionAskedEvent asked) {
    ctx.edit<Inquiry>([&](auto& inquiry) {
        inquiry.question = std::move(asked.text);
        inquiry.background = std::move(asked.background);
        inquiry.sub_question = asked.number;
    });
    ctx.edit<AllowedTools>([&asked](auto& all) {
        for (auto& allowed : asked.allowed) all.push_back(std::move(allowed));
    });
    return {};
}
}
