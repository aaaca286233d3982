// Indents all lines of a text but the first, so that a list of texts still reads as a list.
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
}
