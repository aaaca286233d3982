// UTF-8 from strangers: mended for use as text, and made harmless for sentences that people read.
//
//     auto text = mend_utf8(std::move(bytes));       // ill-formed sequences become U+FFFD, as the SSE standard wants
//     throw Error(code, "the server said: " + excerpt(body, 300));
//
// Both are linear. A sequence must be whole to be judged: give whole lines, not chunks.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace weft::net {
bool is_utf8(std::string_view bytes) noexcept;
/// Each maximal ill-formed part becomes one U+FFFD; what is well-formed already comes back as it is.
std::string mend_utf8(std::string bytes);
/// At most `limit` bytes of it on one line: controls, escapes, and marks that turn the direction of writing are gone,
/// runs of white space are one blank, and "..." says that something was cut.
std::string excerpt(std::string_view bytes, std::size_t limit);
}
