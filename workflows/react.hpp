// An agent that reasons, calls a tool, observes, and repeats this until it can answer.
//
//     auto agent = react.with(model, text_dialect, memory, tools, options);      // in a .cpp file
//     AnswerEvent answer = run(agent, {.text = "How many orders were there in 2024?"});
//
//     new_user_message -> prepare_chat_history -> handle_llm_input -> the answer
//                                    ^                  |
//                                    |                  v
//                                 observe <-------- call_tool, for each call
// A call that needs an approval is a question to the outside first; its answer goes to hear_approvals, and from there
// to call_tool. If a reply cannot be followed, the model is told so and asked again: back to prepare_chat_history.
// Resources: a ChatModel, a Dialect, a Memory, a tools::Registry, and ReactOptions. Each is shared by all runs.
#pragma once
#include "engine/workflow.hpp"
#include "steps/agents/react/steps.hpp"

namespace weft::workflows {
// clang-format off
inline constexpr auto react = workflow("react",
    step<agents::new_user_message>,
    step<agents::prepare_chat_history>.repeatable(),
    step<agents::handle_llm_input>,
    step<agents::hear_approvals>,
    step<agents::call_tool>.workers(4),
    step<agents::observe>);
// clang-format on

/// The slots of its runs.
using ReactSlots = core::List<agents::AllowedTools, agents::CallsToApprove, agents::Conversation,
                              agents::CurrentReasoning, agents::PastSummary, agents::Progress>;
}
