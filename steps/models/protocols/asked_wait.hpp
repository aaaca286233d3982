// How long a server asks to wait, in the forms in which it says so. Pure; the wall clock comes in.
//
//     auto wait = told_wait(headers, now);                        // Retry-After and its kin
//     if (!wait) wait = wait_in_words("please try again in 4s");
//
// A value that makes no sense counts as none: what is negative, or longer than a year.
#pragma once
#include "engine/clock.hpp"
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace weft::models {
using AskedWait = std::optional<std::chrono::milliseconds>;
/// The value of a header of a reply, whatever the case of its name; empty if there is none.
using Headers = std::function<std::string_view(std::string_view name)>;

/// By `retry-after-ms` or `x-ms-retry-after-ms`, else by `Retry-After` in any form of until_point.
AskedWait told_wait(const Headers&, WallTime now);
/// By the headers of limits, of whichever provider: until the last of those that are used up is whole again; none if
/// there is no such limit. `refused`: a limit is known to be used up, so the first that is whole again will do then.
AskedWait limit_wait(const Headers&, WallTime now, bool refused);
/// "17s", "0.5s", "6m0s", "1h2m3.5s", "250ms", "2 minutes".
AskedWait asked_duration(std::string_view);
/// Until a point of time: a duration, a number of seconds, seconds or milliseconds since 1970, an HTTP date, or a time
/// as "2026-01-27T12:00:30Z". Zero if it has passed.
AskedWait until_point(std::string_view, WallTime now);
/// As sentences in lower case have it: "try again in 1m30s", "retry after 20 seconds", "wait 30 s", "请2秒后重试".
AskedWait wait_in_words(std::string_view words);
/// The point of time in "try again at 2026-01-27t12:00:30z", for until_point; empty if there is none.
std::string point_in_words(std::string_view words);
}
