// An agent whose model calls tools through its protocol.
//
//     auto agent = tool_agent.with(model, memory, tools, options);               // in a .cpp file
//     AnswerEvent answer = run(agent, {.text = "How many orders were there in 2024?"});
//
//     open_transcript -> ask_with_tools -> the answer
//                          ^   |    |
//                          |   |    +--> answer_in_text -> the answer
//                          |   v
//               return_results <== call_tool, for each call
//
// Calls that need an approval are first questions to a person, all calls of a reply at once; begin_approved_calls takes
// the answers, and passes the calls to call_tool. Calls of one reply run side by side if their tools are parallel. If
// the model or server does not support tool calls, answer_in_text runs react, which needs only text. Resources, shared
// by all runs: a ChatModel, a Memory, a tools::Registry, and ToolAgentOptions.
#pragma once
#include "engine/workflow.hpp"
#include "steps/agents/native/steps.hpp"
#include "steps/agents/react/steps.hpp"

namespace weft::workflows {
/// The only step outside of steps/: it runs another workflow, as a child.
awaitable<agents::AnswerEvent> answer_in_text(Context&, agents::TextAgentEvent, models::ChatModel&, agents::Memory&,
                                              const tools::Registry&, const agents::ToolAgentOptions&);

// clang-format off
inline constexpr auto tool_agent = workflow("tool_agent",
    step<agents::open_transcript>,
    step<agents::ask_with_tools>,
    step<agents::begin_approved_calls>,
    step<agents::call_tool>.workers(8),
    step<agents::return_results>,
    step<answer_in_text>);
// clang-format on
}
