// Calls of tools that somebody has to approve first (tools/needs_approval.hpp): the question, its answer, and what is
// kept meanwhile. A workflow that calls tools asks in the step that makes the calls, and has a step for the answers:
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
    std::string mistake;  // in the arguments that were last given for it: it is asked again
    static constexpr std::string_view optional_fields[] = {"mistake"};
};
BOOST_DESCRIBE_STRUCT(ToolApprovalRequestEvent, (), (id, tool, arguments, mistake))

enum class Decision {
    reject,   // it does not run, and the model is told the reason
    approve,  // it runs as it was asked for
    edit,     // it runs with the arguments of the answer, and the model is told so
};
BOOST_DESCRIBE_ENUM(Decision, reject, approve, edit)

struct ToolApprovalEvent : Answers<ToolApprovalRequestEvent> {
    Decision decision = Decision::reject;
    JsonText arguments = {};  // of an edit
    std::string reason = {};  // of a rejection; may be empty
    static constexpr std::string_view optional_fields[] = {"arguments", "reason"};
};
BOOST_DESCRIBE_STRUCT(ToolApprovalEvent, (), (decision, arguments, reason))

/// The calls of the last reply, as long as some of them wait for an approval. What runs is taken from here, and from an
/// answer only what it decides.
struct CallsToApprove {
    std::vector<ToolCallEvent> calls;
    std::vector<std::size_t> asked;  // which of them, in the order of the open questions
};
BOOST_DESCRIBE_STRUCT(CallsToApprove, (), (calls, asked))

/// A question for each call that needs one; then all the calls are kept. Empty: none does, and nothing is kept. A call
/// with others among its arguments is not asked for: its arguments are not known yet, and call_tool refuses it.
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
