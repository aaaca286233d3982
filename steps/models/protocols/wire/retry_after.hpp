// Reads how long a server asks to wait, in any of its forms. Pure; the wall clock is a parameter.
//
//     auto wait = told_wait(headers, now);                        // Retry-After and similar headers
//     if (!wait) wait = wait_in_words("please try again in 4s");
//
// A negative or absurd value, above a year, counts as none.
#pragma once
#include "engine/clock.hpp"
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft::models {
using RetryAfter = std::optional<std::chrono::milliseconds>;
/// Returns the value of a reply's header, in any case of its name; empty if it is missing.
using Headers = std::function<std::string_view(std::string_view name)>;

/// Reads `retry-after-ms` or `x-ms-retry-after-ms`, else `Retry-After` in any form of until_point.
RetryAfter told_wait(const Headers&, WallTime now);
/// Reads the limit headers of all providers: returns the time until the last used-up limit is reset, nullopt if no
/// limit is used up. `refused`: some limit is used up, so without one the first reset counts.
RetryAfter limit_wait(const Headers&, WallTime now, bool refused);
/// Reads "17s", "0.5s", "6m0s", "1h2m3.5s", "250ms", "2 minutes".
RetryAfter asked_duration(std::string_view);
/// Returns the time until a point: a duration, a number of seconds, seconds or milliseconds since 1970, an HTTP date,
/// or a time such as "2026-01-27T12:00:30Z". Zero for a past point.
RetryAfter until_point(std::string_view, WallTime now);
/// Reads sentences in lower case: "try again in 1m30s", "retry after 20 seconds", "wait 30 s", "请2秒后重试".
RetryAfter wait_in_words(std::string_view words);
/// Returns the time in "try again at 2026-01-27t12:00:30z", for until_point; empty if there is none.
std::string point_in_words(std::string_view words);
}
