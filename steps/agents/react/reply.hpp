// The content of a model's reply, and a parser that reads the reply while it arrives.
//
//     auto parser = dialect.parser();
//     parser->feed(delta, on_piece);             // any number of times, with any cuts
//     Reply reply = parser->finish(on_piece);    // does not depend on the cuts
//
// An unreadable reply gives Reply::error, a sentence for the model, which must reply again. Nothing is thrown.
#pragma once
#include "steps/agents/common/inner_call.hpp"
#include <cstddef>
#include <functional>
#include <string_view>

namespace weft::agents::inline react_steps {
constexpr std::size_t max_reply = 4 << 20;  // bytes; the parser ignores the rest

enum class ReplyKind { action, answer, error };
struct Reply {
    ReplyKind kind = ReplyKind::error;
    std::string thought;
    std::string action;            // the tool's name
    std::string action_input;      // its arguments: JSON text of an object
    std::vector<InnerCall> inner;  // the calls among the arguments
    std::string written;           // the action as the model wrote it, if its dialect repeats it in prompts
    std::string note;              // a sentence for the model on the reading of the action; usually empty
    std::string answer;
    std::string error;
    std::string text;       // the whole reply, without an invented observation after it
    int ignored = 0;        // actions and answers after the first action
    bool invented = false;  // the model wrote an observation itself
    /// The reply has no labels. The first time in a row the model gets a reminder, which is no fault; the second time
    /// its thought is the answer.
    bool unlabelled = false;
};

/// Pieces are never revoked. The thought pieces together are Reply::thought, and the answer pieces are Reply::answer.
/// An action is one piece. The pieces of its input are as the model wrote them.
enum class PieceKind { thought, action, action_input, answer };
using OnPiece = std::function<void(PieceKind, std::string_view)>;

class ReplyParser {
public:
    virtual ~ReplyParser() = default;
    virtual void feed(std::string_view delta, const OnPiece& on_piece) = 0;
    virtual Reply finish(const OnPiece& on_piece) = 0;  // once, after the last feed
    /// The number of characters examined, by which tests check that the time is linear.
    virtual std::size_t examined() const = 0;
};
}
