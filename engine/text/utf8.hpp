// Makes sure that a text is UTF-8. Bytes from a model, a socket or a database may be anything; JSON must be UTF-8.
//
//     auto text = repair_utf8(bytes);                // ill-formed parts become U+FFFD
//     throw Error(code, "the server said: " + excerpt(body, 300));
// All take linear time. A character that is cut counts as ill-formed: pass whole lines, not chunks.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {
/// The length of the well-formed UTF-8 at the start: all of it if the text is valid. No overlong forms, no surrogates.
std::size_t utf8_prefix(std::string_view) noexcept;
inline bool is_utf8(std::string_view text) noexcept { return utf8_prefix(text) == text.size(); }
/// The length of the character at the start of a text that is not empty, and its code; 0 if it is none, and `cut` if
/// more bytes could make it one.
std::size_t decode_utf8(std::string_view, std::uint32_t& code, bool& cut) noexcept;
/// Each maximal ill-formed part becomes one U+FFFD, as the Unicode standard advises and the SSE standard demands.
std::string repair_utf8(std::string_view);
/// The longest start of at most this many bytes that ends between characters.
std::string_view utf8_cut(std::string_view, std::size_t bytes) noexcept;
/// At most `limit` bytes of it on one line, without hidden characters (engine/text/hidden.hpp); runs of white space are
/// one blank, and "..." says that something was cut.
std::string excerpt(std::string_view bytes, std::size_t limit);
}
