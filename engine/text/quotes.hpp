// Finds the end of a quoted text, in which a backslash escapes the next character.
//
//     const auto end = after_quotes("\"a\\\"b\", c", 0);      // 6: the comma
#pragma once
#include <string_view>

namespace weft {
/// The position after the quoted text or character that begins at `i`.
constexpr std::size_t after_quotes(std::string_view s, std::size_t i) {
    const char quote = s[i++];
    while (i < s.size() && s[i] != quote) i += s[i] == '\\' ? 2u : 1u;
    return i < s.size() ? i + 1 : s.size();
}
}
