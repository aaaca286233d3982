// The `thinking` dialect, for models that reason by themselves before they reply: the prompt asks for no thoughts.
//
//     Action: the name of a tool
//     Action Input: {"its": "arguments"}
//                                               Observation: the tool's result
//     Answer: ...
//
// The reasoning of such a model comes beside its text (steps/models/thought_filter.hpp). People see it, but no prompt
// has it. The parser reads a written Thought, but prompts do not repeat it. There is no stop sequence, because many
// servers would end the reasoning at it; the parser cuts an invented observation instead. It is the parser of `react`,
// so text without any label is the answer.
//
// The prompt is a system message from a template, then the earlier conversation, the question, and for every step so
// far the action and its observation. The template has places {tools} and {tool_names}, and may have {system} (the
// user's instructions; without a place they go to the end) and {max_steps}.
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
    std::vector<models::Message> prompt(const PromptInput&) const override;
    std::vector<std::string> stop() const override { return {}; }
    std::unique_ptr<ReplyParser> parser() const override;
    std::unique_ptr<ReplyParser> parser_for(const tools::Registry&) const override;
    const PromptTemplate* prompt_template() const override { return &template_; }
    std::string_view reply_form() const override;

private:
    PromptTemplate template_;
};
}
