// Splits bytes in any pieces into lines, and drops lines that are too long.
//
//     process::LineSplitter lines(16 << 20);
//     lines.feed("as it came");
//     while (auto line = lines.take())
//         if (line->left_out == 0) std::cout << line->text;
//     lines.finish();                           // then take() again: the last line may lack its line break
//
// Removes the CR of a CRLF. A line above the bound keeps only its length, and a little of its beginning and end, which
// may tell its subject.
#pragma once
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace weft::process {
struct SplitLine {
    std::string text;
    std::size_t left_out = 0;  // length of a line above the bound, whose text is empty
    std::string begin, end;    // parts of such a line, at most `of_left_out` bytes each
    static constexpr std::size_t of_left_out = 256;
};
class LineSplitter {
public:
    explicit LineSplitter(std::size_t longest) : longest_(longest) {}
    void feed(std::string_view bytes);
    void finish();
    std::optional<SplitLine> take();
    void drop() { lines_.clear(), waiting_ = 0; }  // drops all complete lines
    bool empty() const { return lines_.empty(); }
    std::size_t waiting() const { return waiting_; }  // approximate memory of the complete lines

private:
    void add(std::string_view piece);
    void end_line();
    std::size_t longest_;
    std::deque<SplitLine> lines_;
    std::string begun_, begin_, end_;
    std::size_t left_out_ = 0, waiting_ = 0;
};
}
