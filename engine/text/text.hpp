// Trims a text, makes it lower case, or compares it case-insensitively.
#pragma once
#include "engine/text/characters.hpp"
#include <algorithm>
#include <string>
#include <string_view>

namespace weft {
inline constexpr std::string_view blanks = " \t\r\n";
constexpr bool is_blank(char c) { return blanks.find(c) != blanks.npos; }
/// Removes these characters at the front.
inline std::string_view trimmed_front(std::string_view text, std::string_view away = blanks) {
    return text.substr(std::min(text.find_first_not_of(away), text.size()));
}
/// Removes these characters at the end.
inline std::string_view trimmed_end(std::string_view text, std::string_view away = blanks) {
    return text.substr(0, text.find_last_not_of(away) + 1);  // npos + 1 is 0: nothing remains
}
inline std::string_view trimmed(std::string_view text, std::string_view away = blanks) {
    return trimmed_end(trimmed_front(text, away), away);
}
inline bool is_blank(std::string_view text) { return trimmed(text).empty(); }
/// ASCII only, independent of the locale, like names in protocols, SQL and HTML.
constexpr char lower(char c) { return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c; }
inline std::string lower(std::string_view text) {
    std::string small(text);
    for (char& c : small) c = lower(c);
    return small;
}
inline bool equal_ignoring_case(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) { return lower(x) == lower(y); });
}
}
