// Classes of ASCII characters, independent of the locale; other bytes belong to none of them.
//
//     if (std::ranges::all_of(name, [](char c) { return is_word_part(c) || c == '-'; })) use(name);
//
// The functions accept bytes and code points.
#pragma once

namespace weft {
/// A byte or a code point; its conversion is explicit, so programs with -Wsign-conversion get no warning.
struct Character {
    template <class C> constexpr Character(C c) : code(static_cast<char32_t>(c)) {}
    char32_t code;
};
constexpr bool is_digit(Character c) { return c.code >= '0' && c.code <= '9'; }
constexpr bool is_lower(Character c) { return c.code >= 'a' && c.code <= 'z'; }
constexpr bool is_upper(Character c) { return c.code >= 'A' && c.code <= 'Z'; }
constexpr bool is_letter(Character c) { return is_lower(c) || is_upper(c); }
constexpr bool is_letter_or_digit(Character c) { return is_letter(c) || is_digit(c); }
constexpr bool is_word_part(Character c) { return is_letter_or_digit(c) || c.code == '_'; }
/// The value of a hexadecimal digit; -1 for another character.
constexpr int hex_value(Character c) {
    const auto small = c.code | 0x20;
    return is_digit(c) ? int(c.code - '0') : small >= 'a' && small <= 'f' ? int(small - 'a' + 10) : -1;
}
constexpr bool is_hex_digit(Character c) { return hex_value(c) >= 0; }
}
