// Calls of tools that somebody has to approve first (tools/permission.hpp): the question, its answer, and what is kept
// meanwhile. A workflow that calls tools asks in the step that makes the calls, and has a step for the answers:
//
//     if (auto questions = ask_for_approvals(ctx, calls, tools); !questions.empty()) co_return ...
//
// The run then waits, for as long as it takes, with a question for each such call. No call of the reply runs before all
// of them are answered.
#pragma once
#include "engine/context.hpp"
#include "engine/event.hpp"
#include "steps/agents/common/events.hpp"
#include "tools/registry.hpp"
#include <variant>

namespace weft::agents {
/// May this call run? It is told apart from others by its id, and by the question's.
struct ToolApprovalRequestEvent : InputRequiredEvent {
    std::string id, tool;
    JsonText arguments;
    std::string mistake;           // in the arguments that were last given for it: it is asked again
    std::string why = {};          // it is asked, if that is known
    std::string fingerprint = {};  // the tool's, when its call was asked about
    static constexpr std::string_view optional_fields[] = {"mistake", "why", "fingerprint"};
};
BOOST_DESCRIBE_STRUCT(ToolApprovalRequestEvent, (), (id, tool, arguments, mistake, why, fingerprint))

enum class Decision {
    reject,      // it does not run, and the model learns the reason
    approve,     // it runs as it was asked for
    edit,        // it runs with the arguments of the answer, and the model is told so
    always,      // it runs as it was asked for, and further calls of this tool are not asked about in this run
    unanswered,  // no person can answer: it does not run, and the model learns this
};
BOOST_DESCRIBE_ENUM(Decision, reject, approve, edit, always, unanswered)

struct ToolApprovalEvent : Answers<ToolApprovalRequestEvent> {
    Decision decision = Decision::reject;
    JsonText arguments = {};  // the edited ones
    std::string reason = {};  // reason for a rejection; may be empty
    static constexpr std::string_view optional_fields[] = {"arguments", "reason"};
};
BOOST_DESCRIBE_STRUCT(ToolApprovalEvent, (), (decision, arguments, reason))

/// Only streamed: what an answer has led to.
struct ToolDecisionEvent {
    std::string id, tool;
    Decision decision = Decision::reject;
    JsonText arguments;  // that it runs with, or would have
    std::string reason;
};
BOOST_DESCRIBE_STRUCT(ToolDecisionEvent, (), (id, tool, decision, arguments, reason))

/// The calls of the last reply, as long as some of them wait for an approval. What runs is taken from here, and from an
/// answer only what it decides.
struct CallsToApprove {
    std::vector<ToolCallEvent> calls;
    std::vector<std::size_t> asked;  // which of them, in the order of the open questions
    std::vector<std::size_t> inner;  // for each of these, which call among its arguments, from 1; 0: the call itself
    std::vector<std::string> fingerprints;  // for each of these, of its tool when it was asked about
    static constexpr std::string_view optional_fields[] = {"inner", "fingerprints"};
};
BOOST_DESCRIBE_STRUCT(CallsToApprove, (), (calls, asked, inner, fingerprints))

/// Whether the call may run in this run, where tools may have been allowed for the rest of it.
tools::Verdict permission_of(const Context&, const tools::Registry&, const std::string& tool,
                             const std::string& arguments);

/// What is blocked of a call, by what is known of it before anything runs: which tool, and why.
struct Blocked {
    std::string tool, why;
};
std::optional<Blocked> blocked_part(const Context&, const ToolCallEvent&, const tools::Registry&);

/// A question for each call that needs one; then all the calls are kept. Empty: none does, and nothing is kept. The
/// calls among the arguments of another one are asked for, too. But one that takes the results of others has no
/// arguments yet: it is not asked for, and call_tool refuses it.
std::vector<ToolApprovalRequestEvent> ask_for_approvals(Context&, const std::vector<ToolCallEvent>&,
                                                        const tools::Registry&);

/// What the answers, in the order of the questions, lead to: questions once more, about edits that do not fit the
/// schema of their tool; or all the calls, decided, in the order of the reply. A step of react.
std::variant<std::vector<ToolApprovalRequestEvent>, std::vector<ToolCallEvent>> hear_approvals(
    Context&, std::vector<ToolApprovalEvent>, const tools::Registry&);
/// The same outside of a fan-out: reflect.
std::variant<ToolApprovalRequestEvent, ToolCallEvent> hear_approval(Context&, ToolApprovalEvent,
                                                                    const tools::Registry&);
}
