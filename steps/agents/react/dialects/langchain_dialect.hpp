// The `langchain` dialect: the prompt is one message, a document that the model completes.
//
//     LangchainDialect dialect(tools);                           // the agent's registry, which must outlive it
//     auto agent = react.with(model, dialect, memory, tools, options);
//
//     Question: ...
//     Thought: ...                              this and the next three lines may repeat
//     Action: a tool's name
//     Action Input: {"its": "arguments"}        or, for a tool's only parameter, its bare text
//     Observation: ...
//     Thought: ...
//     Final Answer: ...
//
// The message is made from a template with the places {tools}, {tool_names}, {input} (the question) and
// {agent_scratchpad} (the steps so far, which the model continues). It may have {max_steps}, {system} (the user's
// instructions) and {history} (the earlier conversation, followed by an empty line); the last two stand first if they
// have no place. Each failure comes back as an observation, even an unusable reply. Further lines of observations are
// indented, so that they cannot look like labels. A reply with neither Action nor Final Answer is a fault, because its
// text continues a thought.
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
    std::vector<models::Message> prompt(const PromptInput&) const override;
    std::vector<std::string> stop() const override { return {"Observation:"}; }
    std::unique_ptr<ReplyParser> parser() const override;
    const PromptTemplate* prompt_template() const override { return &template_; }
    std::string_view reply_form() const override;

private:
    std::string scratchpad(const PromptInput&, std::vector<std::size_t>& joints) const;
    const tools::Registry& tools_;  // the source of the parameters for bare texts
    PromptTemplate template_;
};
}
