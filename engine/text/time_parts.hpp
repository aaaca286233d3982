// The parts of a time in ISO 8601, for the readers and writers of its forms (engine/text/iso_time.hpp,
// engine/json/time.hpp). Each reader removes what it has read from the text, and returns an empty optional for anything
// else.
#pragma once
#include <chrono>
#include <optional>
#include <string_view>

namespace weft {
/// The last moment of the year 9999: later times have no text.
inline constexpr std::chrono::sys_time<std::chrono::microseconds> last_time{
    std::chrono::microseconds(253'402'300'799'999'999)};

/// Reads exactly `count` digits.
std::optional<int> take_digits(std::string_view& text, std::size_t count);
/// Reads any one of these characters; returns false if another one or none comes.
bool take_any(std::string_view& text, std::string_view characters);
/// Reads one of the characters `before`, then a number of two digits up to `most`.
std::optional<int> take_part(std::string_view& text, std::string_view before, int most);
/// Reads a date of the years 0 to 9999 that exists, such as 2026-12-01.
std::optional<std::chrono::sys_days> take_day(std::string_view& text);
/// "2026-11-22T05:43:45.", for the years 0 to 9999; valid until this thread's next call. Each thread keeps its last
/// text, because most times repeat the second and its formatting is the slowest part.
const char* up_to_second(std::chrono::sys_seconds);
}
