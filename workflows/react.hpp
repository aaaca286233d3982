// An agent that reasons, calls a tool and observes its result, again and again until it can answer.
//
//     auto agent = react.with(model, text_dialect, memory, tools, options);      // in a .cpp file
//     AnswerEvent answer = run(agent, {.text = "How many orders were there in 2024?"});
//
//     new_user_message -> prepare_chat_history -> handle_llm_input -> the answer
//                                    ^                  |
//                                    |                  v
//                                 observe <-------- call_tool, for each call
// A call that needs an approval is first a question to a person; hear_approvals takes the answer, and passes the call
// to call_tool. An unusable reply leads back to prepare_chat_history, and the next prompt tells the model its fault.
// Resources, shared by all runs: a ChatModel, a Dialect, a Memory, a tools::Registry, and ReactOptions.
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
}
