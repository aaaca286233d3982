// A transcript as a request: the instructions, the conversation before, and this run, cut to a budget of tokens. Pure.
//
// The oldest exchanges of the conversation are left out first, then the oldest turns of this run. A turn is a reply
// with the results of its calls, so a call and its result stay together. The question and the last turn always stay. A
// note with the number of omitted parts, or a summary (steps/agents/memory/history_summary.hpp), takes their place.
#pragma once
#include "steps/agents/common/budget_notes.hpp"
#include "steps/agents/common/fitted_prompt.hpp"
#include "steps/agents/native/events.hpp"

namespace weft::agents::inline native_steps {
/// Puts the notes on the budget into their places.
Transcript with_notes(const Transcript&, const BudgetNotes&);

/// `tokens` as steps/agents/common/fitted_prompt.hpp estimates them; 0: no bound. FittedPrompt::work counts the
/// transcript's messages after the question.
FittedPrompt fit_transcript(const std::string& instructions, const Conversation&, const Transcript&, std::size_t tokens,
                            const PastSummary& = {});
}
