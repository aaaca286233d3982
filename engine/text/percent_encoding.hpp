// Encodes a text for a part of a URL.
//
//     const std::string path = "/handlers/" + percent_encoded("r 1");
//
// net::percent_decoded (engine/net/url.hpp) decodes it.
#pragma once
#include "engine/text/characters.hpp"
#include <string>
#include <string_view>

namespace weft {
/// Writes %XX for each byte except letters, digits, "-._~" (RFC 3986, 2.3) and the characters of `also_plain`.
inline std::string percent_encoded(std::string_view text, std::string_view also_plain = {}) {
    constexpr std::string_view digits = "0123456789ABCDEF", marks = "-._~";
    std::string encoded;
    for (const char c : text) {
        const bool is_plain = is_letter_or_digit(c) || marks.find(c) != marks.npos ||
                              also_plain.find(c) != also_plain.npos;
        const auto byte = static_cast<unsigned char>(c);
        if (is_plain) encoded += c;
        else ((encoded += '%') += digits[byte >> 4]) += digits[byte & 15];
    }
    return encoded;
}
}
