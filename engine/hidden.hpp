// Characters that show nothing: control characters, which escape sequences begin with, text direction overrides, what
// has no width, tags, separators that some programs treat as line breaks. Texts of strangers hide in them what people
// do not see and a model reads.
//
//     auto description = without_hidden(what_a_server_says);
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {
/// Line breaks and tabs are not hidden.
bool is_hidden(std::uint32_t code_point);
/// The text without them. Bytes that are not UTF-8 become U+FFFD.
std::string without_hidden(std::string_view text);
}
