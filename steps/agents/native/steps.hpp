// The steps of the tool_agent workflow (workflows/tool_agent.hpp shows how they hang together). Each is tested by a
// call:
//
//     Context ctx;
//     auto next = await(ask_with_tools(ctx, AskEvent{}, model, tools, options));
//     std::get<std::vector<ToolCallEvent>>(next);        // or AskEvent, AnswerEvent, TextAgentEvent
//
// Tools are offered by their schemas. Calls of one reply run side by side if every tool among them is declared parallel
// (tools/parallel.hpp), else one after another; each has exactly one result, which the model gets in the order of its
// calls. What a model can repair - an unknown tool, arguments that are no JSON or do not fit, a tool that fails, an
// answer that does not fit its form, a call that its server could not read - is told to it. Calls that a reply writes
// as text run, too, with a note (steps/agents/react/dialects/text_calls.hpp). A reply that was cut off is never acted
// upon. A run ends as one of the react agent does (steps/agents/react/steps.hpp).
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
/// Reads the memory, once. Error{usage} if the message is blank.
AskEvent open_transcript(Context&, UserMessageEvent, Memory&);

/// Asks the model. Remembers question and answer when there is one.
awaitable<std::variant<std::vector<ToolCallEvent>, std::vector<ToolApprovalRequestEvent>, AskEvent, AnswerEvent,
                       TextAgentEvent>>
ask_with_tools(Context&, AskEvent, models::ChatModel&, const tools::Registry&, const ToolAgentOptions&,
               Memory& = no_memory());

/// The calls of a reply, once all questions about them are answered; questions again, where an answer did not fit.
std::variant<std::vector<ToolApprovalRequestEvent>, std::vector<ToolCallEvent>> begin_approved_calls(
    Context&, std::vector<ToolApprovalEvent>, const tools::Registry&);

/// Writes down what the tools said. Then it is the next call's turn, or the model's.
std::variant<std::vector<ToolCallEvent>, AskEvent> return_results(Context&, std::vector<ToolOutputEvent>,
                                                                  const ToolAgentOptions&);
}
