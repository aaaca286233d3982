// The `react` dialect: Thought, Action, Action Input and Answer as labelled lines
// (steps/agents/react/dialects/text_parser.hpp).
//
// The prompt is a system message from a template, then the earlier conversation, the question, and for every step so
// far the model's text and its observation. The template has places {tools} and {tool_names}, and may have {system}
// (the user's instructions; without a place they go to the end) and {max_steps}.
#pragma once
#include "steps/agents/react/dialect.hpp"
#include "steps/agents/text/prompt_template.hpp"

namespace weft::agents::inline react_steps {
class TextDialect final : public Dialect {
public:
    TextDialect();
    /// Throws Error{configuration} for a template with unknown or missing places.
    explicit TextDialect(std::string template_text);
    std::string_view name() const override { return "react"; }
    std::vector<models::Message> prompt(const PromptInput&) const override;
    std::vector<std::string> stop() const override { return {"Observation:"}; }
    std::unique_ptr<ReplyParser> parser() const override;
    std::unique_ptr<ReplyParser> parser_for(const tools::Registry&) const override;
    const PromptTemplate* prompt_template() const override { return &template_; }
    std::string_view reply_form() const override;

private:
    PromptTemplate template_;
};
extern const TextDialect text_dialect;
}
