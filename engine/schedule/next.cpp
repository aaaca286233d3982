// Finds the next time: fitting days first, then the time of day. Only days near a change of clocks try each minute.
#include "engine/schedule/cron.hpp"
#include <algorithm>
#include <bit>

namespace weft::schedule {
namespace {
namespace chrono = std::chrono;
using chrono::days, chrono::local_days, chrono::minutes, chrono::seconds, chrono::sys_seconds;
constexpr unsigned minutes_of_day = 24 * 60;
constexpr std::uint32_t all_hours = (1u << 24) - 1;
constexpr local_days end_of_search{chrono::year(10000) / chrono::January / 1};
constexpr days longest_search(50 * 366);  // February 29 as a fifth Monday takes up to 40 years

bool fits(const CronFields& fields, local_days at) {
    const chrono::year_month_day date(at);
    const chrono::year_month_day_last end(date.year(), chrono::month_day_last(date.month()));
    const unsigned day = unsigned(date.day()), length = unsigned(end.day());
    const unsigned weekday = 1u << chrono::weekday(at).c_encoding();
    const bool day_fits = (fields.days >> day & 1) || (fields.last_day && day == length);
    const bool weekday_fits = (fields.weekdays[(day + 6) / 7] & weekday) ||
                              (day + 7 > length && (fields.weekdays[0] & weekday));
    const bool either = !fields.any_day && !fields.any_weekday;
    return (fields.months >> unsigned(date.month()) & 1) &&
           (either ? day_fits || weekday_fits : day_fits && weekday_fits);
}
/// The first minute of a day that fits, from `from` on; minutes_of_day if there is none.
unsigned fitting_minute(const CronFields& fields, unsigned from) {
    for (unsigned hour = from / 60, minute = from % 60; hour < 24; ++hour, minute = 0) {
        const auto left = fields.minutes >> minute;
        if ((fields.hours >> hour & 1) && left) return hour * 60 + minute + unsigned(std::countr_zero(left));
    }
    return minutes_of_day;
}
/// The earliest time later than `after` whose local time is on this day.
std::optional<sys_seconds> next_on(const CronFields& fields, local_days day, sys_seconds after, const Zone& zone) {
    const auto midnight = zone.instants(day);
    const auto begin = midnight.first;
    // Clocks of a few zones are set back just after midnight: two days without a change are regular.
    if (midnight.kind == LocalKind::once && zone.local(begin + days(2)) == day + days(2)) {
        const auto passed = after < begin ? 0 : chrono::floor<minutes>(after - begin).count() + 1;
        if (passed >= minutes_of_day) return {};
        const auto minute = fitting_minute(fields, unsigned(passed));
        if (minute == minutes_of_day) return {};
        return begin + minutes(minute);
    }
    std::optional<sys_seconds> found;
    const auto take = [&](sys_seconds time) {
        if (time > after && (!found || time < *found)) found = time;
    };
    const bool follows_clock = fields.hours == all_hours;
    for (auto minute = fitting_minute(fields, 0); minute < minutes_of_day;
         minute = fitting_minute(fields, minute + 1)) {
        const auto at = zone.instants(day + minutes(minute));
        if (at.kind == LocalKind::skipped && (follows_clock || at.changed >= days(1))) continue;
        take(at.first);
        if (follows_clock) take(at.second);
    }
    return found;
}
}

std::optional<sys_seconds> Cron::next(sys_seconds after, const Zone& zone) const {
    after = std::clamp(after, sys_seconds() - seconds(1), sys_seconds(end_of_search.time_since_epoch()));
    // A skipped time may come on the day after its own.
    const auto begin = chrono::floor<days>(zone.local(after)) - days(1);
    const auto end = std::min(begin + longest_search, end_of_search);
    for (auto day = begin; day < end; day += days(1)) {
        if (!fits(fields_, day)) continue;
        auto found = next_on(fields_, day, after, zone);
        if (!found) continue;
        if (fits(fields_, day + days(1))) {
            const auto other = next_on(fields_, day + days(1), after, zone);
            if (other) found = std::min(*found, *other);
        }
        return found;
    }
    return {};
}
}
