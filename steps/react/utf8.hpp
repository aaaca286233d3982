// UTF-8, byte by byte: what a model or a tool sends may be cut or broken anywhere.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::steps {
/// The bytes of the valid sequence that begins the text; 0 if none does.
std::size_t utf8_length(std::string_view text) noexcept;
/// The bytes at the end of the text that more bytes could complete: 0 to 3.
std::size_t utf8_cut_tail(std::string_view text) noexcept;
/// The same text with U+FFFD in the place of every byte that belongs to no valid sequence.
std::string utf8_valid(std::string_view text);
/// Appends a code point below 0x110000.
void utf8_append(std::string& text, char32_t code);
}
