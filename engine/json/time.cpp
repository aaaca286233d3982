// Uses the calendar of the standard library.
#include "engine/json/time.hpp"
#include <chrono>
#include <cstdio>

namespace weft::json_detail {
namespace {
namespace chrono = std::chrono;

/// Removes `count` digits from the text, and returns their number.
std::optional<int> digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return {};
    int number = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9') return {};
        number = number * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return number;
}
bool take(std::string_view& text, char c) {
    if (!text.starts_with(c)) return false;
    text.remove_prefix(1);
    return true;
}
/// Reads a two-digit number up to `most` after the character `before`.
std::optional<int> part(std::string_view& text, char before, int most) {
    if (!take(text, before)) return {};
    const auto number = digits(text, 2);
    return number && *number <= most ? number : std::nullopt;
}
std::optional<std::int64_t> day(std::string_view& text) {
    const auto year = digits(text, 4);
    const auto month = part(text, '-', 12);
    const auto of_month = part(text, '-', 31);
    if (!year || !month || !of_month) return {};
    const chrono::year_month_day date{chrono::year(*year), chrono::month(unsigned(*month)),
                                      chrono::day(unsigned(*of_month))};
    if (!date.ok()) return {};
    return chrono::sys_days(date).time_since_epoch().count();
}
/// Reads digits after a dot as nanoseconds; 0 without a dot.
std::optional<std::int64_t> nanoseconds(std::string_view& text) {
    if (!take(text, '.')) return 0;
    std::int64_t number = 0;
    std::size_t count = 0;
    while (const auto digit = digits(text, 1)) {
        if (++count > 9) return {};
        number = number * 10 + *digit;
    }
    if (count == 0) return {};
    for (; count < 9; ++count) number *= 10;
    return number;
}
/// Returns seconds.
std::optional<int> offset(std::string_view& text) {
    if (take(text, 'Z')) return 0;
    const bool east = text.starts_with('+');
    const auto hours = part(text, east ? '+' : '-', 23);
    const auto minutes = part(text, ':', 59);
    if (!hours || !minutes) return {};
    return (east ? 1 : -1) * (*hours * 3600 + *minutes * 60);
}
}

std::string time_text(const UtcTime& time) {
    constexpr std::int64_t first = -62'167'219'200, behind = 253'402'300'800;  // the years 0 and 10000
    if (time.seconds < first || time.seconds >= behind) return {};
    const chrono::sys_seconds seconds{chrono::seconds(time.seconds)};
    const auto days = chrono::floor<chrono::days>(seconds);
    const chrono::year_month_day date{days};
    const chrono::hh_mm_ss clock{seconds - days};
    char text[100];
    std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02d.%09lld", int(date.year()), unsigned(date.month()),
                  unsigned(date.day()), int(clock.hours().count()), int(clock.minutes().count()),
                  int(clock.seconds().count()), static_cast<long long>(time.nanoseconds));
    std::string all = text;
    all.erase(all.find_last_not_of('0') + 1);
    if (all.ends_with('.')) all.pop_back();
    return all + 'Z';
}
std::optional<UtcTime> time_in(std::string_view text) {
    const auto days = day(text);
    const auto hours = part(text, 'T', 23);
    const auto minutes = part(text, ':', 59);
    const auto seconds = part(text, ':', 59);
    const auto parts = nanoseconds(text);
    const auto ahead = offset(text);
    if (!days || !hours || !minutes || !seconds || !parts || !ahead || !text.empty()) return {};
    return UtcTime{*days * 86400 + *hours * 3600 + *minutes * 60 + *seconds - *ahead, *parts};
}
}
