// The prompts of the reflect agent as templates (steps/agents/text/prompt_template.hpp). Users may replace all of
// them or some.
//
//     options.templates = std::make_shared<const ReflectTemplates>(text);
//
// The text has a section for each prompt that it replaces: a line `=== reflection ===`, and the template below. What
// has no section stays as it is. The places of each:
//
//     reflection      {tools} and {actions}; {assistants} {an_assistant} {system} if they are wanted
//     action          {tools} and {actions}; {assistants} {an_assistant} {assistant_name} {examples} {system}
//     decomposition   {tools}; {most} {system}
//     summary         none; {system}
//
// {assistants} is the section about decompositions, {an_assistant} "the assistant, ", {assistant_name} "decomposition
// "; they are empty for a sub-question, which is not taken apart. {most} is the most sub-questions. What users add to a
// prompt (ReactOptions::system) stands at its end if there is no {system}. What is wrong with the text is
// Error{configuration} that names the section.
#pragma once
#include "steps/agents/text/prompt_template.hpp"
#include <array>

namespace weft::agents::inline reflect_steps {
class ReflectTemplates {
public:
    explicit ReflectTemplates(std::string_view text = {});
    PromptTemplate reflection, action, decomposition, summary;
    /// All of them, as such a text.
    std::string text() const;

private:
    using Texts = std::array<std::string_view, 4>;  // of the sections; empty: the agent's own
    explicit ReflectTemplates(const Texts&);
};
}
