// The end of a run of the reflect workflow, as an answer.
#pragma once
#include "engine/context.hpp"
#include "steps/memory/remember.hpp"
#include "steps/reflect/options.hpp"
#include "steps/reflect/turns.hpp"

namespace weft::steps {
/// Everything that was thought, done and found, by sub-questions too. `real`: the model has said it, the
/// one of that name.
AnswerEvent conclude(Context&, Outcome, std::string response, bool real, const std::string& model = {});
/// Question and answer, and before them those of the sub-questions that were answered.
std::vector<Lesson> lessons_of(Context&, const AnswerEvent&, const ReflectOptions&);
}
