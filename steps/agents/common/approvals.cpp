// An answer says which question it is for, but the step that gets it does not see that: answers of a fan-out come in
// the order of the questions, and so they are matched with the calls that are kept.
#include "steps/agents/common/approvals.hpp"
#include "engine/error.hpp"
#include "engine/text.hpp"
#include "engine/utf8.hpp"

namespace weft::agents {
namespace {
ToolApprovalRequestEvent question_about(const ToolCallEvent& call, std::string mistake = {}) {
    ToolApprovalRequestEvent question;
    question.id = call.id;
    question.tool = call.tool;
    question.arguments = call.arguments;
    question.mistake = std::move(mistake);
    return question;
}
/// What is wrong with the answer; empty if the call is decided now.
std::string decide(ToolCallEvent& call, const ToolApprovalEvent& answer, const tools::Registry& tools) {
    if (answer.decision == Decision::edit) {
        if (is_blank(answer.arguments.text)) return "an edit has arguments, all of them: give them as a JSON object";
        auto mistake = tools.mistake(call.tool, answer.arguments.text);
        if (!mistake.empty()) return mistake;
        call.arguments = answer.arguments;
        call.note = "the arguments of this call were changed by whoever approved it. It ran with " +
                    repair_utf8(answer.arguments.text);
    }
    call.approval = answer.decision == Decision::reject ? Approval::rejected : Approval::approved;
    if (answer.decision == Decision::reject) call.note = repair_utf8(answer.reason);
    return {};
}
}

std::vector<ToolApprovalRequestEvent> ask_for_approvals(Context& ctx, const std::vector<ToolCallEvent>& calls,
                                                        const tools::Registry& tools) {
    std::vector<ToolApprovalRequestEvent> questions;
    std::vector<std::size_t> asked;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        const auto& call = calls[i];
        if (!call.inner.empty() || !tools.needs_approval(call.tool, call.arguments.text)) continue;
        questions.push_back(question_about(call));
        asked.push_back(i);
    }
    if (!asked.empty()) ctx.edit<CallsToApprove>([&](auto& slot) { slot = {calls, std::move(asked)}; });
    return questions;
}
std::variant<std::vector<ToolApprovalRequestEvent>, std::vector<ToolCallEvent>> hear_approvals(
    Context& ctx, std::vector<ToolApprovalEvent> answers, const tools::Registry& tools) {
    auto kept = ctx.get<CallsToApprove>();
    if (answers.size() != kept.asked.size())
        throw Error(Code::usage, "there are " + std::to_string(kept.asked.size()) +
                                     " calls of tools to be approved, and " + std::to_string(answers.size()) +
                                     " answers: an answer is for a question that is open");
    std::vector<ToolApprovalRequestEvent> again;
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        auto& call = kept.calls.at(kept.asked[i]);
        auto mistake = decide(call, answers[i], tools);
        if (mistake.empty()) continue;
        again.push_back(question_about(call, std::move(mistake)));
        open.push_back(kept.asked[i]);
    }
    kept.asked = std::move(open);
    if (!again.empty()) {
        ctx.edit<CallsToApprove>([&kept](auto& slot) { slot = std::move(kept); });
        return again;
    }
    ctx.edit<CallsToApprove>([](auto& slot) { slot = {}; });
    return std::move(kept.calls);
}
std::variant<ToolApprovalRequestEvent, ToolCallEvent> hear_approval(Context& ctx, ToolApprovalEvent answer,
                                                                    const tools::Registry& tools) {
    std::vector<ToolApprovalEvent> answers;
    answers.push_back(std::move(answer));
    auto next = hear_approvals(ctx, std::move(answers), tools);
    if (auto* again = std::get_if<0>(&next)) return std::move(again->front());
    return std::move(std::get<1>(next).front());
}
}
