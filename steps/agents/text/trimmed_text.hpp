// The text of one part of a reply, trimmed while it arrives. Possible trailing blanks, the rest of its label's
// emphasis, and a possible end of a code fence around the whole reply are held back until more text follows.
#pragma once
#include <string>
#include <string_view>

namespace weft::agents {
/// True for a character that Markdown puts around words.
constexpr bool is_mark(char c) { return c == '*' || c == '_' || c == '`'; }

class TrimmedText {
public:
    void put(char c);
    void put(std::string_view text);        // puts each character, but faster
    void put_fence(std::string_view line);  // a line of back-ticks, with its line break
    /// Sets the number of emphasis marks that the label left open: `**Answer: 42**`.
    void expect_marks(int n) { marks_ = n; }
    /// Puts text that is not part of the passage if it is the last.
    void put_aside(std::string_view text) {
        drop_marks();
        held_ += text;
    }
    /// Holds back news from a line on that begins an object or a code fence, which may not be part of the passage.
    void watch_objects() { watches_ = true; }
    void tell_objects() { pinned_ = std::string::npos; }
    /// Continues the passage after another label.
    void go_on() {
        resolve_held();
        tell_objects();
        ended_ = false;
    }
    bool is_untold(std::size_t from) const { return pinned_ <= from; }
    /// Cuts the text at `end`.
    void cut(std::size_t end) {
        text_.resize(end);
        held_.clear();
        held_fences_ = fences_ = 0;
        trim_end();
    }
    /// Drops the held text before a label, except for a fence that closes one of this passage.
    void resolve_held();
    /// Ends the passage.
    void end() {
        resolve_held();
        tell_objects();
        ended_ = true;
    }

    const std::string& text() const { return text_; }
    bool empty() const { return text_.empty() && held_.empty(); }
    /// The text added since the last call, up to a whole character.
    std::string_view news();

private:
    void release(char next);
    void drop_marks();
    void trim_end();
    std::string text_, held_;
    std::string closing_;  // the first held fence
    std::size_t told_ = 0, pinned_ = std::string::npos;
    int marks_ = 0, fences_ = 0, held_fences_ = 0;
    bool ended_ = false, watches_ = false;
};
}
