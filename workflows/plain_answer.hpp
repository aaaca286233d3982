// A model by itself, to compare an agent with.
//
//     AnswerEvent answer = run(plain_answer.with(model, options), {.text = "465 * 321?"});   // in a .cpp file
#pragma once
#include "engine/workflow.hpp"
#include "steps/compare/answer_plainly.hpp"

namespace weft::workflows {
inline constexpr auto plain_answer = workflow("plain_answer", step<steps::answer_plainly>);
}
