// A dialect is the form in which the react agent talks with a model: the prompt, and the parser of the replies. The
// steps do not depend on it.
//
//     class Terse final : public Dialect { ... };
//     auto agent = react.with(model, terse, memory, tools, options);
//
// A dialect is a resource: it keeps no state of a run. parser() makes a new one for every reply.
#pragma once
#include "steps/agents/common/reasoning.hpp"
#include "steps/agents/react/reply.hpp"
#include "steps/agents/text/prompt_template.hpp"
#include "tools/registry.hpp"
#include <memory>

namespace weft::agents::inline react_steps {
/// The data for a prompt.
struct PromptInput {
    const Conversation& conversation;
    const CurrentReasoning& reasoning;
    const tools::Registry& tools;
    std::string_view system;  // the users' addition
    int step = 1, max_steps = 1;
    bool closing = false;    // no more tool runs: ask for an answer
    std::string_view limit;  // the cause of closing: Progress::limit
};
using Situation [[deprecated("its name is PromptInput")]] = PromptInput;

class Dialect {
public:
    virtual ~Dialect() = default;
    virtual std::string_view name() const = 0;
    virtual std::vector<models::Message> prompt(const PromptInput&) const = 0;
    virtual std::vector<std::string> stop() const = 0;  // texts before which a reply ends
    virtual std::unique_ptr<ReplyParser> parser() const = 0;
    /// A parser that uses the tools, if that improves the parsing. The tools must outlive the parser.
    virtual std::unique_ptr<ReplyParser> parser_for(const tools::Registry&) const { return parser(); }
    // For a description of the agent (steps/agents/react/describe.hpp):
    virtual const PromptTemplate* prompt_template() const { return nullptr; }  // null: prompts have no template
    virtual std::string_view reply_form() const { return {}; }                 // the form of a reply, in a few lines
};
}
