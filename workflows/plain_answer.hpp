// A single request to a model, for comparison with an agent.
//
//     AnswerEvent answer = run(plain_answer.with(model, options), {.text = "465 * 321?"});   // in a .cpp file
#pragma once
#include "engine/workflow.hpp"
#include "workflows/plain_answer_steps.hpp"

namespace weft::workflows {
inline constexpr auto plain_answer = workflow("plain_answer", step<answer_plainly>);
}
