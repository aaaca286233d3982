// Indents the lines behind the first one of a text, so that a list of texts is still read as a list.
//
//     out += "- " + name + ": " + hanging(description, "  ") + '\n';
#pragma once
#include "engine/text/text.hpp"

namespace weft {
/// With this before each line but the first one, and before none that is blank.
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
