// Parts that the prompts of several dialects share.
#pragma once
#include "steps/agents/react/dialect.hpp"
#include "steps/agents/text/prompt_template.hpp"
#include <functional>

namespace weft::agents::inline react_steps {
/// Each tool with its description and its schema; a sentence if there are none.
std::string list_tools(const tools::Registry&);
std::string list_names(const tools::Registry&);
/// Why no tool runs any more.
std::string closing_reason(const Situation&);
std::string with_note(std::string text, std::string_view note);
/// The users' text stands at its place in the template, or at the end.
std::string with_system(std::string header, const PromptTemplate&, const Situation&);

/// In what the dialects differ whose prompts are a conversation.
struct Wording {
    std::function<std::string(const ReasoningStep&)> call;  // an action as a model would have written it
    std::string_view forms;    // "Reply again in ...": after a reply that cannot be followed
    std::string_view closing;  // text after closing_reason()
    bool thoughts = true;      // whether the model is shown what it has thought
};
/// The header as a system message; what was said before; the question; then, for every step so far, what the model
/// wrote and, as the user, what came of it.
std::vector<models::Message> conversation_prompt(std::string header, const Situation&, const Wording&);
}
