#include "engine/utf8.hpp"

namespace weft {
namespace {
// The length of the character at the start, 0 if there is none.
std::size_t character(std::string_view s) noexcept {
    auto byte = [&](std::size_t i) { return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u; };
    auto tail = [&](std::size_t i) { return (byte(i) & 0xC0u) == 0x80u; };
    auto a = byte(0), b = byte(1);
    if (a < 0x80) return 1;
    if (a < 0xC2) return 0;
    if (a < 0xE0) return tail(1) ? 2 : 0;
    if (a < 0xF0) {
        bool fits = (a != 0xE0 || b >= 0xA0) && (a != 0xED || b < 0xA0);
        return fits && tail(1) && tail(2) ? 3 : 0;
    }
    if (a > 0xF4) return 0;
    bool fits = (a != 0xF0 || b >= 0x90) && (a != 0xF4 || b < 0x90);
    return fits && tail(1) && tail(2) && tail(3) ? 4 : 0;
}
}

std::size_t utf8_prefix(std::string_view text) noexcept {
    std::size_t at = 0;
    while (at < text.size()) {
        auto n = character(text.substr(at));
        if (!n) break;
        at += n;
    }
    return at;
}
std::string repair_utf8(std::string_view text) {
    std::string good;
    good.reserve(text.size());
    for (;;) {
        auto n = utf8_prefix(text);
        good += text.substr(0, n);
        if (n == text.size()) return good;
        good += "\xEF\xBF\xBD";
        text.remove_prefix(n + 1);
    }
}
std::string_view utf8_cut(std::string_view text, std::size_t bytes) noexcept {
    if (text.size() <= bytes) return text;
    auto back = bytes;
    while (back > 0 && bytes - back < 3 && (static_cast<unsigned char>(text[back]) & 0xC0u) == 0x80u) --back;
    return text.substr(0, back);
}
}
