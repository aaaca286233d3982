// The search for line breaks works on bytes, because none of these sequences is a part of another character.
#include "steps/agents/text/marked_lines.hpp"

namespace weft::agents {
namespace {
/// The length of the line break at the start; 0 if there is none.
std::size_t line_break(std::string_view text) {
    for (const std::string_view known : {"\r\n", "\n", "\r", "\v", "\f", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"})
        if (text.starts_with(known)) return known.size();
    return 0;
}
}

std::string marked_lines(std::string_view text, std::string_view mark) {
    std::string marked;
    while (!text.empty()) {
        const auto length = line_break(text);
        if (length) (marked += '\n') += mark;
        else marked += text.front();
        text.remove_prefix(length ? length : 1);
    }
    return marked;
}
}
