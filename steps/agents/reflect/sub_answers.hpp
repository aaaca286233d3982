// Results of the sub-questions of a decomposition.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/reflect/turns.hpp"

namespace weft::agents::inline reflect_steps {
/// The requests that are no tools. No tool may have one of these names.
inline constexpr std::string_view decomposition = "decomposition", final_answer = "final_answer";

/// In the order of the sub-questions, whichever was answered first.
std::vector<SubAnswer> sub_answers_of(const Context&, std::string_view call);
/// The answer, or that there is none and why: as the model is told.
std::string told(const SubAnswer&);
}
