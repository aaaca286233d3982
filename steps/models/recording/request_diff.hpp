// Shows people the differences between a request and a recorded one: the places, then the lines. Pure. Internal to
// steps/models/recording/recording.hpp.
#pragma once
#include <string>
#include <string_view>

namespace weft::models {
/// Compares two texts of request_text (steps/models/recording/recording_text.hpp). Returns "messages[2].content and 1
/// more differ:" and lines as in `diff -u`.
std::string request_diff(std::string_view recorded, std::string_view asked);
/// Returns the number of equal messages at the beginning.
std::size_t common_messages(std::string_view recorded, std::string_view asked);
}
