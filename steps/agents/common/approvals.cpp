// The step does not see the question of an answer. The answers of a fan-out come in the order of their questions, and
// this order matches them with the stored calls.
#include "steps/agents/common/approvals.hpp"
#include "engine/error.hpp"
#include "engine/text/text.hpp"
#include "engine/text/utf8.hpp"
#include "steps/models/call_ids.hpp"
#include <algorithm>

namespace weft::agents {
namespace {
/// A call, or one among its arguments.
struct CallPart {
    std::string id;
    const std::string& tool;
    JsonText& arguments;
    Approval& approval;
    std::string& note;
};
/// Returns the call itself for number 0, else a call among its arguments.
CallPart part_of(ToolCallEvent& call, std::size_t number) {
    if (number == 0) return {call.id, call.tool, call.arguments, call.approval, call.note};
    auto& inner = call.inner.at(number - 1);
    return {models::call_ids::of_inner(call.id, number), inner.tool, inner.arguments, inner.approval, inner.note};
}
/// The numbers of the parts whose arguments are known before any call runs.
std::vector<std::size_t> known_parts(const ToolCallEvent& call) {
    if (call.inner.empty()) return {0};
    std::vector<std::size_t> known;
    for (std::size_t i = 0; i < call.inner.size(); ++i) {
        const auto takes = [i](const InnerCall& other) { return other.into >= 0 && std::size_t(other.into) == i; };
        if (std::ranges::none_of(call.inner, takes)) known.push_back(i + 1);
    }
    return known;
}
/// The name of a denied tool, for which the arguments need not be known; null if there is none.
const std::string* denied_part(const ToolCallEvent& call, const tools::Registry& tools) {
    if (tools.denies(call.tool)) return &call.tool;
    for (const auto& inner : call.inner)
        if (tools.denies(inner.tool)) return &inner.tool;
    return nullptr;
}
ToolApprovalRequestEvent question_about(const CallPart& call, std::string why, std::string fingerprint,
                                        std::string mistake = {}) {
    return {.id = call.id,
            .tool = call.tool,
            .arguments = call.arguments,
            .mistake = std::move(mistake),
            .why = std::move(why),
            .fingerprint = std::move(fingerprint)};
}
/// A tool with a version may change at any time, so its fingerprint is computed before the verdict (Registry::accept).
/// Any other tool's fingerprint is computed only for a question, because it is a hash of the schema.
std::string fingerprint_if_it_varies(const tools::Registry& tools, const std::string& name) {
    const auto* tool = tools.find(name);
    return tool && !tool->version().empty() ? tools.fingerprint(name) : std::string();
}
/// Adds the questions about a call, unless it is denied or blocked.
void ask_about(Context& ctx, ToolCallEvent& call, std::size_t place, const tools::Registry& tools,
               std::vector<ToolApprovalRequestEvent>& questions, CallsToApprove& kept) {
    struct AskResult {
        std::size_t number;
        std::string why, fingerprint;
    };
    std::vector<AskResult> asked;
    if (denied_part(call, tools)) return;
    for (const auto number : known_parts(call)) {
        const auto part = part_of(call, number);
        auto fingerprint = fingerprint_if_it_varies(tools, part.tool);
        auto verdict = permission_of(ctx, tools, part.tool, part.arguments.text);
        if (verdict.permission == tools::Permission::block) return;
        if (verdict.permission != tools::Permission::ask) continue;
        if (fingerprint.empty()) fingerprint = tools.fingerprint(part.tool);
        asked.push_back({number, std::move(verdict.why), std::move(fingerprint)});
    }
    for (auto& [number, why, fingerprint] : asked) {
        kept.fingerprints.push_back(fingerprint);
        questions.push_back(question_about(part_of(call, number), std::move(why), std::move(fingerprint)));
        kept.asked.push_back(place);
        kept.inner.push_back(number);
    }
}
std::string mistake_in(const Context& ctx, const std::string& tool, const std::string& arguments,
                       const tools::Registry& tools) {
    if (is_blank(arguments)) return "an edit has arguments, all of them: give them as a JSON object";
    auto mistake = tools.mistake(tool, arguments);
    if (!mistake.empty()) return mistake;
    const auto verdict = permission_of(ctx, tools, tool, arguments);
    if (verdict.permission != tools::Permission::block) return {};
    return "with these arguments the call is blocked: " + verdict.why;
}
/// Applies an answer to its call. Returns the mistake of the answer; empty if there is none. `fingerprint` is the
/// tool's when the question was asked: a tool that has changed since then is not approved.
std::string decide(Context& ctx, const CallPart& call, const ToolApprovalEvent& answer, const tools::Registry& tools,
                   const std::string& fingerprint) {
    auto reason = repair_utf8(answer.reason);
    const bool allows = answer.decision == Decision::approve || answer.decision == Decision::always ||
                        answer.decision == Decision::edit;
    if (allows && tools.fingerprint(call.tool) != fingerprint)
        return "the description or the parameters of this tool have changed since you were asked: look at it again";
    if (answer.decision == Decision::edit) {
        if (auto mistake = mistake_in(ctx, call.tool, answer.arguments.text, tools); !mistake.empty()) return mistake;
        call.arguments = answer.arguments;
        call.note = "the arguments of this call were changed by the person who approved it. It ran with " +
                    repair_utf8(answer.arguments.text);
    }
    if (answer.decision == Decision::always) {
        AllowedTool allowed{call.tool, fingerprint};
        ctx.edit<AllowedTools>([&allowed](auto& all) {
            if (std::find(all.begin(), all.end(), allowed) == all.end()) all.push_back(std::move(allowed));
        });
    }
    if (allows) tools.accept(call.tool, fingerprint);
    else call.note = reason;
    call.approval = allows                                ? Approval::approved
                    : answer.decision == Decision::reject ? Approval::rejected
                                                          : Approval::unanswered;
    ctx.stream(ToolDecisionEvent{call.id, call.tool, answer.decision, call.arguments, std::move(reason)});
    return {};
}
}

tools::Verdict permission_of(const Context& ctx, const tools::Registry& tools, const std::string& tool,
                             const std::string& arguments) {
    auto verdict = tools.permission(tool, arguments);
    if (verdict.permission != tools::Permission::ask || verdict.changed) return verdict;
    for (const auto& allowed : ctx.get<AllowedTools>())
        if (allowed.tool == tool && allowed.fingerprint == tools.fingerprint(tool)) return {};
    return verdict;
}
std::optional<BlockedCall> blocked_part(const Context& ctx, const ToolCallEvent& call, const tools::Registry& tools) {
    if (const auto* denied = denied_part(call, tools)) return BlockedCall{*denied, "it is not allowed here"};
    for (const auto number : known_parts(call)) {
        const auto& tool = number ? call.inner[number - 1].tool : call.tool;
        const auto& arguments = number ? call.inner[number - 1].arguments : call.arguments;
        auto verdict = permission_of(ctx, tools, tool, arguments.text);
        if (verdict.permission == tools::Permission::block) return BlockedCall{tool, std::move(verdict.why)};
    }
    return std::nullopt;
}
std::vector<ToolApprovalRequestEvent> ask_for_approvals(Context& ctx, const std::vector<ToolCallEvent>& calls,
                                                        const tools::Registry& tools) {
    std::vector<ToolApprovalRequestEvent> questions;
    CallsToApprove kept{calls, {}, {}, {}};
    for (std::size_t i = 0; i < kept.calls.size(); ++i) ask_about(ctx, kept.calls[i], i, tools, questions, kept);
    if (!questions.empty()) ctx.edit<CallsToApprove>([&kept](auto& slot) { slot = std::move(kept); });
    return questions;
}
std::variant<std::vector<ToolApprovalRequestEvent>, std::vector<ToolCallEvent>> hear_approvals(
    Context& ctx, std::vector<ToolApprovalEvent> answers, const tools::Registry& tools) {
    auto kept = ctx.get<CallsToApprove>();
    if (answers.size() != kept.asked.size())
        throw Error(Code::usage, "the number of answers, " + std::to_string(answers.size()) +
                                     ", differs from the number of tool calls that wait for an approval, " +
                                     std::to_string(kept.asked.size()) + ": give each open question one answer");
    kept.inner.resize(kept.asked.size());  // a run of an older version stored none
    for (auto i = kept.fingerprints.size(); i < kept.asked.size(); ++i)
        kept.fingerprints.push_back(tools.fingerprint(part_of(kept.calls.at(kept.asked[i]), kept.inner[i]).tool));
    std::vector<ToolApprovalRequestEvent> again;
    CallsToApprove open;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const auto part = part_of(kept.calls.at(kept.asked[i]), kept.inner[i]);
        auto mistake = decide(ctx, part, answers[i], tools, kept.fingerprints[i]);
        if (mistake.empty()) continue;
        auto fingerprint = tools.fingerprint(part.tool);
        open.fingerprints.push_back(fingerprint);
        auto why = permission_of(ctx, tools, part.tool, part.arguments.text).why;
        again.push_back(question_about(part, std::move(why), std::move(fingerprint), std::move(mistake)));
        open.asked.push_back(kept.asked[i]);
        open.inner.push_back(kept.inner[i]);
    }
    if (!again.empty()) {
        open.calls = std::move(kept.calls);
        ctx.edit<CallsToApprove>([&open](auto& slot) { slot = std::move(open); });
        return again;
    }
    ctx.edit<CallsToApprove>([](auto& slot) { slot = {}; });
    return std::move(kept.calls);
}
std::variant<ToolApprovalRequestEvent, ToolCallEvent> hear_approval(Context& ctx, ToolApprovalEvent answer,
                                                                    const tools::Registry& tools) {
    auto next = hear_approvals(ctx, {std::move(answer)}, tools);
    if (auto* again = std::get_if<0>(&next)) return std::move(again->front());
    return std::move(std::get<1>(next).front());
}
}
