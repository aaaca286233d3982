// The strict form of RFC 3339: engine/text/iso_time.hpp also reads what people write.
#include "engine/json/time.hpp"
#include "engine/text/time_parts.hpp"
#include <chrono>
#include <cstdio>

namespace weft::json_detail {
namespace {
namespace chrono = std::chrono;

/// Reads digits after a dot as nanoseconds; 0 without a dot.
std::optional<std::int64_t> nanoseconds(std::string_view& text) {
    if (!take_any(text, ".")) return 0;
    std::int64_t number = 0;
    std::size_t count = 0;
    while (const auto digit = take_digits(text, 1)) {
        if (++count > 9) return {};
        number = number * 10 + *digit;
    }
    if (count == 0) return {};
    for (; count < 9; ++count) number *= 10;
    return number;
}
/// Returns seconds.
std::optional<int> offset(std::string_view& text) {
    if (take_any(text, "Z")) return 0;
    const bool east = text.starts_with('+');
    const auto hours = take_part(text, "+-", 23);
    const auto minutes = take_part(text, ":", 59);
    if (!hours || !minutes) return {};
    return (east ? 1 : -1) * (*hours * 3600 + *minutes * 60);
}
}

std::string time_text(const UtcTime& time) {
    constexpr std::int64_t first = -62'167'219'200, behind = 253'402'300'800;  // the years 0 and 10000
    if (time.seconds < first || time.seconds >= behind) return {};
    char text[100];
    std::snprintf(text, sizeof text, "%s%09lld", up_to_second(chrono::sys_seconds(chrono::seconds(time.seconds))),
                  static_cast<long long>(time.nanoseconds));
    std::string all = text;
    all.erase(all.find_last_not_of('0') + 1);
    if (all.ends_with('.')) all.pop_back();
    return all + 'Z';
}
std::optional<UtcTime> time_in(std::string_view text) {
    const auto day = take_day(text);
    const auto hours = take_part(text, "T", 23);
    const auto minutes = take_part(text, ":", 59);
    const auto seconds = take_part(text, ":", 59);
    const auto parts = nanoseconds(text);
    const auto ahead = offset(text);
    if (!day || !hours || !minutes || !seconds || !parts || !ahead || !text.empty()) return {};
    return UtcTime{day->time_since_epoch().count() * 86400LL + *hours * 3600 + *minutes * 60 + *seconds - *ahead,
                   *parts};
}
}
