// What a model's reply says, and a parser that reads it while it arrives.
//
//     auto parser = dialect.parser();
//     parser->feed(delta, on_piece);             // any number of times, cut anywhere
//     Reply reply = parser->finish(on_piece);    // the same for any cuts
//
// A reply that cannot be read is Reply{error}: a sentence for the model, which is asked again. Nothing is thrown.
#pragma once
#include "steps/agents/common/inner_call.hpp"
#include <cstddef>
#include <functional>
#include <string_view>

namespace weft::agents::inline react_steps {
constexpr std::size_t max_reply = 4 << 20;  // bytes; what comes after them is not looked at

enum class ReplyKind { action, answer, error };
struct Reply {
    ReplyKind kind = ReplyKind::error;
    std::string thought;
    std::string action;            // the tool's name
    std::string action_input;      // its arguments: JSON text of an object
    std::vector<InnerCall> inner;  // the calls among them
    std::string written;           // the action as the model wrote it, if its dialect shows it so again
    std::string note;  // of an action: what the model is told about how it was read, in a sentence; mostly nothing
    std::string answer;
    std::string error;
    std::string text;       // the reply itself, without an invented observation after it
    int ignored = 0;        // actions and answers after the first action
    bool invented = false;  // the model wrote an observation itself
    /// An error that costs nothing the first time: the model is reminded of the labels. The next time in a row the
    /// thought is taken for the answer.
    bool unlabelled = false;
};

/// Pieces are never taken back. Those of thought together are Reply::thought, and those of answer are Reply::answer; an
/// action comes as one piece; its input comes as the model wrote it.
enum class PieceKind { thought, action, action_input, answer };
using OnPiece = std::function<void(PieceKind, std::string_view)>;

class ReplyParser {
public:
    virtual ~ReplyParser() = default;
    virtual void feed(std::string_view delta, const OnPiece& on_piece) = 0;
    virtual Reply finish(const OnPiece& on_piece) = 0;  // once, after the last feed
    /// Characters looked at, so that a test can show that the work is linear.
    virtual std::size_t examined() const = 0;
};
}
