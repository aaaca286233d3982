// Times in JSON: texts of RFC 3339, "2026-01-31T12:00:00.25Z". For engine/json/read.cpp and engine/json/write.cpp.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::json_detail {
struct UtcTime {
    std::int64_t seconds = 0;      // since 1970
    std::int64_t nanoseconds = 0;  // fraction: 0 to 999 999 999
};
/// Returns the time in UTC, without trailing zeros. Empty outside of the years 0 to 9999.
std::string time_text(const UtcTime&);
/// Reads a time, also with an offset from UTC, "+02:00". nullopt for other texts, days that do not exist, leap seconds,
/// and parts of a nanosecond.
std::optional<UtcTime> time_in(std::string_view text);
}
