// A long text that is shown in part says so, and how long a text of so many tokens is.
#pragma once
#include "engine/text/utf8.hpp"

namespace weft::agents {
/// English has about so many; other scripts and numbers have fewer.
inline constexpr std::size_t bytes_of_token = 4;
inline constexpr std::string_view cut_mark = "... [cut]";
/// The text, if it has at most so many bytes; else what of it has room, between characters, and the mark behind it.
inline std::string cut_text(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return std::string(text);
    return std::string(utf8_cut(text, bytes)) += cut_mark;
}
}
