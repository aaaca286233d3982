// Writes and reads times in ISO 8601: the years 1970 to 9999.
//
//     utc(row.created_at);                                 // "2026-11-22T05:43:45.123Z"
//     iso_time(real_clock().wall());                       // "2026-11-22T05:43:45.123456+00:00"
//     read_iso_time("2026-12-01T09:00:00.5+01:00").at      // 2026-12-01 08:00:00.5 UTC
//     read_iso_time("2026-12-01 09:00Z").mistake           // empty
//     read_iso_time("2026-12-01T09:00").mistake            // "takes a time with an offset: ..."
//
// Thread-safe; each thread caches the text of its last second.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft {
/// Writes microseconds since 1970. Clamps times before 1970 or after the year 9999.
std::string utc(std::int64_t microseconds);
/// Writes a time for clients of LlamaIndex's server.
std::string iso_time(std::chrono::sys_time<std::chrono::microseconds>);
struct IsoTime {
    std::chrono::sys_time<std::chrono::microseconds> at{};  // digits after the sixth of a fraction are dropped
    std::string mistake;  // empty for a valid text; else the end of a sentence that begins with the value's name
};
/// Reads a time as people and programs write it, with an offset.
IsoTime read_iso_time(std::string_view);
}
