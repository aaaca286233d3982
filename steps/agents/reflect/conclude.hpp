// Makes the answer at the end of a run of the reflect workflow.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/memory/remember.hpp"
#include "steps/agents/reflect/options.hpp"

namespace weft::agents::inline reflect_steps {
/// The answer has the reasoning and the sources of the run and of its sub-questions. `real`: the response is from the
/// model of that name.
AnswerEvent conclude(Context&, AnswerOutcome, std::string response, bool real, const std::string& model = {});
/// The exchanges of the answered sub-questions, and then the run's own.
std::vector<RunExchange> lessons_of(Context&, const AnswerEvent&, const ReflectOptions&);
}
