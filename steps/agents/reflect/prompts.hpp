// What the reflect agent tells a model: four prompts, made from the tools' own declarations, and the message that goes
// with them.
#pragma once
#include "steps/agents/reflect/options.hpp"
#include "steps/agents/reflect/running_context.hpp"
#include "steps/agents/reflect/turns.hpp"
#include "steps/models/chat_model.hpp"

namespace weft::tools {
class Registry;
}
namespace weft::agents::inline reflect_steps {
inline constexpr std::size_t whole = std::string::npos;

/// What may be asked for: a sub-question is not decomposed any further, and is told nothing of it.
struct Offer {
    const tools::Registry& tools;
    bool decomposition = true;
};
std::string reflection_prompt(const Offer&, const ReflectOptions&);
std::string action_prompt(const Offer&, const ReflectOptions&, std::string_view question, std::string_view context);
std::string decomposition_prompt(const tools::Registry&, const ReflectOptions&);
std::string summary_prompt(const ReflectOptions&);

/// The question, and the running context, or that there is none. The latter grows from turn to turn, so it comes last.
models::Message question_message(std::string_view question, const GrowingContext& context);
/// The numbered blocks of the questions and what came of them. Each part of a prompt that takes a number of bytes is
/// cut to these if it is longer, but never below what tells what it was.
std::string answers_text(std::string_view question, const std::vector<SubAnswer>&, std::size_t bytes = whole);

/// A request: the prompt, the message, and the fault of each reply that could not be followed.
std::vector<models::Message> messages_for(std::string prompt, models::Message message, const std::vector<FaultyReply>&,
                                          std::size_t bytes = whole);
}
