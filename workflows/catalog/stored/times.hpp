// Times as people and programs read them, in UTC.
//
//     utc(row.created_at);             // "2026-11-22T05:43:45.123Z"
//     iso_time(real_clock().wall());   // "2026-11-22T05:43:45.123456+00:00"
//
// Safe on all threads; each remembers the second that it wrote last.
#pragma once
#include "engine/clock.hpp"

namespace weft::catalog {
/// Formats microseconds since 1970. Clamps times before 1970 or after the year 9999.
std::string utc(std::int64_t microseconds);
/// The form that clients of LlamaIndex's server read.
std::string iso_time(WallTime);
}
