// Takes <think> blocks off the beginning of a reply: a model that reasons before it replies may send them as text. What
// stands in a block is neither action nor answer, whatever labels are in it. One look per character.
//
//     switch (think.look(c)) { case ThinkBlock::taken: ... case ThinkBlock::past: ... think.seen() ... }
//
// Blanks and byte order marks may stand before a block and after it. A block that never closes takes the rest of the
// reply.
#pragma once
#include "steps/agents/common/passage.hpp"

namespace weft::agents {
class ThinkBlock {
public:
    enum Verdict { taken, past };
    /// At `past` the caller reads seen(), which has c at its end, and all that follows, and does not call this again.
    Verdict look(char c);
    /// The reply ends here.
    void end();

    std::string_view seen() const { return seen_; }  // what was no block after all
    bool any() const { return any_; }
    bool open() const { return state_ == State::inside; }
    const std::string& text() const { return text_.text(); }
    std::string_view news() { return text_.news(); }  // what has been added to the text since the last call

private:
    enum class State { outside, inside, past };
    Verdict look_outside(char c);
    void look_inside(char c);
    State state_ = State::outside;
    std::string seen_;  // a tag that has begun
    Passage text_;      // of all blocks
    bool any_ = false;
};
/// What follows the blocks at the beginning of a whole reply; empty if one of them never closes.
std::string_view after_think_blocks(std::string_view reply);
}
