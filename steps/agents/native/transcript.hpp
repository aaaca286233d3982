// A transcript as a request: the instructions, what was said before, and this run, cut to a budget of tokens. Pure.
//
// Left out first are the oldest questions and answers of the conversation, then the oldest turns of this run: a reply
// with the results of its calls, so that no call is parted from its result. The question and the last turn always stay.
// Where something was left out stands a note that says how much, or a summary (steps/agents/memory/past.hpp).
#pragma once
#include "steps/agents/common/budget_notes.hpp"
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/agents/native/events.hpp"

namespace weft::agents::inline native_steps {
/// With the notes on the budget where they were said.
Transcript with_notes(const Transcript&, const BudgetNotes&);

/// Tokens as steps/agents/common/fitted_prompt.hpp estimates them; 0: no bound. What the run has done are the
/// transcript's messages after the question.
FittedPrompt fit_transcript(const std::string& instructions, const Conversation&, const Transcript&, std::size_t tokens,
                            const PastSummary& = {});
}
