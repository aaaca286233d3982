// The prompts of the reflect agent: four texts, made from the tools' declarations, and the message that follows them.
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

/// The possible requests. A sub-question cannot be decomposed, and its prompts do not mention decomposition.
struct OfferedActions {
    const tools::Registry& tools;
    bool decomposition = true;
};
std::string reflection_prompt(const OfferedActions&, const ReflectOptions&);
std::string action_prompt(const OfferedActions&, const ReflectOptions&, std::string_view question,
                          std::string_view context);
std::string decomposition_prompt(const tools::Registry&, const ReflectOptions&);
std::string summary_prompt(const ReflectOptions&);

/// The question, and then the running context, or a sentence that there is none. The context grows from turn to turn,
/// so it comes last.
models::Message question_message(std::string_view question, const GrowingContext& context);
/// The sub-questions and their answers as numbered blocks. Parts with a bound of bytes are cut to it, but always keep a
/// recognisable beginning.
std::string answers_text(std::string_view question, const std::vector<SubAnswer>&, std::size_t bytes = whole);

/// The messages of a request: the prompt, the message, and each unusable reply with its fault.
std::vector<models::Message> messages_for(std::string prompt, models::Message message, const std::vector<FaultyReply>&,
                                          std::size_t bytes = whole);
}
