// Calls of tools that need the approval of a person (tools/permission.hpp): the question, its answer, and the slot of
// waiting calls. A workflow asks in the step that makes the calls, and has another step for the answers:
//
//     if (auto questions = ask_for_approvals(ctx, calls, tools); !questions.empty()) co_return ...
//
// The run then waits without a time limit, with a question for each such call. No call of the reply runs before all
// questions have answers.
#pragma once
#include "engine/context.hpp"
#include "engine/event.hpp"
#include "steps/agents/common/events.hpp"
#include "tools/registry.hpp"
#include <variant>

namespace weft::agents {
/// Asks whether a call may run. The id is the call's; the question has another id of its own.
struct ToolApprovalRequestEvent : InputRequiredEvent {
    std::string id,                // the call's
        tool;                      // name of the called tool
    JsonText arguments;            // the call's, all of them
    std::string mistake;           // mistake of the previous answer; empty: the first question
    std::string why = {};          // reason for the question; may be empty
    std::string fingerprint = {};  // the tool's, when its call was asked about
    static constexpr std::string_view optional_fields[] = {"mistake", "why", "fingerprint"};  // may be missing in JSON
};
BOOST_DESCRIBE_STRUCT(ToolApprovalRequestEvent, (), (id, tool, arguments, mistake, why, fingerprint))

/// A person's decision about a call.
enum class Decision {
    reject,      // the call does not run, and the model learns the reason
    approve,     // the call runs unchanged
    edit,        // the call runs with the arguments of the answer, and the model learns this
    always,      // the call runs unchanged, and later calls of this tool need no approval in this run
    unanswered,  // no person can answer: the call does not run, and the model learns this
};
BOOST_DESCRIBE_ENUM(Decision, reject, approve, edit, always, unanswered)

/// The answer to a ToolApprovalRequestEvent.
struct ToolApprovalEvent : Answers<ToolApprovalRequestEvent> {
    Decision decision = Decision::reject;  // edit: `arguments` has all arguments of the call
    JsonText arguments = {};               // the edited ones
    std::string reason = {};               // reason for a rejection; may be empty
    static constexpr std::string_view optional_fields[] = {"arguments", "reason"};  // may be missing in JSON
};
BOOST_DESCRIBE_STRUCT(ToolApprovalEvent, (), (decision, arguments, reason))

/// Reports the decision about a call. Streamed only.
struct ToolDecisionEvent {
    std::string id,                        // the call's
        tool;                              // name of the called tool
    Decision decision = Decision::reject;  // the answer's
    JsonText arguments;                    // the call's, after an edit
    std::string reason;                    // the answer's; may be empty
};
BOOST_DESCRIBE_STRUCT(ToolDecisionEvent, (), (id, tool, decision, arguments, reason))

/// The slot of the last reply's calls while some of them wait for an approval. Calls run from this slot; an answer adds
/// only its decision and edited arguments.
struct CallsToApprove {
    std::vector<ToolCallEvent> calls;
    std::vector<std::size_t> asked;  // for each open question, the index of its call
    std::vector<std::size_t> inner;  // for each open question, the call among the arguments, from 1; 0: the call itself
    std::vector<std::string> fingerprints;  // for each open question, the tool's fingerprint when it was asked
    static constexpr std::string_view optional_fields[] = {"inner", "fingerprints"};  // may be missing in JSON
};
BOOST_DESCRIBE_STRUCT(CallsToApprove, (), (calls, asked, inner, fingerprints))

/// The verdict on a call in this run: the registry's, unless a person has allowed the tool for the rest of the run.
tools::Verdict permission_of(const Context&, const tools::Registry&, const std::string& tool,
                             const std::string& arguments);

/// The blocked tool of a call, or of a call among its arguments, and the reason.
struct BlockedCall {
    std::string tool,  // name of the blocked tool
        why;           // the reason: a clause
};
/// Checks all arguments that are known before any call runs.
std::optional<BlockedCall> blocked_part(const Context&, const ToolCallEvent&, const tools::Registry&);

/// Returns a question for each call that needs an approval, and then stores all calls in CallsToApprove. If no call
/// needs one, returns nothing and stores nothing. Calls among the arguments have their own questions. A call that
/// takes the results of other calls has no arguments yet: it gets no question, and call_tool refuses it.
std::vector<ToolApprovalRequestEvent> ask_for_approvals(Context&, const std::vector<ToolCallEvent>&,
                                                        const tools::Registry&);

/// Takes the answers in the order of the questions. Returns new questions for answers with a mistake, such as an edit
/// that does not fit the tool's schema; else all calls with their decisions, in their order. A step of react.
std::variant<std::vector<ToolApprovalRequestEvent>, std::vector<ToolCallEvent>> hear_approvals(
    Context&, std::vector<ToolApprovalEvent>, const tools::Registry&);
/// The same for the single question of a run without a fan-out: a step of reflect.
std::variant<ToolApprovalRequestEvent, ToolCallEvent> hear_approval(Context&, ToolApprovalEvent,
                                                                    const tools::Registry&);
}
