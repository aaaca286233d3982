// Uses the calendar of the standard library.
#include "engine/text/time_parts.hpp"
#include <cstdio>

namespace weft {
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
    if (text.size() < count) return {};
    int number = 0;
    for (const char c : text.substr(0, count)) {
        if (c < '0' || c > '9') return {};
        number = number * 10 + (c - '0');
    }
    text.remove_prefix(count);
    return number;
}
bool take_any(std::string_view& text, std::string_view characters) {
    if (text.empty() || characters.find(text.front()) == characters.npos) return false;
    text.remove_prefix(1);
    return true;
}
std::optional<int> take_part(std::string_view& text, std::string_view before, int most) {
    if (!take_any(text, before)) return {};
    const auto number = take_digits(text, 2);
    return number && *number <= most ? number : std::nullopt;
}
std::optional<std::chrono::sys_days> take_day(std::string_view& text) {
    namespace chrono = std::chrono;
    const auto year = take_digits(text, 4);
    const auto month = take_part(text, "-", 12);
    const auto of_month = take_part(text, "-", 31);
    if (!year || !month || !of_month) return {};
    const chrono::year_month_day date{chrono::year(*year), chrono::month(unsigned(*month)),
                                      chrono::day(unsigned(*of_month))};
    if (!date.ok()) return {};
    return chrono::sys_days(date);
}
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
}
