// Splits bytes that arrive in any pieces into lines, and leaves out those that are too long.
//
//     process::Lines lines(16 << 20);
//     lines.feed("as it came");
//     while (auto line = lines.take())
//         if (line->left_out == 0) std::cout << line->text;
//     lines.finish();                           // then take() again: the last line may lack its end
//
// The CR of a CRLF belongs to the end of the line. Of a line past the bound, only its length is kept, and a little
// of its begin and its end, which may say what it was about.
#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace weft::process {
struct Line {
    std::string text;
    std::size_t left_out = 0;  // how long a line is that was too long; then there is no text
    std::string begin, end;    // of such a line, at most `of_left_out` bytes each
    static constexpr std::size_t of_left_out = 256;
};
class Lines {
public:
    explicit Lines(std::size_t longest) : longest_(longest) {}
    void feed(std::string_view bytes);
    void finish();
    std::optional<Line> take();
    void drop() { lines_.clear(), waiting_ = 0; }  // all that could be taken
    bool empty() const { return lines_.empty(); }
    std::size_t waiting() const { return waiting_; }  // about how much memory lines take that could be taken

private:
    void add(std::string_view piece);
    void end_line();
    std::size_t longest_;
    std::deque<Line> lines_;
    std::string begun_, begin_, end_;
    std::size_t left_out_ = 0, waiting_ = 0;
};
}
