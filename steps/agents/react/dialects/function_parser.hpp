// The parser of the `function-call` dialect: a JSON object with a call in it, bare or in triple back-ticks.
//
//     {"thought": "what the model thinks, optional", "action": "multiply(a=465, b=321)"}
//
// The first object with a readable action (steps/agents/react/dialects/call_expression.hpp) is the reply; text around
// it is allowed. An action in the form of another framework (steps/agents/react/dialects/json_action.hpp) counts, too.
// Further actions are ignored and counted; other text after an action is ignored with a note. finish(answer) is the
// answer: a text unchanged, any other value as JSON. A line outside of the objects that begins with Observation: ends
// the reply, because only tools make observations. The parser reads the reply at its end, because a better object may
// come until then, and streams its pieces there. Linear, at most 4 MB.
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
    /// Rates an object from 0, unlike a reply, to 3, a reply. Reply::error has the fault.
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
