// The steps of the reflect workflow, which workflows/reflect.hpp shows as a picture. A turn is two requests to the
// model: for a reflection in free text, and for an action as JSON. A test calls each of the steps:
//
//     Context ctx;
//     models::ScriptedModel model{R"({"request": "final_answer", "argument": "42"})"};
//     auto next = await(choose_action(ctx, ChooseEvent{}, model, tools, options, memory));
//     std::get<AnswerEvent>(next).response;      // 42
//
// The model gets a sentence about each mistake that it can repair: a failing tool is an observation, and an unusable
// reply an error, with the next try. A run ends
// - with a final answer;
// - at the limit of turns, or at the fifth same observation of the same call: the model then gives its best answer
//   (AnswerOutcome::limit);
// - after max_faults unusable replies in a row (Error{model_failed}), and after a refusal (Error{model_refused});
// - with an exception of the model's client. A prompt keeps to its bound of tokens; a prompt refused as too long is
//   shortened and sent again once.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/approvals.hpp"
#include "steps/agents/memory/memory.hpp"
#include "steps/agents/reflect/options.hpp"
#include "steps/agents/reflect/turns.hpp"
#include "tools/registry.hpp"
#include <variant>

namespace weft::agents::inline reflect_steps {
/// Reads the memory, once. Throws Error{usage} if the question is blank, or a tool has the name of another request.
ReflectEvent open_question(Context&, UserMessageEvent, Memory&, const tools::Registry&);
ReflectEvent open_sub_question(Context&, SubQuestionAskedEvent);

/// Counts the turn, and asks the model for its intention, unless the run closes.
awaitable<ChooseEvent> write_reflection(Context&, ReflectEvent, models::ChatModel&, const tools::Registry&,
                                        const ReflectOptions&);

/// Asks the model for the action. Adds the question and the answer to the memory, if there is one.
awaitable<std::variant<ToolCallEvent, ToolApprovalRequestEvent, DecomposeEvent, ChooseEvent, ReflectEvent, AnswerEvent>>
choose_action(Context&, ChooseEvent, models::ChatModel&, const tools::Registry&, const ReflectOptions&, Memory&);
/// The same for a sub-question, which cannot be decomposed.
awaitable<std::variant<ToolCallEvent, ToolApprovalRequestEvent, ChooseEvent, ReflectEvent, AnswerEvent>>
choose_action_for_part(Context&, ChooseEvent, models::ChatModel&, const tools::Registry&, const ReflectOptions&);

ReflectEvent note_result(Context&, ToolOutputEvent);

/// Asks the model for sub-questions. One branch has all of them, or with options.parallel each has its own. If the
/// budget has no room for the request, the next turn is the closing one.
awaitable<std::variant<std::vector<BranchEvent>, DecomposeEvent, ReflectEvent>> decompose_question(
    Context&, DecomposeEvent, models::ChatModel&, const tools::Registry&, const ReflectOptions&);

/// The options for a branch's next sub-question: its budget is the rest, or a part of the rest beside others.
ReflectOptions options_of_branch(const Context&, const BranchEvent&, const ReflectOptions&, const Clock&);
/// Begin the next sub-question of a branch with its background, and record its answer.
SubQuestionAskedEvent begin_sub_question(Context&, const BranchEvent&, const ReflectOptions&);
std::variant<BranchEvent, BranchDoneEvent> end_sub_question(Context&, BranchEvent, AnswerEvent);

SummariseEvent collect_answers(Context&, std::vector<BranchDoneEvent>);

/// Asks the model to combine the answers. Without any answer the result is an error; if the budget has no room for the
/// request, the result is the list of answers.
awaitable<std::variant<SummariseEvent, ReflectEvent>> summarise_answers(Context&, SummariseEvent, models::ChatModel&,
                                                                        const ReflectOptions&);

/// A failed sub-question does not fail the run: it ends as an answer with AnswerOutcome::failed, which keeps its
/// findings and expenses so far. A failure that would repeat for every question (a wrong script, a wrong setting) is
/// thrown again.
AnswerEvent give_up(Context&, StepFailedEvent);
}
