// Common parts of the dialects' prompts.
#pragma once
#include "steps/agents/react/dialect.hpp"
#include "steps/agents/text/prompt_template.hpp"
#include <functional>

namespace weft::agents::inline react_steps {
/// Each tool with its description and its schema; a sentence if there are no tools.
std::string list_tools(const tools::Registry&);
std::string list_names(const tools::Registry&);
/// The reason why no more tool runs.
std::string closing_reason(const PromptInput&);
std::string with_note(std::string text, std::string_view note);
/// Appends the lines Action and Action Input.
void labelled_action(std::string& out, const ReasoningStep&);

/// The differences between the dialects whose prompts are a conversation.
struct PromptWording {
    std::function<void(std::string& out, const ReasoningStep&)> call;  // appends an action as a model would write it
    std::string_view forms;                                            // "Reply again in ...": after an unusable reply
    std::string_view closing;                                          // text after closing_reason()
    bool thoughts = true;                                              // the prompt shows the model's earlier thoughts
};
/// A system message from the template, whose {tools} are `tools`, and with the user's instructions at the end unless it
/// has a place for them; the earlier conversation; the question; then, for every step so far, the model's text and, as
/// the user's message, its observation.
std::vector<models::Message> conversation_prompt(const PromptTemplate&, std::string_view tools, const PromptInput&,
                                                 const PromptWording&);
}
