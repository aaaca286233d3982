// An agent that reflects before each action, and can decompose a question.
//
//     auto agent = reflect.with(model, memory, tools, options);                  // in a .cpp file
//     AnswerEvent answer = run(agent, {.text = "How did sales vary between Q1 and Q2 of 2024?"});
//
//     open_question -> write_reflection -> choose_action -> the answer
//                       ^   ^                |     |
//                       |   |                v     v
//                       | note_result <- call_tool decompose_question
//                       |                              ||
//                       |                              vv
//     summarise_answers <- collect_answers <== answer_sub_question, a run of sub_question for each
// A call that needs an approval is first a question to a person; hear_approval takes the answer, and passes the call to
// call_tool. Each step that requests JSON leads back to itself after an unusable reply. A sub-question cannot be
// decomposed: sub_question has no step for this. Resources, shared by all runs: a ChatModel, a Memory, a
// tools::Registry, and ReflectOptions.
#pragma once
#include "engine/workflow.hpp"
#include "steps/agents/react/steps.hpp"
#include "steps/agents/reflect/steps.hpp"

namespace weft::workflows {
// clang-format off
inline constexpr auto sub_question = workflow("sub_question",
    step<agents::open_sub_question>,
    step<agents::write_reflection>,
    step<agents::choose_action_for_part>,
    step<agents::hear_approval>,
    step<agents::call_tool>,
    step<agents::note_result>,
    step<agents::give_up>);
// clang-format on

/// The only step outside of steps/: it runs the workflow above, as a child.
awaitable<std::variant<agents::BranchEvent, agents::BranchDoneEvent>> answer_sub_question(
    Context&, agents::BranchEvent, models::ChatModel&, const tools::Registry&, const agents::ReflectOptions&);

// clang-format off
inline constexpr auto reflect = workflow("reflect",
    step<agents::open_question>,
    step<agents::write_reflection>,
    step<agents::choose_action>,
    step<agents::hear_approval>,
    step<agents::call_tool>,
    step<agents::note_result>,
    step<agents::decompose_question>,
    step<answer_sub_question>.workers(4),
    step<agents::collect_answers>,
    step<agents::summarise_answers>);
// clang-format on
}
