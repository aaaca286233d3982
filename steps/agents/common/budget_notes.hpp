// Notes on the budget, and where the model was told them. A note stays with what it was said after, so that the prompt
// of a turn begins with that of the turn before, byte for byte: a provider that has read that one reads it from its
// cache.
//
//     note_what_is_left(ctx, options.budget, ctx.get<CurrentReasoning>().size());     // once a turn
//     const auto reasoning = with_notes(ctx.get<CurrentReasoning>(), ctx.get<Progress>().notes);
#pragma once
#include "engine/context.hpp"
#include "steps/agents/common/reasoning.hpp"

namespace weft::agents {
/// Adds a note if little is left, unless the run is closing or has one there.
void note_what_is_left(Context&, const Budget&, std::size_t after, int requests = 1);

/// Each note in the place that it was said in. Cheap if there is none.
CurrentReasoning with_notes(const CurrentReasoning&, const BudgetNotes&);
Conversation with_notes(Conversation, const BudgetNotes&);  // the question, with those that were said at first
}
