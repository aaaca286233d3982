// A line that is too long gives its memory back at once, since a child decides how many of them there are.
#include "engine/process/lines.hpp"
#include <utility>

namespace weft::process {
void Lines::feed(std::string_view bytes) {
    for (;;) {
        const auto end = bytes.find('\n');
        add(bytes.substr(0, end));
        if (end == bytes.npos) return;
        end_line();
        bytes.remove_prefix(end + 1);
    }
}
void Lines::add(std::string_view piece) {
    if (left_out_ > 0) {
        left_out_ += piece.size();
    } else if (piece.size() > longest_ - begun_.size()) {
        left_out_ = begun_.size() + piece.size();
        begun_ = {};
    } else {
        begun_ += piece;
    }
}
void Lines::end_line() {
    if (begun_.ends_with('\r')) begun_.pop_back();
    Line line{std::move(begun_), std::exchange(left_out_, 0)};
    begun_ = {};
    waiting_ += line.text.size() + sizeof line;
    lines_.push_back(std::move(line));
}
void Lines::finish() {
    if (!begun_.empty() || left_out_ > 0) end_line();
}
std::optional<Line> Lines::take() {
    if (lines_.empty()) return std::nullopt;
    auto line = std::move(lines_.front());
    lines_.pop_front();
    waiting_ -= line.text.size() + sizeof line;
    return line;
}
}
