// Parts of a compiler's text for a type or a function: words, quotes, brackets, parameters, arguments. Includes only
// characters and quotes of engine/text.
#pragma once
#include "engine/text/characters.hpp"
#include "engine/text/quotes.hpp"
#include <cstddef>
#include <string_view>

namespace weft::core {
/// The position after the bracket that begins at `i`.
constexpr std::size_t after_bracket(std::string_view s, std::size_t i) {
    for (int depth = 0; i < s.size(); ++i) {
        const char c = s[i];
        if (c == '\'' || c == '"') i = after_quotes(s, i) - 1;
        depth += c == '(' || c == '{' || c == '<' || c == '[';
        depth -= c == ')' || c == '}' || c == '>' || c == ']';
        if (depth == 0) return i + 1;
    }
    return i;
}
// The text of T in "... [with T = ns::Name; std::string_view = ...]" (g++) or "... [T = ns::Name]" (clang).
constexpr std::string_view argument_text(std::string_view s) {
    const auto begin = s.find("= ") + 2;
    std::size_t end = begin;
    while (end < s.size() && s[end] != ';' && s[end] != ']') {
        const char c = s[end];
        if (c == '[' || c == '(' || c == '<' || c == '{') end = after_bracket(s, end);
        else if (c == '\'' || c == '"') end = after_quotes(s, end);
        else ++end;
    }
    s = s.substr(begin, end - begin);
    if (s.starts_with('&')) s.remove_prefix(1);
    return s;
}
/// The position after the last "::" outside of brackets; 0 without one.
constexpr std::size_t after_scope(std::string_view s) {
    std::size_t end = 0;
    for (std::size_t i = 0; i < s.size();) {
        const char c = s[i];
        if (s.substr(i).starts_with("::")) end = i += 2;
        else if (c == '[' || c == '(' || c == '<' || c == '{') i = after_bracket(s, i);
        else if (c == '\'' || c == '"') i = after_quotes(s, i);
        else ++i;
    }
    return end;
}
// A function's text ends with its parameters, which may contain parameters themselves.
constexpr std::string_view without_parameters(std::string_view s) {
    if (!s.ends_with(')')) return s;
    int depth = 0;
    auto p = s.size();
    do {
        --p;
        depth += (s[p] == ')') - (s[p] == '(');
    } while (depth && p > 0);
    return p == 0 ? s : s.substr(0, p);
}
/// Calls put(c) for each character of a slot's stored name: "http_count" for HttpCount and HTTPCount.
template <class Put> constexpr void put_snake_case(std::string_view type, Put put) {
    for (std::size_t i = 0; i < type.size(); ++i) {
        const bool upper = is_upper(type[i]);
        const bool after_lower = i > 0 && (is_lower(type[i - 1]) || is_digit(type[i - 1]));
        const bool before_lower = i > 0 && i + 1 < type.size() && is_lower(type[i + 1]) && is_upper(type[i - 1]);
        if (upper && (after_lower || before_lower)) put('_');
        put(upper ? char(type[i] - 'A' + 'a') : type[i]);
    }
}
/// "rank<long>" without "<long>", which clang 14 omits from a function's text.
constexpr std::string_view without_arguments(std::string_view name) {
    if (!name.ends_with('>')) return name;
    for (std::size_t i = 0; i < name.size(); ++i)
        if (name[i] == '<' && after_bracket(name, i) == name.size()) return name.substr(0, i);
    return name;
}
}
