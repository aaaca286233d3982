// The `thinking` dialect, for models that think by themselves before they reply: it asks for no thoughts.
//
//     Action: the name of a tool
//     Action Input: {"its": "arguments"}
//                                               Observation: what came of it
//     Answer: ...
//
// The reasoning of such a model comes beside its text (steps/models/thought_filter.hpp). It is shown to people and is
// no part of any prompt. A Thought that the model writes all the same is read, and not shown to it again. There is no
// stop sequence: many servers would end the thinking at it. An observation that the model invents is cut by the parser.
// The parser is that of `react`, so text without any label is the answer.
//
// The prompt is a system message, made of a template, then what was said before, the question, and for every step so
// far the action and what came of it. The template has places {tools} and {tool_names}, and may have {system} (what
// users add; without a place it goes to the end) and {max_steps}.
#pragma once
#include "steps/agents/react/dialect.hpp"
#include "steps/agents/text/prompt_template.hpp"

namespace weft::agents::inline react_steps {
class ThinkingDialect final : public Dialect {
public:
    ThinkingDialect();
    /// Throws Error{configuration} for a template with unknown or missing places.
    explicit ThinkingDialect(std::string template_text);
    std::string_view name() const override { return "thinking"; }
    std::vector<models::Message> prompt(const Situation&) const override;
    std::vector<std::string> stop() const override { return {}; }
    std::unique_ptr<ReplyParser> parser() const override;
    std::unique_ptr<ReplyParser> parser_for(const tools::Registry&) const override;
    const PromptTemplate* prompt_template() const override { return &template_; }
    std::string_view reply_form() const override;

private:
    PromptTemplate template_;
};
}
