// Caches the date text of the last second, because most times repeat it and its formatting is the slowest part.
#include "engine/text/utc.hpp"
#include <algorithm>
#include <cstdio>

namespace weft {
namespace {
using MicroTime = std::chrono::sys_time<std::chrono::microseconds>;
/// "2026-11-22T05:43:45.", valid until this thread's next call.
const char* up_to_second(std::chrono::sys_seconds second) {
    using namespace std::chrono;
    thread_local sys_seconds written{seconds::min()};
    thread_local char text[48];
    if (second == written) return text;
    const auto day = floor<days>(second);
    const year_month_day date(day);
    const hh_mm_ss clock(second - day);
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.", int(date.year()), unsigned(date.month()),
                  unsigned(date.day()), int(clock.hours().count()), int(clock.minutes().count()),
                  int(clock.seconds().count()));
    written = second;
    return text;
}
template <class Unit> std::string with_fraction(MicroTime time, const char* zone) {
    const auto second = std::chrono::floor<std::chrono::seconds>(time);
    std::string text(up_to_second(second));
    text.append(std::chrono::hh_mm_ss<Unit>::fractional_width, '0');
    auto rest = std::chrono::floor<Unit>(time - second).count();
    for (auto digit = text.rbegin(); rest > 0; rest /= 10) *digit++ = char('0' + rest % 10);
    return text += zone;
}
}

std::string utc(std::int64_t microseconds) {
    constexpr std::int64_t last = 253'402'300'799'999'999;  // the end of the year 9999
    const MicroTime time{std::chrono::microseconds(std::clamp<std::int64_t>(microseconds, 0, last))};
    return with_fraction<std::chrono::milliseconds>(time, "Z");
}
std::string iso_time(MicroTime time) { return with_fraction<std::chrono::microseconds>(time, "+00:00"); }
}
