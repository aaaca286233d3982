// The `langchain` dialect: all in one message, which the model goes on with, as a document that is to be completed.
//
//     LangchainDialect dialect(tools);                           // the agent's registry, which outlives it
//     auto agent = react.with(model, dialect, memory, tools, options);
//
//     Question: ...
//     Thought: ...                              this and the next two, as often as it takes
//     Action: a tool's name
//     Action Input: {"its": "arguments"}        or, for a tool of one parameter, the bare text of it
//     Observation: ...
//     Thought: ...
//     Final Answer: ...
//
// The message is made of a template with the places {tools}, {tool_names}, {input} (the question) and
// {agent_scratchpad} (what came of it so far; what follows it is the model's to write). It may have {system} (what
// users add), {history} (what was said before, with an empty line after it), which stand first if they have no place,
// and {max_steps}. Whatever fails comes back as an observation: a reply that cannot be followed, too. Further lines of
// observations are indented, so that nothing in them looks like a label. A reply with neither Action nor Final Answer
// is a fault: its text continues a thought.
#pragma once
#include "steps/agents/react/dialect.hpp"
#include "steps/agents/text/prompt_template.hpp"

namespace weft::agents::inline react_steps {
class LangchainDialect final : public Dialect {
public:
    explicit LangchainDialect(const tools::Registry&);
    /// Throws Error{configuration} for a template with unknown or missing places.
    LangchainDialect(const tools::Registry&, std::string template_text);
    std::string_view name() const override { return "langchain"; }
    std::vector<models::Message> prompt(const Situation&) const override;
    std::vector<std::string> stop() const override { return {"Observation:"}; }
    std::unique_ptr<ReplyParser> parser() const override;
    const PromptTemplate* prompt_template() const override { return &template_; }
    std::string_view reply_form() const override;

private:
    std::string scratchpad(const Situation&, std::vector<std::size_t>& joints) const;
    const tools::Registry& tools_;  // a bare text is for one of its parameters
    PromptTemplate template_;
};
}
