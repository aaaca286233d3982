// The limits that end an agent's run without an answer: the number of steps, and the budget. All agents use them.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/options.hpp"
#include "steps/agents/common/reasoning.hpp"

namespace weft::agents {
/// Closes the run: no more tool runs. The first cause stays.
void close(Progress&, std::string limit);
/// Counts a turn of the model, which takes `requests`. At a bound it closes the run instead.
void begin_step(Progress&, const ReactOptions&, int requests = 1);

/// Updates the duration of the run, if the budget bounds it.
void note_time(Context&, const ReactOptions&, const Clock&);
/// True if the budget has room for another request besides the closing one. Else closes the run.
bool has_room(Context&, const ReactOptions&, const Clock&);
/// The same at the beginning of a turn, which without room becomes the closing turn. True in a closing turn.
bool begin_asking(Context&, const ReactOptions&, const Clock&);
/// Writes the expenses of a run into its answer.
void tell_spent(AnswerEvent&, const Progress&);
/// Reads them from the answer of a part, for the whole run.
Spent spent_by(const AnswerEvent&);
/// Sets the options of a run that is a part of this one: the rest of the budget and of the retries, and prompt_bound().
void leave_rest(ReactOptions&, const Progress&);
/// Maximum tokens of a prompt, from the options and from refused prompts. 0: no bound.
std::size_t prompt_bound(const ReactOptions&, const Progress&);
/// The reason why no more tool runs, for the model: the beginning of a sentence, which calls the steps `turns`.
std::string closing_reason(std::string_view limit, std::string_view turns = "steps");
}
