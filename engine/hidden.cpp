// The table holds what shows nothing, turns text around or commands a terminal.
#include "engine/hidden.hpp"

namespace weft {
namespace {
struct HiddenRange {
    std::uint32_t first, last;
};
constexpr HiddenRange hidden[] = {
    {0x80, 0x9F},                            // the eight-bit controls
    {0xAD, 0xAD},       {0x34F, 0x34F},      // soft hyphen, grapheme joiner
    {0x61C, 0x61C},     {0x180B, 0x180E},    // Arabic letter mark, Mongolian selectors and vowel separator
    {0x115F, 0x1160},   {0x17B4, 0x17B5},    // fillers and vowels that show nothing
    {0x200B, 0x200F},   {0x2028, 0x202E},    // no width, direction marks; separators, embeddings, overrides
    {0x2060, 0x206F},   {0x3164, 0x3164},    // joiners, invisible operators, isolates; Hangul filler
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},    // byte order mark, half-width filler
    {0xFFF9, 0xFFFB},   {0x1D173, 0x1D17A},  // interlinear annotation, musical formatting
    {0xE0000, 0xE0FFF},                      // tags and selectors
    {0xFDD0, 0xFDEF},                        // no characters, as are the last two of every plane
};
}

bool is_hidden(std::uint32_t code) {
    if (code < 0x80) return (code < 0x20 && code != '\n' && code != '\t') || code == 0x7F;
    if ((code & 0xFFFE) == 0xFFFE) return true;
    for (const auto& range : hidden)
        if (code >= range.first && code <= range.last) return true;
    return false;
}
std::size_t decode_utf8(std::string_view text, std::uint32_t& code, bool& cut) {
    const auto byte = [text](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
    const auto first = byte(0);
    cut = false;
    const std::size_t length = first < 0x80   ? 1
                               : first < 0xC2 ? 0
                               : first < 0xE0 ? 2
                               : first < 0xF0 ? 3
                               : first < 0xF5 ? 4
                                              : 0;
    if (length < 2) return code = first, length;
    code = first & (0xFFu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i) {
        if (i == text.size()) return cut = true, 0;
        if ((byte(i) & 0xC0) != 0x80) return 0;
        const bool fits = i > 1 || ((first != 0xE0 || byte(1) >= 0xA0) && (first != 0xED || byte(1) < 0xA0) &&
                                    (first != 0xF0 || byte(1) >= 0x90) && (first != 0xF4 || byte(1) < 0x90));
        if (!fits) return 0;
        code = code << 6 | (byte(i) & 0x3F);
    }
    return length;
}
std::string without_hidden(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        std::uint32_t code = 0;
        bool cut = false;
        const auto length = decode_utf8(text, code, cut);
        if (!length) out += "\xEF\xBF\xBD";
        else if (!is_hidden(code)) out.append(text.substr(0, length));
        text.remove_prefix(length ? length : 1);
    }
    return out;
}
}
