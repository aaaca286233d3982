// A line that is too long frees its memory at once, because a child determines the number of such lines.
#include "engine/process/line_splitter.hpp"
#include <algorithm>
#include <utility>

namespace weft::process {
static std::size_t size_of(const SplitLine& line) {
    return sizeof line + line.text.size() + line.begin.size() + line.end.size();
}

void LineSplitter::feed(std::string_view bytes) {
    for (;;) {
        const auto end = bytes.find('\n');
        add(bytes.substr(0, end));
        if (end == bytes.npos) return;
        end_line();
        bytes.remove_prefix(end + 1);
    }
}
void LineSplitter::add(std::string_view piece) {
    if (left_out_ == 0 && piece.size() <= longest_ - begun_.size()) {
        begun_ += piece;
        return;
    }
    if (left_out_ == 0) {
        begin_ = begun_.substr(0, SplitLine::of_left_out);
        begin_ += piece.substr(0, SplitLine::of_left_out - begin_.size());
        end_ = begun_.substr(begun_.size() - std::min(begun_.size(), SplitLine::of_left_out));
        left_out_ = begun_.size();
        begun_ = {};
    }
    left_out_ += piece.size();
    end_ += piece.substr(piece.size() - std::min(piece.size(), SplitLine::of_left_out));
    end_.erase(0, end_.size() - std::min(end_.size(), SplitLine::of_left_out));
}
void LineSplitter::end_line() {
    SplitLine line;
    std::swap(line.text, begun_);
    std::swap(line.left_out, left_out_);
    std::swap(line.begin, begin_);
    std::swap(line.end, end_);
    if (line.text.ends_with('\r')) line.text.pop_back();
    waiting_ += size_of(line);
    lines_.push_back(std::move(line));
}
void LineSplitter::finish() {
    if (!begun_.empty() || left_out_ > 0) end_line();
}
std::optional<SplitLine> LineSplitter::take() {
    if (lines_.empty()) return std::nullopt;
    auto line = std::move(lines_.front());
    lines_.pop_front();
    waiting_ -= size_of(line);
    return line;
}
}
