// Characters that show nothing: control characters, which escape sequences begin with, text direction overrides, what
// has no width, tags, separators that some programs treat as line breaks. Texts of strangers hide in them what people
// do not see and a model reads. Joiners and selectors are letters of Persian and Indic words and parts of emoji: one
// behind a letter or an emoji belongs to it, and several in a row do not.
//
//     auto description = without_hidden(what_a_server_says);
//     if (bare(name) != name) refuse(name);
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {
/// Line breaks and tabs are not hidden.
bool is_hidden(std::uint32_t code_point);
/// Goes through a text, character by character, and tells which ones are hidden where they stand.
class HiddenFinder {
public:
    /// `ascii_joins`: whether a joiner may stand behind a letter of ASCII: so do some in German words, and in tricks.
    explicit HiddenFinder(bool ascii_joins = true) : ascii_joins_(ascii_joins) {}
    bool is_hidden_here(std::uint32_t code_point);

private:
    enum class Before : std::uint8_t { nothing, ascii, base, selector, joiner, flag } before_ = Before::nothing;
    bool ascii_joins_;
    int tags_ = 0;  // of a flag, such as Scotland's
};
/// The text without them. Bytes that are not UTF-8 become U+FFFD.
std::string without_hidden(std::string_view text);
/// Without joiners and selectors, too: what is left is compared.
std::string bare(std::string_view text);
}
