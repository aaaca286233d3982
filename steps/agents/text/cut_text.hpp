// Cuts long texts, with a mark, and relates bytes to tokens.
#pragma once
#include "engine/text/utf8.hpp"

namespace weft::agents {
/// English has about this many; other scripts and numbers have fewer.
inline constexpr std::size_t bytes_of_token = 4;
inline constexpr std::string_view cut_mark = "... [cut]";
/// The text, if it has at most `bytes`; else its beginning, cut between characters, with the mark after it.
inline std::string cut_text(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return std::string(text);
    return std::string(utf8_cut(text, bytes)) += cut_mark;
}
}
