// The decoder ignores the unused bits before the padding, as OpenSSL does.
#include "engine/text/base64.hpp"
#include "engine/text/characters.hpp"
#include <algorithm>

namespace weft {
namespace {
constexpr std::string_view base64_letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr unsigned base64_value(char c) {
    return unsigned(is_upper(c)   ? c - 'A'
                    : is_lower(c) ? c - 'a' + 26
                    : is_digit(c) ? c - '0' + 52
                    : c == '+'    ? 62
                                  : 63);
}
}

std::string base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned group = 0;
        for (std::size_t k = 0; k < 3; ++k)
            group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k <= bytes.size() ? base64_letters[group >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}
bool is_base64(std::string_view text) noexcept {
    const auto letters = text.substr(0, text.find_last_not_of('=') + 1);
    return text.size() % 4 == 0 && text.size() - letters.size() <= 2 &&
           std::ranges::all_of(letters, [](char c) { return is_letter_or_digit(c) || c == '+' || c == '/'; });
}
std::optional<std::string> from_base64(std::string_view text) {
    if (!is_base64(text)) return {};
    const auto letters = text.substr(0, text.find_last_not_of('=') + 1);
    std::string bytes;
    bytes.reserve(letters.size() / 4 * 3 + 2);
    unsigned group = 0, bits = 0;
    for (const char c : letters) {
        group = group << 6 | base64_value(c);
        if ((bits += 6) >= 8) bytes += static_cast<char>(group >> (bits -= 8));
    }
    return bytes;
}
}
