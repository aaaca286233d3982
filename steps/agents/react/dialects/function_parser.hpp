// The parser of the `function-call` dialect: a JSON object with a call in it, bare or in triple back-ticks.
//
//     {"thought": "what the model thinks, optional", "action": "multiply(a=465, b=321)"}
//
// The first object whose action can be read (steps/agents/react/dialects/call_expression.hpp) is the reply, whatever is
// said around it; an action in the form of another framework (steps/agents/react/dialects/json_action.hpp) is one, too;
// further ones are ignored and counted; other text behind an action is ignored with a note.
// finish(answer) is the answer: text as it is, any other value as JSON. A line outside of the objects that begins with
// Observation: ends the reply, for only tools make observations. A reply is read, and told, when it has ended: until
// then a better object may come. Linear, at most 4 MB.
#pragma once
#include "steps/agents/react/dialects/call_expression.hpp"
#include "steps/agents/react/reply.hpp"

namespace weft::agents::inline react_steps {
class FunctionParser final : public ReplyParser {
public:
    explicit FunctionParser(ParametersOf parameters) : parameters_(std::move(parameters)) {}
    void feed(std::string_view delta, const OnPiece& on_piece = {}) override;
    Reply finish(const OnPiece& on_piece = {}) override;
    std::size_t examined() const override { return examined_; }

private:
    Reply read(std::string_view text);
    /// How near to a reply it is: 3 is one, 0 has nothing of it. What is wrong stands in its error.
    int read_object(const std::string& json, Reply&);
    void read_action(std::string_view action, Reply&);
    void read_other_form(const std::string& json, Reply&);
    static void read_answer(const CallExpression& call, Reply&);
    std::size_t observation(std::string_view text, std::size_t begin, std::size_t end);

    const ParametersOf parameters_;
    std::string kept_;
    std::size_t fed_ = 0, examined_ = 0;
    bool too_long_ = false;
};
}
