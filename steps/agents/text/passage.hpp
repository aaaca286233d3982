// The text of one part of a reply, trimmed while it arrives: what may turn out to be its trailing blanks, the rest of
// its label's emphasis, or the end of a code fence around the whole reply, is held back until more text follows.
#pragma once
#include <string>
#include <string_view>

namespace weft::agents {
/// What Markdown sets around words.
constexpr bool is_mark(char c) { return c == '*' || c == '_' || c == '`'; }

class Passage {
public:
    void put(char c);
    void put(std::string_view text);        // the same as to put each character, but faster
    void put_fence(std::string_view line);  // a line of back-ticks, with its line break
    /// The label has opened so many emphasis marks that it did not close: `**Answer: 42**`.
    void expect_marks(int n) { marks_ = n; }
    /// Text that ends the passage without being a part of it, if nothing follows.
    void put_aside(std::string_view text) {
        drop_marks();
        held_ += text;
    }
    /// From a line on that begins an object or a code fence, nothing is told: it may be no part of this after all.
    void watch_objects() { watches_ = true; }
    void tell_objects() { pinned_ = std::string::npos; }
    /// More of it comes behind another label.
    void go_on() {
        resolve_held();
        tell_objects();
        ended_ = false;
    }
    bool is_untold(std::size_t from) const { return pinned_ <= from; }
    /// Takes away what begins there.
    void cut(std::size_t end) {
        text_.resize(end);
        held_.clear();
        held_fences_ = fences_ = 0;
        trim_end();
    }
    /// A label comes next: what is held back was not text, but for a fence that closes one of this passage.
    void resolve_held();
    /// Nothing comes next.
    void end() {
        resolve_held();
        tell_objects();
        ended_ = true;
    }

    const std::string& text() const { return text_; }
    bool empty() const { return text_.empty() && held_.empty(); }
    /// What has been added since the last call, up to a whole character.
    std::string_view news();

private:
    void release(char next);
    void drop_marks();
    void trim_end();
    std::string text_, held_;
    std::string closing_;  // the first fence that is held
    std::size_t told_ = 0, pinned_ = std::string::npos;
    int marks_ = 0, fences_ = 0, held_fences_ = 0;
    bool ended_ = false, watches_ = false;
};
}
