// What ends a run of an agent without an answer: the limit of steps, and the budget. Shared by the steps of all agents.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/options.hpp"
#include "steps/agents/common/reasoning.hpp"

namespace weft::agents {
/// Closes the run: no tool runs any more. If it was closed before, that cause stays.
void close(Progress&, std::string limit);
/// Counts a turn of the model, unless a bound is reached: then the run closes.
void begin_step(Progress&, const ReactOptions&, int requests = 1);  // of the turn

/// Notes how much time has gone by, if that has a bound.
void note_time(Context&, const ReactOptions&, const Clock&);
/// Whether the budget has room for another request besides the closing one. Else the run closes.
bool has_room(Context&, const ReactOptions&, const Clock&);
/// The same at the beginning of a turn, which becomes the closing one if there is no room. True in a closing turn.
bool begin_asking(Context&, const ReactOptions&, const Clock&);
/// Writes what a run has spent into its answer; and reads it back, for the run that it was a part of.
void tell_spent(AnswerEvent&, const Progress&);
Spent spent_by(const AnswerEvent&);
/// The options of a run that is a part of this one: what is left of the budget and of the retries, and the longest
/// prompt that is known to be read.
void leave_rest(ReactOptions&, const Progress&);
/// The most tokens of a prompt: by the options, and by what the model has refused. 0: no bound.
std::size_t prompt_bound(const ReactOptions&, const Progress&);
/// Why no tool runs any more, for the model: the beginning of a sentence.
/// `turns`: what its steps are called there.
std::string closing_reason(std::string_view limit, std::string_view turns = "steps");
}
