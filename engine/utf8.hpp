// UTF-8 that can be trusted. What comes from a model, a socket or a database may be anything; JSON must be UTF-8.
#pragma once
#include <string>
#include <string_view>

namespace weft {
/// The length of the well-formed UTF-8 at the start: all of it if the text is valid. No overlong forms, no surrogates.
std::size_t utf8_prefix(std::string_view) noexcept;
inline bool is_utf8(std::string_view text) noexcept { return utf8_prefix(text) == text.size(); }
/// Each byte that belongs to no character becomes U+FFFD.
std::string repair_utf8(std::string_view);
/// The longest start of at most this many bytes that ends between characters.
std::string_view utf8_cut(std::string_view, std::size_t bytes) noexcept;
}
