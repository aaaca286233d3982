// The steps of the tool_agent workflow, which workflows/tool_agent.hpp shows as a picture. A test calls each of them:
//
//     Context ctx;
//     auto next = await(ask_with_tools(ctx, AskEvent{}, model, tools, options));
//     std::get<std::vector<ToolCallEvent>>(next);        // or AskEvent, AnswerEvent, TextAgentEvent
//
// The request has the tools' schemas. Calls of one reply run side by side if every tool among them is declared parallel
// (tools/parallel.hpp), else one after another. Each call has exactly one result, and the model gets the results in the
// order of its calls. The model gets a sentence about each mistake that it can repair: an unknown tool, arguments that
// are not JSON or do not fit, a failing tool, an answer that does not fit its form, a call that its server could not
// read. Calls written as text run, too, with a note (steps/agents/react/dialects/text_calls.hpp). The calls of a cut
// reply do not run. A run ends in the same ways as one of the react agent (steps/agents/react/steps.hpp).
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/approvals.hpp"
#include "steps/agents/memory/memory.hpp"
#include "steps/agents/native/events.hpp"
#include "steps/agents/native/options.hpp"
#include "tools/registry.hpp"
#include <variant>

namespace weft::agents::inline native_steps {
/// Reads the memory, once. Throws Error{usage} if the message is blank.
AskEvent open_transcript(Context&, UserMessageEvent, Memory&);

/// Asks the model. Adds the question and the answer to the memory, if the reply is an answer.
awaitable<std::variant<std::vector<ToolCallEvent>, std::vector<ToolApprovalRequestEvent>, AskEvent, AnswerEvent,
                       TextAgentEvent>>
ask_with_tools(Context&, AskEvent, models::ChatModel&, const tools::Registry&, const ToolAgentOptions&,
               Memory& = no_memory());

/// Returns the calls of a reply that may begin, or new questions for answers that did not fit.
std::variant<std::vector<ToolApprovalRequestEvent>, std::vector<ToolCallEvent>> begin_approved_calls(
    Context&, std::vector<ToolApprovalEvent>, const tools::Registry&);

/// Records the observations. Returns the next waiting call, or the model's turn.
std::variant<std::vector<ToolCallEvent>, AskEvent> return_results(Context&, std::vector<ToolOutputEvent>,
                                                                  const ToolAgentOptions&);
}
