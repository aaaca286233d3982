// A dialect is how the react agent talks with a model: the prompt, and the parser of the replies. The steps know
// neither.
//
//     class Terse final : public Dialect { ... };
//     auto agent = react.with(model, terse, memory, tools, options);
//
// A dialect is a resource: it keeps no state of a run. parser() makes a new one for every reply.
#pragma once
#include "steps/agents/common/reasoning.hpp"
#include "steps/agents/react/reply.hpp"
#include "steps/agents/text/prompt_template.hpp"
#include "steps/models/chat_model.hpp"
#include "tools/registry.hpp"
#include <memory>

namespace weft::agents::inline react_steps {
/// All that a prompt may be made of.
struct Situation {
    const Conversation& conversation;
    const CurrentReasoning& reasoning;
    const tools::Registry& tools;
    std::string_view system;  // the users' addition
    int step = 1, max_steps = 1;
    bool closing = false;    // ask for an answer, for no tool runs any more
    std::string_view limit;  // then: why, as Progress names it
};

class Dialect {
public:
    virtual ~Dialect() = default;
    virtual std::string_view name() const = 0;
    virtual std::vector<models::Message> prompt(const Situation&) const = 0;
    virtual std::vector<std::string> stop() const = 0;  // a reply ends before any of these
    virtual std::unique_ptr<ReplyParser> parser() const = 0;
    /// One that knows the tools, if replies of this dialect are read the better for it. They outlive the parser.
    virtual std::unique_ptr<ReplyParser> parser_for(const tools::Registry&) const { return parser(); }
    // For whoever wants to see how it is made (steps/agents/react/describe.hpp):
    virtual const PromptTemplate* prompt_template() const { return nullptr; }  // if prompts are made of one
    virtual std::string_view reply_form() const { return {}; }                 // how a reply may look, in a few lines
};
}
