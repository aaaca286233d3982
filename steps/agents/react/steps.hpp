// The steps of the react workflow, which workflows/react.hpp shows as a picture. A test calls each of them:
//
//     Context ctx;
//     models::ScriptedModel model{"Thought: easy\nAnswer: 42"};
//     auto next = await(handle_llm_input(ctx, InputEvent{{user("6 * 7?")}}, model, text_dialect));
//     std::get<AnswerEvent>(next).response;      // 42
//
// The model gets a sentence about each mistake that it can repair: an unusable reply, an unknown tool, bad arguments, a
// failing tool. A run ends
// - with a labelled answer, or, in dialects with Reply::unlabelled, a second unlabelled reply in a row;
// - at the limit of steps, at the fifth same observation of the same call, or when the budget is nearly spent: the
//   model then gives its best answer (AnswerOutcome::limit);
// - after too many faults in a row (Error{model_failed}), and after a refusal (Error{model_refused});
// - with an exception of the model's client. A prompt refused as too long is shortened and sent again once.
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
/// Reads the memory, once. Throws Error{usage} if the message is blank.
PrepEvent new_user_message(Context&, UserMessageEvent, Memory&);

/// Counts the turn, and makes its prompt, cut to the bound of tokens.
InputEvent prepare_chat_history(Context&, PrepEvent, const Dialect&, const tools::Registry&, const ReactOptions&);

inline const tools::Registry& no_tools() {
    static const tools::Registry none;
    return none;
}
/// Asks the model, and reads its reply while it arrives. Adds the question and the answer to the memory, if the reply
/// is an answer. Dialect::parser_for and the approvals of calls use the tools.
awaitable<std::variant<std::vector<ToolCallEvent>, std::vector<ToolApprovalRequestEvent>, PrepEvent, AnswerEvent>>
handle_llm_input(Context&, InputEvent, models::ChatModel&, const Dialect&, Memory& = no_memory(),
                 const ReactOptions& = usual_options(), const tools::Registry& = no_tools());

/// Records the observations, and notices repeated calls.
PrepEvent observe(Context&, std::vector<ToolOutputEvent>);
}
