// Watches the beginning of a line for a label, such as `Action Input:` with any Markdown around it, or for a code
// fence. One look per character.
//
//     switch (head.look(c)) { case LineHead::more: ... case LineHead::label_found: head.label(); ... }
//
// A label may be indented, quoted (>), a heading (#), bold or back-ticked, in any case, with blanks before its colon.
// A byte order mark or a stray backslash before it does not hide it.
// One that stands alone, such as PAUSE, is found with the end of its line.
#pragma once
#include "steps/agents/react/dialects/grammar.hpp"
#include <string>

namespace weft::agents {
class LineHead {
public:
    enum Verdict { more, label_found, fence, text };
    explicit LineHead(std::span<const LabelWord> words) : words_(words) {}
    void begin();
    Verdict look(char c);
    /// The reply ends here.
    Verdict end();

    const std::string& seen() const { return seen_; }  // all of the line so far
    Label label() const { return label_; }
    int open_marks() const { return marks_; }  // emphasis that the label has not closed before its colon

private:
    enum class State { markup, mark_2, mark_3, word, gap, wide_colon_2, wide_colon_3 };
    static constexpr int max_markup = 16;
    static constexpr std::size_t max_word = 24;
    bool is_fence() const { return ticks_ >= 3 && ticks_ == markup_; }
    Verdict in_word(char c);
    Verdict colon() { return find(false) ? label_found : text; }
    bool find(bool alone);
    std::span<const LabelWord> words_;
    Label label_ = Label::thought;
    State state_ = State::markup;
    std::string seen_, word_;
    int markup_ = 0, ticks_ = 0, marks_ = 0, gap_marks_ = 0;
};
}
