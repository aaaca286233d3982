// The table lists characters that are invisible, change the text direction or command a terminal: all of Unicode's
// Default_Ignorable_Code_Point, and more.
#include "engine/text/hidden.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"

namespace weft {
namespace {
struct HiddenRange {
    std::uint32_t first, last;
};
constexpr HiddenRange hidden[] = {
    {0x80, 0x9F},                            // eight-bit controls
    {0xAD, 0xAD},       {0x34F, 0x34F},      // soft hyphen, grapheme joiner
    {0x61C, 0x61C},     {0x180B, 0x180F},    // Arabic letter mark, Mongolian selectors and vowel separator
    {0x115F, 0x1160},   {0x17B4, 0x17B5},    // invisible fillers and vowels
    {0x200B, 0x200F},   {0x2028, 0x202E},    // zero width, direction marks; separators, embeddings, overrides
    {0x2060, 0x206F},   {0x3164, 0x3164},    // joiners, invisible operators, isolates; Hangul filler
    {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},    // variation selectors, byte order mark
    {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},    // half-width filler; unassigned, interlinear annotation
    {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},  // shorthand and musical formatting
    {0xE0000, 0xE0FFF},                      // tags and selectors
    {0xFDD0, 0xFDEF},                        // noncharacters, like the last two of every plane
};
}

bool is_hidden(std::uint32_t code) {
    if (code < 0x80) return (code < 0x20 && code != '\n' && code != '\t') || code == 0x7F;
    if ((code & 0xFFFE) == 0xFFFE) return true;
    for (const auto& range : hidden)
        if (code >= range.first && code <= range.last) return true;
    return false;
}
namespace {
/// Roughly a letter, a mark on a letter, a digit or an emoji: no punctuation and no blank.
bool carries(std::uint32_t code) {
    if (code < 0x80) return is_letter_or_digit(code) || code == '#' || code == '*';
    return code >= 0xA9 && code != 0x3000 && !(code >= 0x2000 && code <= 0x206F) && !is_hidden(code);
}
bool selects(std::uint32_t code) {
    return (code >= 0xFE00 && code <= 0xFE0F) || (code >= 0xE0100 && code <= 0xE01EF) || code == 0x34F ||
           (code >= 0x180B && code <= 0x180F && code != 0x180E);
}
template <class Hides> std::string without(std::string_view text, Hides hides) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        std::uint32_t code = 0;
        bool cut = false;
        const auto length = decode_utf8(text, code, cut);
        if (!length) out += "\xEF\xBF\xBD";
        else if (!hides(code)) out.append(text.substr(0, length));
        text.remove_prefix(length ? length : 1);
    }
    return out;
}
}

bool HiddenFinder::is_hidden_here(std::uint32_t code) {
    constexpr std::uint32_t black_flag = 0x1F3F4, last_tag = 0xE007F;
    constexpr int most_tags = 6;
    const auto before = before_;
    const bool is_base = before == Before::ascii || before == Before::base || before == Before::flag;
    const bool joins = before == Before::selector || (is_base && (ascii_joins_ || before != Before::ascii));
    if (selects(code) && is_base) before_ = Before::selector;
    else if ((code == 0x200C || code == 0x200D) && joins) before_ = Before::joiner;
    else if (code >= 0xE0020 && code < last_tag && before == Before::flag && tags_ < most_tags) ++tags_;
    else if (code == last_tag && before == Before::flag && tags_ > 0) before_ = Before::base;
    else {
        before_ = code == black_flag ? Before::flag
                  : !carries(code)   ? Before::nothing
                  : code < 0x80      ? Before::ascii
                                     : Before::base;
        tags_ = 0;
        return is_hidden(code);
    }
    return false;
}
std::string without_hidden(std::string_view text) {
    HiddenFinder finder;
    return without(text, [&finder](std::uint32_t code) { return finder.is_hidden_here(code); });
}
std::string bare(std::string_view text) { return without(text, is_hidden); }
}
