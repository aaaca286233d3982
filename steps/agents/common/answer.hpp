// Faults, refusals and answers of a model, which all agents count and report in the same way.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/models/chat_model.hpp"

namespace weft::agents {
/// Throws Error{usage} for a question of blanks, or of nothing.
void check_question(std::string_view);

/// Describes the fault of a reply that was cut off.
inline constexpr auto was_cut_off = "it was cut off, because it is longer than the model may write. Reply more briefly";
/// The fault of a reply that has no text: its server could not read the call in it, or it is only reasoning, or
/// nothing. Empty if it has text.
std::string lack_of(const models::ChatReply&);
/// A reply that cannot be followed.
struct Fault {
    std::string error, thought, reply;
};
void write_fault(Context&, Fault);
/// Counts a reply that cannot be followed. Throws Error{model_failed} if it is one too many in a row.
void count_fault(Context&, const std::string& error, int max_faults);
/// Counts it, and writes it down.
void note_fault(Context&, Fault, int max_faults);
/// Begins the count anew, after a reply that could be followed.
void end_faults(Context&);
/// Throws Error{model_refused} if the model refuses.
void check_refusal(const Context&, const models::ChatReply&, const std::string& text);

/// The step that a run ends with.
struct LastStep {
    AnswerOutcome outcome = AnswerOutcome::answered;
    std::string thought, response;
    bool is_answer = true;  // else the response says why there is none
    std::string reply;      // the model's text, if there is no answer
};
/// Writes it down, and makes the answer with all that the run has seen and spent. `model` is the one that replied.
AnswerEvent make_answer(Context&, LastStep, const std::string& model);
/// A step of an answer's reasoning, and the sources that it has: successful observations, those of calls among
/// arguments first.
void add_step(AnswerEvent&, const ReasoningStep&);
/// Whether its response is an answer of the model; else it says why there is none.
bool is_answer(const AnswerEvent&);
/// The response of a run that has reached its limit without an answer. `last`: the model's last thought.
std::string no_answer(const std::string& last, std::string_view called = "thought");
}
