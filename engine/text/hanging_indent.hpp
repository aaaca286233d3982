// Indents all lines of a text but the first, so that a list of texts still reads as a list, and no line of a text looks
// like another entry.
//
//     out += "- " + name + ": " + hanging(description, "  ") + '\n';
#pragma once
#include "engine/text/text.hpp"

namespace weft {
/// Adds the indent before each line but the first one; not before blank lines.
inline std::string hanging(std::string_view text, std::string_view indent) {
    std::string out;
    for (bool first = true;; first = false) {
        const auto end = std::min(text.find('\n'), text.size());
        if (!first && !is_blank(text.substr(0, end))) out += indent;
        out += text.substr(0, end);
        if (end == text.size()) return out;
        out += '\n';
        text.remove_prefix(end + 1);
    }
}
/// Adds the margin after each line break, also before blank lines.
inline std::string with_margin(std::string_view text, std::string_view margin) {
    std::string out;
    for (;;) {
        const auto end = text.find('\n');
        out += text.substr(0, end);
        if (end == text.npos) return out;
        (out += '\n') += margin;
        text.remove_prefix(end + 1);
    }
}
}
