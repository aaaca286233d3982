// Checks RunOptions::values.
#pragma once
#include <string>

namespace weft::core {
inline constexpr std::size_t most_values = 16u << 10, deepest_values = 16;  // bytes; levels of nesting
/// Returns the stored form. Throws Error{usage} if the text is not an object within the limits; the message quotes none
/// of it.
std::string checked_values(const std::string& text);
}
