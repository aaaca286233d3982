// What of a run's past a prompt has room for. A dialect makes a prompt of a Situation; here the situation is cut, so
// that every dialect is bounded in the same way.
//
//     auto fitted = fit_prompt(dialect, now, 4000);
//     request.messages = fitted.messages;
//
// Left out first are the oldest questions and answers of the conversation, then the oldest turns of this run: a reply
// of the model with all that came of it, so that no call is parted from its observation. The instructions, the question
// and the last turn always stay, also where the budget is too small for them. Where something was left out stands a
// note that says how much. What a summary stands for (steps/agents/memory/past.hpp) is always left out, and the summary
// stands in its place.
#pragma once
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/agents/react/dialect.hpp"

namespace weft::agents::inline react_steps {
/// The longest prompt of at most so many tokens; of the shortest there is, if all are longer. 0: no bound.
FittedPrompt fit_prompt(const Dialect&, const Situation&, std::size_t tokens, const PastSummary& = {});
}
