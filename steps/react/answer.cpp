// The sources of an answer are its successful observations, those of calls among arguments first.
#include "steps/react/answer.hpp"
#include "engine/error.hpp"
#include "engine/utf8.hpp"
#include "steps/react/limits.hpp"

namespace weft::steps {
AnswerEvent make_answer(Context& ctx, LastStep last, const std::string& model) {
    ReasoningStep step{.kind = ReasoningKind::answer, .ok = last.is_answer};
    step.thought = std::move(last.thought);
    step.text = last.response;
    step.reply = std::move(last.reply);
    ctx.edit<CurrentReasoning>([&step](auto& reasoning) { reasoning.push_back(std::move(step)); });
    AnswerEvent event;
    event.outcome = last.outcome;
    tell_spent(event, ctx.get<Progress>());
    event.model = model;
    const auto& reasoning = ctx.get<CurrentReasoning>();
    event.reasoning.assign(reasoning.begin(), reasoning.end());
    for (const auto& seen : reasoning)
        if (seen.kind == ReasoningKind::observation) {
            event.sources.insert(event.sources.end(), seen.within.begin(), seen.within.end());
            if (seen.ok) event.sources.push_back({seen.call, seen.tool, seen.arguments, seen.text});
        }
    event.response = std::move(last.response);
    return event;
}
std::string no_answer(const std::string& last_thought) {
    std::string response = "No answer was found before the run came to its limit.";
    if (!last_thought.empty()) response += " The last thought was: " + last_thought;
    return response;
}
void count_fault(Context& ctx, const std::string& error, int max_faults) {
    const auto faults = ctx.get<Progress>().faults + 1;
    if (faults >= max_faults)
        throw Error(Code::model_failed, std::to_string(faults) +
                                            " replies of the model in a row could not be followed; the last one: " +
                                            error + ". Another model may do better");
    ctx.edit<Progress>([faults](auto& progress) { progress.faults = faults, progress.reminded = false; });
}
void check_refusal(const llm::ChatReply& reply, const std::string& text) {
    if (reply.finish != llm::FinishReason::refused) return;
    throw Error(Code::model_refused, "the model refuses to reply to this" +
                                         (text.empty() ? std::string() : ": " + std::string(utf8_cut(text, 300))));
}
}
