// The steps of the reflect workflow (workflows/reflect.hpp shows how they hang together). A turn is two calls of the
// model: a reflection in free text, and an action as JSON. Each step is tested by a call:
//
//     Context ctx;
//     models::ScriptedModel model{R"({"request": "final_answer", "argument": "42"})"};
//     auto next = await(choose_action(ctx, ChooseEvent{}, model, tools, options, memory));
//     std::get<AnswerEvent>(next).response;      // 42
//
// What a model can repair is told to it: a tool that fails is an observation, a reply that cannot be followed an error,
// with the next try. What ends a run: a final answer; the limit of turns, or the same call with the same observation
// for the fifth time, after which the model gives its best answer (AnswerOutcome::limit); as many tries in vain as
// max_faults says, at an action, a decomposition or a summary (Error{model_failed}); a refusal (Error{model_refused});
// whatever the model's client throws. A prompt is no longer than the bound of its tokens allows; one that the model
// refuses as too long is shortened once and sent again; refused again, it ends the run.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/approvals.hpp"
#include "steps/agents/memory/memory.hpp"
#include "steps/agents/reflect/options.hpp"
#include "steps/agents/reflect/turns.hpp"
#include "tools/registry.hpp"
#include <optional>
#include <variant>

namespace weft::agents::inline reflect_steps {
/// Reads the memory, once. Error{usage} if the question is blank, or a tool has the name of one of the other requests.
ReflectEvent open_question(Context&, UserMessageEvent, Memory&, const tools::Registry&);
ReflectEvent open_sub_question(Context&, SubQuestionAskedEvent);

/// Counts the turn, and asks the model what it means to do. At the limit it is not asked.
awaitable<ChooseEvent> write_reflection(Context&, ReflectEvent, models::ChatModel&, const tools::Registry&,
                                        const ReflectOptions&);

/// Asks the model for the action. Remembers question and answer when there is one.
awaitable<std::variant<ToolCallEvent, ToolApprovalRequestEvent, DecomposeEvent, ChooseEvent, ReflectEvent, AnswerEvent>>
choose_action(Context&, ChooseEvent, models::ChatModel&, const tools::Registry&, const ReflectOptions&, Memory&);
/// The same for a sub-question. It is not decomposed, whatever the model says: there is nowhere to go for it.
awaitable<std::variant<ToolCallEvent, ToolApprovalRequestEvent, ChooseEvent, ReflectEvent, AnswerEvent>>
choose_action_for_part(Context&, ChooseEvent, models::ChatModel&, const tools::Registry&, const ReflectOptions&);

ReflectEvent note_result(Context&, ToolOutputEvent);

/// Asks the model for sub-questions. One branch has all of them, or with options.parallel each one has its own. If the
/// budget has no room for that, the next turn is the closing one.
awaitable<std::variant<std::vector<BranchEvent>, DecomposeEvent, ReflectEvent>> decompose_question(
    Context&, DecomposeEvent, models::ChatModel&, const tools::Registry&, const ReflectOptions&);

/// The next sub-question of a branch may spend what is left, or its part of it if others run beside it.
ReflectOptions options_of_branch(const Context&, const BranchEvent&, const ReflectOptions&, const Clock&);
/// The next question of a branch: what its run has to know, and what becomes of its end.
SubQuestionAskedEvent begin_sub_question(Context&, const BranchEvent&, const ReflectOptions&);
std::variant<BranchEvent, BranchDoneEvent> end_sub_question(Context&, BranchEvent, AnswerEvent);

SummariseEvent collect_answers(Context&, std::vector<BranchDoneEvent>);

/// Asks the model to put the answers together. If there is none at all, that is the result; if the budget has no room
/// for that, the answers themselves are.
awaitable<std::variant<SummariseEvent, ReflectEvent>> summarise_answers(Context&, SummariseEvent, models::ChatModel&,
                                                                        const ReflectOptions&);

/// A sub-question that fails does not fail the run: it ends as an answer with AnswerOutcome::failed, which keeps what
/// was found and spent by then. What no other question would get over (a wrong script, a wrong setting) is thrown
/// again.
AnswerEvent give_up(Context&, StepFailedEvent);
}
