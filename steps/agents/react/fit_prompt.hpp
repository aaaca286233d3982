// Cuts the past of a run to the room in a prompt. A dialect makes a prompt from a Situation; this function cuts the
// situation, so that the bound works in the same way for every dialect.
//
//     auto fitted = fit_prompt(dialect, now, 4000);
//     request.messages = fitted.messages;
//
// The oldest exchanges of the conversation are left out first, then the oldest turns of this run. A turn is a reply
// with all its observations, so a call and its observation stay together. The instructions, the question and the last
// turn always stay, even if the budget is too small for them. A note gives the number of omitted parts in their place.
// The summarised part (steps/agents/memory/history_summary.hpp) is always left out, and the summary takes its place.
#pragma once
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/agents/react/dialect.hpp"

namespace weft::agents::inline react_steps {
/// The longest prompt of at most `tokens`, or the shortest possible one if all are longer. 0: no bound.
FittedPrompt fit_prompt(const Dialect&, const PromptInput&, std::size_t tokens, const PastSummary& = {});
}
