// Base64 (RFC 4648) with padding.
//
//     const auto header = "Basic " + base64("user:password");
//
// Line breaks and letters of the URL alphabet are invalid.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace weft {
std::string base64(std::string_view bytes);
bool is_base64(std::string_view) noexcept;
/// Returns the bytes; empty if the text is not base64.
std::optional<std::string> from_base64(std::string_view);
}
