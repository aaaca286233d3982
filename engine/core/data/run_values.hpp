// Checks RunOptions::values, and reads one of them.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace weft::core {
inline constexpr std::size_t most_values = 16u << 10, deepest_values = 16;  // bytes; levels of nesting
/// Returns the stored form. Throws Error{usage} if the text is not an object within the limits; the message quotes none
/// of it.
std::string checked_values(const std::string& text);
/// The text of a value for limits of queues and models: a string, or the JSON of a number, true or false; else nullopt.
std::optional<std::string> value_text(const nlohmann::json& value);
}
