// The exceptions carry the expenses of the run, because the engine drops the edits of a failed step.
#include "steps/agents/common/answer.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "steps/agents/common/limits.hpp"
#include "steps/agents/common/model_request.hpp"
#include "steps/agents/text/cut_text.hpp"

namespace weft::agents {
void check_question(std::string_view text) {
    if (is_blank(text)) throw Error(Code::usage, "the question is empty: ask something");
}
std::string lack_of(const models::ChatReply& reply) {
    if (reply.finish == models::FinishReason::unreadable)
        return "the server could not read the call in it" +
               (is_blank(reply.fault) ? "" : ": " + std::string(trimmed_end(reply.fault, ". \n")));
    if (!is_blank(reply.text)) return {};
    return is_blank(reply.reasoning) ? "it was empty" : "it was only reasoning, without any text";
}
void write_fault(Context& ctx, ReplyFault fault) {
    ReasoningStep step{.kind = ReasoningKind::fault, .ok = false};
    step.thought = std::move(fault.thought);
    step.text = std::move(fault.error);
    step.reply = std::move(fault.reply);
    ctx.edit<CurrentReasoning>([&step](auto& reasoning) { reasoning.push_back(std::move(step)); });
}
void count_fault(Context& ctx, const std::string& error, int max_faults) {
    const auto faults = ctx.get<Progress>().faults + 1;
    if (faults >= max_faults)
        throw AgentError(ctx, Code::model_failed,
                         std::to_string(faults) +
                             " replies of the model in a row could not be followed; the last one: " +
                             std::string(trimmed_end(error, ". \n")) + ". Another model may do better");
    ctx.edit<Progress>([faults](auto& progress) { progress.faults = faults, progress.reminded = false; });
}
void note_fault(Context& ctx, ReplyFault fault, int max_faults) {
    count_fault(ctx, fault.error, max_faults);
    write_fault(ctx, std::move(fault));
}
void end_faults(Context& ctx) {
    ctx.edit<Progress>([](auto& progress) { progress.faults = 0, progress.reminded = false; });
}
void check_refusal(const Context& ctx, const models::ChatReply& reply, const std::string& text) {
    constexpr std::size_t longest = 300;
    if (reply.finish != models::FinishReason::refused) return;
    throw AgentError(ctx, Code::model_refused,
                     "the model refuses to reply to this" + (text.empty() ? text : ": " + cut_text(text, longest)));
}

void add_step(AnswerEvent& event, const ReasoningStep& step) {
    event.reasoning.push_back(step);
    if (step.kind != ReasoningKind::observation) return;
    event.sources.insert(event.sources.end(), step.within.begin(), step.within.end());
    if (step.ok) event.sources.push_back({step.call, step.tool, step.arguments, step.text});
}
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
    for (const auto& allowed : ctx.get<AllowedTools>()) event.always_allowed.push_back(allowed);
    const auto& reasoning = ctx.get<CurrentReasoning>();
    event.reasoning.reserve(reasoning.size());
    for (const auto& seen : reasoning) add_step(event, seen);
    event.response = std::move(last.response);
    return event;
}
bool is_answer(const AnswerEvent& answer) { return !answer.reasoning.empty() && answer.reasoning.back().ok; }
std::string no_answer(const std::string& last, std::string_view called) {
    std::string response = "No answer was found before the run came to its limit.";
    if (!last.empty()) response += " The last " + std::string(called) + " was: " + last;
    return response;
}
}
