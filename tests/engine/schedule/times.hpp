// Times as texts: "2024-03-31T03:30:00+02:00" in, the same as the clocks of a zone show them out.
#pragma once
#include "engine/json.hpp"
#include "engine/schedule/timetable.hpp"
#include <cstdio>

namespace weft::schedule::testing {
using Texts = std::vector<std::string>;

inline Timetable::Time time_of(std::string_view text) { return from_json<Timetable::Time>(nlohmann::json(text)); }
/// "2024-03-31 03:30 +02:00"
inline std::string shown(Timetable::Time time, const Zone& zone) {
    const auto local = zone.local(time);
    const auto day = std::chrono::floor<std::chrono::days>(local);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss clock(local - day);
    const auto offset = (local.time_since_epoch() - time.time_since_epoch()) / std::chrono::minutes(1);
    const auto away = offset < 0 ? -offset : offset;
    char text[100];
    std::snprintf(text, sizeof text, "%04d-%02u-%02u %02d:%02d %c%02d:%02d", int(date.year()), unsigned(date.month()),
                  unsigned(date.day()), int(clock.hours().count()), int(clock.minutes().count()),
                  offset < 0 ? '-' : '+', int(away / 60), int(away % 60));
    return text;
}
/// The first `count` times later than `after`, as the zone's clocks show them.
inline Texts next(std::string_view expression, std::string_view zone, std::string_view after, std::size_t count) {
    Texts found;
    for (auto time : Timetable::cron(expression, zone).next_times(time_of(after), count))
        found.push_back(shown(time, Zone(zone)));
    return found;
}
}
