// How long a server asks to wait, in the forms in which it says so. Pure; the wall clock comes in.
//
//     auto wait = asked_wait("", "Sun, 06 Nov 1994 08:49:47 GMT", now);
//
// A value that makes no sense counts as none, and no wait is longer than a year.
#pragma once
#include "engine/clock.hpp"
#include <optional>
#include <string_view>

namespace weft::models {
using AskedWait = std::optional<std::chrono::milliseconds>;

/// By headers: `retry-after-ms`, else `Retry-After` in seconds or as an HTTP date.
AskedWait asked_wait(std::string_view retry_after_ms, std::string_view retry_after, WallTime now);
/// "17s", "0.5s", "6m0s", "1h2m3.5s", "250ms".
AskedWait asked_duration(std::string_view);
/// The headers of a limit that may be used up: none unless nothing `remains`. `reset` is a duration, or a time as
/// "2026-01-27T12:00:30Z".
AskedWait used_up(std::string_view remains, std::string_view reset, WallTime now);
}
