// Validates and repairs UTF-8. Bytes from a model, a socket or a database may be anything; JSON must be UTF-8.
//
//     auto text = repair_utf8(bytes);                // ill-formed parts become U+FFFD
//     throw Error(code, "the server said: " + excerpt(body, 300));
// All functions take linear time. A truncated character is ill-formed: pass whole lines, not chunks.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {
/// The length of the longest well-formed UTF-8 prefix. Overlong forms and surrogates are ill-formed.
std::size_t utf8_prefix(std::string_view) noexcept;
inline bool is_utf8(std::string_view text) noexcept { return utf8_prefix(text) == text.size(); }
/// The length and code of the first character of a nonempty text; 0 if it is ill-formed, and `cut` if more bytes could
/// complete it.
std::size_t decode_utf8(std::string_view, std::uint32_t& code, bool& cut) noexcept;
/// Appends the character with this code.
void append_utf8(std::string&, char32_t code);
/// Replaces each maximal ill-formed part by one U+FFFD, as Unicode recommends and the SSE standard requires.
std::string repair_utf8(std::string_view);
/// The longest prefix of at most this many bytes that ends between characters.
std::string_view utf8_cut(std::string_view, std::size_t bytes) noexcept;
/// At most `limit` bytes on one line, without hidden characters (engine/text/hidden.hpp); a run of white space becomes
/// one blank, and "..." marks a cut.
std::string excerpt(std::string_view bytes, std::size_t limit);
}
