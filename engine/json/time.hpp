// Times as JSON has them: the texts of RFC 3339, "2026-01-31T12:00:00.25Z". For engine/json/read.cpp and
// engine/json/write.cpp.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace weft::json_detail {
struct Time {
    std::int64_t seconds = 0;      // since 1970
    std::int64_t nanoseconds = 0;  // behind them: 0 to 999 999 999
};
/// In UTC, with as many digits behind the seconds as it has. Empty outside of the years 0 to 9999.
std::string time_text(const Time&);
/// Also with an offset from UTC, "+02:00". Null for a text that is no time, for a day that there is not, for a leap
/// second, and for parts of a nanosecond.
std::optional<Time> time_in(std::string_view text);
}
