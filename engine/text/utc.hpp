// Formats times for people and programs, in UTC.
//
//     utc(row.created_at);             // "2026-11-22T05:43:45.123Z"
//     iso_time(real_clock().wall());   // "2026-11-22T05:43:45.123456+00:00"
//
// Thread-safe; each thread caches the text of its last second.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>

namespace weft {
/// Formats microseconds since 1970. Clamps times before 1970 or after the year 9999.
std::string utc(std::int64_t microseconds);
/// Formats a time for clients of LlamaIndex's server.
std::string iso_time(std::chrono::sys_time<std::chrono::microseconds>);
}
