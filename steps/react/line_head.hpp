// Watches the beginning of a line for a label, `Action Input:` in any dress, or for a code fence. One look per
// character.
//
//     switch (head.look(c)) { case LineHead::more: ... case LineHead::label: head.word(); ... }
//
// A label may be indented, quoted (>), a heading (#), bold or back-ticked, in any case, with blanks before its colon.
#pragma once
#include <string>
#include <string_view>

namespace weft::steps {
class LineHead {
public:
    enum Verdict { more, label, fence, text };
    void begin();
    Verdict look(char c);
    /// The reply ends here.
    Verdict end() const { return is_fence() ? fence : text; }

    const std::string& seen() const { return seen_; }  // all of the line so far
    const std::string& word() const { return word_; }  // of a label: lower case, one blank between two words
    int open_marks() const { return marks_; }          // emphasis that the label has not closed before its colon

private:
    enum class State { dress, word, gap, wide_colon_2, wide_colon_3 };
    static constexpr int max_dress = 16;
    static constexpr std::size_t max_word = 24;
    bool is_fence() const { return ticks_ >= 3 && ticks_ == dress_; }
    Verdict in_word(char c);
    Verdict colon() const;
    State state_ = State::dress;
    std::string seen_, word_;
    int dress_ = 0, ticks_ = 0, marks_ = 0, gap_marks_ = 0;
};
}
