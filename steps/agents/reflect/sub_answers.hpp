// Results of the sub-questions of a decomposition.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/reflect/turns.hpp"

namespace weft::agents::inline reflect_steps {
/// The requests that are not tools. A tool must not have one of these names.
inline constexpr std::string_view decomposition = "decomposition", final_answer = "final_answer";

/// The answers in the order of the sub-questions, not of their ends.
std::vector<SubAnswer> sub_answers_of(const Context&, std::string_view call);
/// The answer for the model, or the reason for its lack.
std::string told(const SubAnswer&);
}
