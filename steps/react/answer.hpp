// How runs of agents end: what all of them have in common.
#pragma once
#include "engine/context.hpp"
#include "steps/react/events.hpp"

namespace weft::steps {
/// The step that a run ends with.
struct LastStep {
    Outcome outcome = Outcome::answered;
    std::string thought, response;
    bool is_answer = true;  // else why there is none
    std::string reply;      // what the model wrote, if there is no real answer
};
/// Writes it down, and makes the answer with all that the run has seen and spent. `model` is the one that replied.
AnswerEvent make_answer(Context&, LastStep, const std::string& model);
/// What a run says that has come to its limit without an answer.
std::string no_answer(const std::string& last_thought);
/// Counts a reply that cannot be followed. Throws Error{model_failed} if it is one too many in a row.
void count_fault(Context&, const std::string& error, int max_faults);
/// Throws Error{model_refused} if the model refuses.
void check_refusal(const llm::ChatReply&, const std::string& text);
}
