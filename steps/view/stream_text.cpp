// A possible beginning of a label is held back, or a model could forge an entry letter by letter.
#include "steps/view/stream_text.hpp"
#include <utility>

namespace weft::view {
namespace {
constexpr std::size_t indent_step = 4;
}

std::string StreamText::begin(std::string_view label, Colour colour, bool wanted) const {
    return std::string(sub_question_ ? indent_step : 0, ' ') + coloured(std::string(label) + " >> ", colour, wanted);
}
std::string StreamText::put(std::string_view piece) {
    told_ += piece;
    return lay_out(plain_.put(piece));
}
std::string StreamText::end() {
    auto out = lay_out(plain_.end());  // must precede release()
    out += release();
    return out += '\n';
}
std::string StreamText::lay_out(std::string_view safe) {
    std::string out;
    for (const char c : safe) {
        if (c == '\n') {
            (out += release()) += '\n';
            held_ = true;
        } else if (!held_) out += c;
        else if (line_ += c; !may_become_label(line_)) out += release();
    }
    return out;
}
std::string StreamText::release() {
    if (!std::exchange(held_, false) || line_.empty()) return {};
    auto out = std::string((sub_question_ ? 2 : 1) * indent_step, ' ') + (looks_like_label(line_) ? "| " : "") + line_;
    line_.clear();
    return out;
}
}
