// The steps of the react workflow (workflows/react.hpp shows how they hang together). Each is tested by a call:
//
//     Context ctx;
//     models::ScriptedModel model{"Thought: easy\nAnswer: 42"};
//     auto next = await(handle_llm_input(ctx, InputEvent{{user("6 * 7?")}}, model, text_dialect));
//     std::get<AnswerEvent>(next).response;      // 42
//
// What a model can repair - a reply that cannot be followed, an unknown tool, bad arguments, a tool that fails - is
// told to it and never ends a run by itself. What ends it: an answer, labelled as one or, where a dialect allows that
// (Reply::unlabelled), not labelled for the second time in a row; the limit of steps, or the same call with the same
// observation for the fifth time, after which the model gives its best answer (AnswerOutcome::limit), as it does when
// the budget is nearly spent; too many faulty replies in a row (Error{model_failed}); a refusal (Error{model_refused});
// whatever the model's client throws. A prompt that the model refuses as too long is shortened once and sent again;
// refused again, it ends the run.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/approvals.hpp"
#include "steps/agents/common/call_tool.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/options.hpp"
#include "steps/agents/memory/memory.hpp"
#include "steps/agents/react/dialect.hpp"
#include <variant>

namespace weft::agents::inline react_steps {
/// Reads the memory, once. Error{usage} if the message is blank.
PrepEvent new_user_message(Context&, UserMessageEvent, Memory&);

/// Counts the turn, and makes the prompt of it, no longer than the budget of tokens allows.
InputEvent prepare_chat_history(Context&, PrepEvent, const Dialect&, const tools::Registry&, const ReactOptions&);

inline const tools::Registry& no_tools() {
    static const tools::Registry none;
    return none;
}
/// Asks the model, and reads its reply while it arrives. Remembers question and answer when there is one. The tools are
/// for dialects that read a reply the better for knowing them, and for calls that have to be approved before they run.
awaitable<std::variant<std::vector<ToolCallEvent>, std::vector<ToolApprovalRequestEvent>, PrepEvent, AnswerEvent>>
handle_llm_input(Context&, InputEvent, models::ChatModel&, const Dialect&, Memory& = no_memory(),
                 const ReactOptions& = usual_options(), const tools::Registry& = no_tools());

/// Writes down what the tools said, and notices calls that lead nowhere.
PrepEvent observe(Context&, std::vector<ToolOutputEvent>);
}
