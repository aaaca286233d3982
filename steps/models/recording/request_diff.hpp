// What tells a request from one that was recorded, for people: the places, then the lines. Pure. Internal to
// steps/models/recording/recording.hpp.
#pragma once
#include <string>
#include <string_view>

namespace weft::models {
/// Both as request_text (steps/models/recording/recording_text.hpp) writes them. "messages[2].content and 1 more place
/// differ:" and lines as of `diff -u`.
std::string request_diff(std::string_view recorded, std::string_view asked);
/// How many messages both begin with.
std::size_t common_messages(std::string_view recorded, std::string_view asked);
}
