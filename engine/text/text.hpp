// Trims a text, makes it lower case, compares it case-insensitively, and writes or reads a list.
#pragma once
#include "engine/text/characters.hpp"
#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
inline constexpr std::string_view blanks = " \t\r\n";
constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
/// Removes these characters, without others the blanks, at the front.
inline std::string_view trimmed_front(std::string_view text, std::string_view away) {
    return text.substr(std::min(text.find_first_not_of(away), text.size()));
}
inline std::string_view trimmed_front(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
    return text;
}
/// Removes these characters, without others the blanks, at the end.
inline std::string_view trimmed_end(std::string_view text, std::string_view away) {
    return text.substr(0, text.find_last_not_of(away) + 1);  // npos + 1 is 0: nothing remains
}
inline std::string_view trimmed_end(std::string_view text) {
    while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
    return text;
}
inline std::string_view trimmed(std::string_view text, std::string_view away) {
    return trimmed_end(trimmed_front(text, away), away);
}
inline std::string_view trimmed(std::string_view text) { return trimmed_end(trimmed_front(text)); }
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
/// The elements with ", " between them; `text` makes a text of each.
template <class Range, class Text = std::identity> std::string with_commas(const Range& range, Text text = {}) {
    std::string list;
    for (const auto& each : range) (list += list.empty() ? "" : ", ") += std::invoke(text, each);
    return list;
}
/// Returns the part before the mark, the whole text without one, and removes the part and the mark from `rest`.
inline std::string_view cut_at(std::string_view& rest, char mark) {
    const auto end = std::min(rest.find(mark), rest.size());
    const auto part = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    return part;
}
/// The names in a list: "a, b" -> a and b.
inline std::vector<std::string> split_names(std::string_view list) {
    std::vector<std::string> names;
    while (!list.empty())
        if (const auto name = trimmed(cut_at(list, ','), " "); !name.empty()) names.emplace_back(name);
    return names;
}
}
