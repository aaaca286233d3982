// The prompts of the reflect agent as templates (steps/agents/text/prompt_template.hpp). Users may replace any of them.
//
//     options.templates = std::make_shared<const ReflectTemplates>(text);
//
// The text has a section for each replaced prompt: a line `=== reflection ===`, and the template below. A prompt
// without a section stays unchanged. The needed and the optional places of each:
//
//     reflection      {tools} and {actions}; {assistants} {an_assistant} {system}
//     action          {tools} and {actions}; {assistants} {an_assistant} {assistant_name} {examples} {system}
//     decomposition   {tools}; {most} {system}
//     summary         none; {system}
//
// {assistants} is the section about decompositions, {an_assistant} "the assistant, ", {assistant_name} "decomposition
// "; they are empty for a sub-question, which cannot be decomposed. {most} is the maximum number of sub-questions. The
// user's instructions (ReactOptions::system) stand at the end of a prompt without {system}. A faulty text is
// Error{configuration} that names the section.
#pragma once
#include "steps/agents/text/prompt_template.hpp"
#include <array>

namespace weft::agents::inline reflect_steps {
class ReflectTemplates {
public:
    explicit ReflectTemplates(std::string_view text = {});
    PromptTemplate reflection, action, decomposition, summary;
    /// All templates, in the form of the constructor's text.
    std::string text() const;

private:
    using SectionTexts = std::array<std::string_view, 4>;  // one for each section; empty: the agent's own
    explicit ReflectTemplates(const SectionTexts&);
};
}
