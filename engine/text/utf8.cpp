// Most text is ASCII: the code skips it eight bytes at a time and checks only the rest by the Unicode table.
#include "engine/text/utf8.hpp"
#include "engine/text/hidden.hpp"
#include <cstdint>
#include <cstring>

namespace weft {
namespace {
struct Sequence {
    std::size_t length;  // length of the code point or the ill-formed part: at least 1
    char32_t point;      // `bad` for an ill-formed part
    bool cut = false;    // more bytes could complete a code point
};
constexpr char32_t bad = 0xFFFFFFFF;

// The length of the ASCII prefix, which is most of a typical text. Reads eight bytes at a time.
std::size_t ascii_prefix(std::string_view text) noexcept {
    std::size_t at = 0;
    for (std::uint64_t word; text.size() - at >= sizeof word; at += sizeof word) {
        std::memcpy(&word, text.data() + at, sizeof word);
        if (word & 0x8080808080808080) break;
    }
    while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
    return at;
}
// The first sequence of a nonempty text, by the Unicode standard's table of well-formed sequences.
Sequence first_sequence(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char lead = byte(0);
    if (lead < 0x80) return {1, lead};
    if (lead < 0xC2 || lead > 0xF4) return {1, bad};
    const std::size_t length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    char32_t point = lead & (0xFF >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        unsigned char low = 0x80, high = 0xBF;
        if (i == 1) {  // no overlong forms, no surrogates, nothing beyond U+10FFFF
            if (lead == 0xE0) low = 0xA0;
            if (lead == 0xED) high = 0x9F;
            if (lead == 0xF0) low = 0x90;
            if (lead == 0xF4) high = 0x8F;
        }
        if (i >= text.size()) return {i, bad, true};
        if (byte(i) < low || byte(i) > high) return {i, bad};
        point = point << 6 | (byte(i) & 0x3F);
    }
    return {length, point};
}
bool is_blank(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == 0x85 || c == 0x2028 || c == 0x2029; }
}

std::size_t utf8_prefix(std::string_view text) noexcept {
    auto at = ascii_prefix(text);
    while (at < text.size()) {
        if (static_cast<unsigned char>(text[at]) < 0x80) {
            at += ascii_prefix(text.substr(at));
            continue;
        }
        const auto sequence = first_sequence(text.substr(at));
        if (sequence.point == bad) break;
        at += sequence.length;
    }
    return at;
}
std::size_t decode_utf8(std::string_view text, std::uint32_t& code, bool& cut) noexcept {
    const auto sequence = first_sequence(text);
    cut = sequence.cut;
    code = sequence.point;
    return sequence.point == bad ? 0 : sequence.length;
}
void append_utf8(std::string& text, char32_t code) {
    const auto put = [&text](char32_t byte) { text += static_cast<char>(byte); };
    const auto put_rest = [&](int shift) { put(0x80 | (code >> shift & 0x3F)); };
    if (code < 0x80) return put(code);
    if (code < 0x800) put(0xC0 | code >> 6);
    else if (code < 0x10000) put(0xE0 | code >> 12), put_rest(6);
    else put(0xF0 | code >> 18), put_rest(12), put_rest(6);
    put_rest(0);
}
std::string repair_utf8(std::string_view text) {
    std::string good;
    good.reserve(text.size());
    for (;;) {
        const auto n = utf8_prefix(text);
        good += text.substr(0, n);
        if (n == text.size()) return good;
        good += "\xEF\xBF\xBD";
        text.remove_prefix(n);
        text.remove_prefix(first_sequence(text).length);
    }
}
std::string_view utf8_cut(std::string_view text, std::size_t bytes) noexcept {
    if (text.size() <= bytes) return text;
    auto back = bytes;
    while (back > 0 && bytes - back < 3 && (static_cast<unsigned char>(text[back]) & 0xC0u) == 0x80u) --back;
    return text.substr(0, back);
}
std::string excerpt(std::string_view bytes, std::size_t limit) {
    std::string shown;
    bool gap = false;
    HiddenFinder finder;
    for (std::size_t at = 0; at < bytes.size();) {
        const auto rest = bytes.substr(at);
        const auto sequence = first_sequence(rest);
        at += sequence.length;
        if (sequence.point == bad || is_blank(sequence.point) || finder.is_hidden_here(sequence.point)) {
            gap = true;
            continue;
        }
        const bool blank = gap && !shown.empty();
        if (shown.size() + sequence.length + blank > limit) return shown + "...";
        if (blank) shown += ' ';
        gap = false;
        shown += rest.substr(0, sequence.length);
    }
    return shown;
}
}
