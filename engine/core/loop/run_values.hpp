// What RunOptions::values may be.
#pragma once
#include <string>

namespace weft::core {
inline constexpr std::size_t most_values = 16u << 10, deepest_values = 16;  // bytes; objects and lists in each other
/// As it is kept. Throws Error{usage} if it is no object, or more than that; the sentence has nothing of the values.
std::string checked_values(const std::string& text);
}
