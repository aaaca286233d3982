// An agent that reflects before each action, and that can take a question apart.
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
//
// Replies that cannot be followed are asked for again: each step that asks for JSON leads back to itself. A
// sub-question cannot be taken apart any further: sub_question has no step for that. Resources: a ChatModel, a Memory,
// a tools::Registry, and ReflectOptions. Each is shared by all runs.
#pragma once
#include "engine/workflow.hpp"
#include "steps/react/steps.hpp"
#include "steps/reflect/steps.hpp"

namespace weft::workflows {
// clang-format off
inline constexpr auto sub_question = workflow("sub_question",
    step<steps::open_sub_question>,
    step<steps::write_reflection>,
    step<steps::choose_action_for_part>,
    step<steps::call_tool>,
    step<steps::note_result>,
    step<steps::give_up>);
// clang-format on

/// The only step that is not in steps/: it runs the workflow above, as a child.
awaitable<std::variant<steps::BranchEvent, steps::BranchDoneEvent>> answer_sub_question(Context&, steps::BranchEvent,
                                                                                        llm::ChatModel&,
                                                                                        const tools::Registry&,
                                                                                        const steps::ReflectOptions&);

// clang-format off
inline constexpr auto reflect = workflow("reflect",
    step<steps::open_question>,
    step<steps::write_reflection>,
    step<steps::choose_action>,
    step<steps::call_tool>,
    step<steps::note_result>,
    step<steps::decompose_question>,
    step<answer_sub_question>.workers(4),
    step<steps::collect_answers>,
    step<steps::summarise_answers>);
// clang-format on
}
