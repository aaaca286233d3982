// Finds a label at the beginning of a line, such as `Action Input:` with any decoration around it, or a code fence.
// Each character is examined once.
//
//     switch (head.look(c)) { case LineHead::more: ... case LineHead::label_found: head.label(); ... }
//
// A label may be indented, quoted (>), a heading (#), an item of a list (-, 2.), numbered (Action 1, Step 2 - Action),
// bold, back-ticked or after an emoji. It may have any case and blanks of any width, and end in any character that
// looks like a colon. In brackets, as [Action], and alone in a heading it needs no colon. A byte order mark or a stray
// backslash may precede it. A label without a colon, such as PAUSE, is found at the end of its line.
#pragma once
#include "steps/agents/react/dialects/grammar.hpp"
#include <string>

namespace weft::agents::inline react_steps {
class LineHead {
public:
    enum LookResult { more, label_found, fence, text };
    explicit LineHead(std::span<const LabelWord> words) : words_(words) {}
    void begin();
    LookResult look(char c);
    /// Ends the reply.
    LookResult end();

    const std::string& seen() const { return seen_; }  // the line so far
    Label label() const { return found_->label; }
    LabelPlace where() const { return found_->where; }
    bool is_listed() const { return listed_; }  // the label may be an item of a list in a text
    int open_marks() const { return marks_; }   // marks of emphasis that are still open at the label's colon

private:
    enum class State { start, word, gap, closed };
    static constexpr int max_markup = 16;
    static constexpr std::size_t max_word = 24;
    bool is_fence() const { return ticks_ >= 3 && ticks_ == markup_; }
    LookResult look(char32_t);
    LookResult at_start(char32_t);
    LookResult in_word(char32_t);
    LookResult behind_bracket(char32_t);
    LookResult find(bool alone);
    std::span<const LabelWord> words_;
    const LabelWord* found_ = nullptr;
    State state_ = State::start;
    std::string seen_, word_;
    char32_t code_ = 0;  // the unfinished character's
    int left_ = 0;       // its bytes that are still to come
    int markup_ = 0, ticks_ = 0, marks_ = 0, gap_marks_ = 0, run_ = 0;
    bool bracket_ = false;   // the label stands in brackets
    bool number_ = false;    // the next character may end a number before the label
    bool stepped_ = false;   // the number follows the word Step
    bool numbered_ = false;  // the label has a number
    bool listed_ = false;
    bool heading_ = false;  // a Markdown heading, which needs no colon
};
}
