// The `pause` dialect: an action in one line, then a word by which the model hands over.
//
//     PauseDialect dialect(tools);                               // the agent's registry, which outlives it
//     auto agent = react.with(model, dialect, memory, tools, options);
//
//     Thought: ...
//     Action: calculate: 4 * 7 / 3              the name of a tool, and the bare text of its argument
//     PAUSE
//                                               Observation: 9.333333333333334
//     Answer: ...
//
// The prompt is a system message, made of a template, then what was said before, the question, and for every step so
// far what the model wrote and, as the user, what came of it. The template has the place {tools}, and may have
// {tool_names}, {system} (what users add; without a place it goes to the end) and {max_steps}. A bare text is for a
// tool's only parameter, or for the first that it requires; a JSON object names the arguments. A reply with neither
// Action nor Answer is reminded once of the form; the next time in a row it is taken for the answer.
#pragma once
#include "steps/agents/react/dialect.hpp"
#include "steps/agents/text/prompt_template.hpp"

namespace weft::agents::inline react_steps {
class PauseDialect final : public Dialect {
public:
    explicit PauseDialect(const tools::Registry&);
    /// Throws Error{configuration} for a template with unknown or missing places.
    PauseDialect(const tools::Registry&, std::string template_text);
    std::string_view name() const override { return "pause"; }
    std::vector<models::Message> prompt(const Situation&) const override;
    /// Only as a line, so that the word may occur in a thought; and only if more follows, for else it is over anyway.
    std::vector<std::string> stop() const override { return {"\nPAUSE\n", "Observation:"}; }
    std::unique_ptr<ReplyParser> parser() const override;
    const PromptTemplate* prompt_template() const override { return &template_; }
    std::string_view reply_form() const override;

private:
    const tools::Registry& tools_;  // a bare text is for one of its parameters
    PromptTemplate template_;
};
}
