// The end of a run of the reflect workflow, as an answer.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/memory/remember.hpp"
#include "steps/agents/reflect/options.hpp"
#include "steps/agents/reflect/turns.hpp"

namespace weft::agents::inline reflect_steps {
/// Everything that was thought, done and found, by sub-questions too. `real`: the model has said it, the
/// one of that name.
AnswerEvent conclude(Context&, AnswerOutcome, std::string response, bool real, const std::string& model = {});
/// Question and answer, and before them those of the sub-questions that were answered.
std::vector<Lesson> lessons_of(Context&, const AnswerEvent&, const ReflectOptions&);
}
