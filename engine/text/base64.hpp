// Base64 of RFC 4648, with padding.
//
//     const auto header = "Basic " + base64("user:password");
//
// Neither a line break nor a letter of the alphabet for URLs is base64.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace weft {
std::string base64(std::string_view bytes);
bool is_base64(std::string_view) noexcept;
/// The bytes; nothing if the text is not base64.
std::optional<std::string> from_base64(std::string_view);
}
