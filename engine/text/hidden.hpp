// Hidden characters are invisible: control characters, which start escape sequences, text direction overrides,
// zero-width characters, tags, and separators that some programs treat as line breaks. Untrusted texts use them to hide
// words from people that a model reads. Joiners and selectors are also legitimate in Persian and Indic words and in
// emoji: a single one after a letter or an emoji is not hidden, several in a row are.
//
//     auto description = without_hidden(what_a_server_says);
//     if (bare(name) != name) refuse(name);
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {
/// Returns false for line breaks and tabs.
bool is_hidden(std::uint32_t code_point);
/// Reads a text character by character, and decides by the context which characters are hidden.
class HiddenFinder {
public:
    /// `ascii_joins`: whether a joiner may follow an ASCII letter, as in some German words, but also in tricks.
    explicit HiddenFinder(bool ascii_joins = true) : ascii_joins_(ascii_joins) {}
    bool is_hidden_here(std::uint32_t code_point);

private:
    enum class Before : std::uint8_t { nothing, ascii, base, selector, joiner, flag } before_ = Before::nothing;
    bool ascii_joins_;
    int tags_ = 0;  // number of tags in a flag, such as Scotland's
};
/// Removes hidden characters. Bytes that are not UTF-8 become U+FFFD.
std::string without_hidden(std::string_view text);
/// Also removes joiners and selectors: for comparisons.
std::string bare(std::string_view text);
}
