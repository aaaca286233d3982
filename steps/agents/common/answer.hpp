// Faults, refusals and answers of a model, which all agents count and report in the same way.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/models/chat_model.hpp"

namespace weft::agents {
/// Throws Error{usage} for a blank or empty question.
void check_question(std::string_view);

/// Describes the fault of a reply that was cut off.
inline constexpr auto was_cut_off = "it was cut off, because it is longer than the model may write. Reply more briefly";
/// The fault of a reply without text: the server could not read its call, it is only reasoning, or it is empty. An
/// empty string if the reply has text.
std::string lack_of(const models::ChatReply&);
/// An unusable reply.
struct ReplyFault {
    std::string error,  // the mistake, which the model learns
        thought,        // the readable thought in the reply; may be empty
        reply;          // the model's whole text
};
/// Appends the fault to CurrentReasoning.
void write_fault(Context&, ReplyFault);
/// Counts an unusable reply. Throws Error{model_failed} if it is number `max_faults` in a row.
void count_fault(Context&, const std::string& error, int max_faults);
/// count_fault, then write_fault.
void note_fault(Context&, ReplyFault, int max_faults);
/// Resets the count, after a usable reply.
void end_faults(Context&);
/// Throws Error{model_refused} if the model refuses.
void check_refusal(const Context&, const models::ChatReply&, const std::string& text);

/// The last step of a run.
struct LastStep {
    AnswerOutcome outcome = AnswerOutcome::answered;  // the run's
    std::string thought,                              // the model's, before the response; may be empty
        response;                                     // the text for the user
    bool is_answer = true;                            // false: the response says why there is no answer
    std::string reply;                                // the model's text, if there is no answer
};
/// Appends the step to CurrentReasoning, and makes the answer from the slots of the run: reasoning, sources, costs.
/// `model` is the name of the replying model.
AnswerEvent make_answer(Context&, LastStep, const std::string& model);
/// Adds a step to an answer's reasoning, and its sources: successful observations, calls among the
/// arguments.
void add_step(AnswerEvent&, const ReasoningStep&);
/// True if the response is an answer of the model; else the response says why there is no answer.
bool is_answer(const AnswerEvent&);
/// The response of a run that reached its limit without an answer. `last` is the model's last thought, which the
/// sentence names `called`.
std::string no_answer(const std::string& last, std::string_view called = "thought");
}
