// Notes on the budget for the model. A note keeps its place, so each prompt begins with the prompt of the turn before,
// byte for byte: a provider then reads that part from its cache.
//
//     note_what_is_left(ctx, options.budget, ctx.get<CurrentReasoning>().size());     // once a turn
//     const auto reasoning = with_notes(ctx.get<CurrentReasoning>(), ctx.get<Progress>().notes);
#pragma once
#include "engine/context.hpp"
#include "steps/agents/common/reasoning.hpp"

namespace weft::agents {
/// Adds a note if little is left, unless the run is closing or has a note in this place.
void note_what_is_left(Context&, const Budget&, std::size_t after, int requests = 1);

/// Puts each note into its place. Cheap without notes.
CurrentReasoning with_notes(const CurrentReasoning&, const BudgetNotes&);
Conversation with_notes(Conversation, const BudgetNotes&);  // adds the first note to the question
}
