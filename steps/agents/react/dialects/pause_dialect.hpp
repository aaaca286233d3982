// The `pause` dialect: an action in one line, then the word PAUSE, by which the model yields.
//
//     PauseDialect dialect(tools);                               // the agent's registry, which must outlive it
//     auto agent = react.with(model, dialect, memory, tools, options);
//
//     Thought: ...
//     Action: calculate: 4 * 7 / 3              a tool's name, and the bare text of its argument
//     PAUSE
//                                               Observation: 9.333333333333334
//     Answer: ...
//
// The prompt is a system message from a template, then the earlier conversation, the question, and for every step so
// far the model's text and, as the user's message, its observation. The template has the place {tools}, and may have
// {tool_names}, {system} (the user's instructions; without a place they go to the end) and {max_steps}. A bare text is
// for a tool's only parameter, or for its first required one; a JSON object names the arguments. After a reply with
// neither Action nor Answer the model gets a reminder of the form; the next time in a row the reply is the answer.
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
    std::vector<models::Message> prompt(const PromptInput&) const override;
    /// PAUSE stops a reply only as a line of its own, so a thought may contain it, and only if more text would follow.
    std::vector<std::string> stop() const override { return {"\nPAUSE\n", "Observation:"}; }
    std::unique_ptr<ReplyParser> parser() const override;
    const PromptTemplate* prompt_template() const override { return &template_; }
    std::string_view reply_form() const override;

private:
    const tools::Registry& tools_;  // the source of the parameters for bare texts
    PromptTemplate template_;
};
}
