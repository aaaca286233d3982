// The stored form is that of a described struct, whose absent members tell the kind.
#include "engine/schedule/timetable.hpp"
#include "engine/json.hpp"

namespace weft::schedule {
namespace {
namespace chrono = std::chrono;
using chrono::seconds;
using Time = Timetable::Time;
constexpr seconds longest_interval = chrono::days(3653);
constexpr Time end_of_times = chrono::sys_days(chrono::year(10000) / chrono::January / 1);

struct StoredTimetable {
    std::optional<std::string> cron, zone;
    std::optional<std::int64_t> every;
    std::optional<Time> anchor, at;
};
BOOST_DESCRIBE_STRUCT(StoredTimetable, (), (cron, zone, every, anchor, at))

void check(Time time) {
    if (time < Time() || time >= end_of_times)
        throw Error(Code::usage, "a time of a schedule is outside of the years 1970 to 9999: write another one");
}
/// "2026-01-31T12:00:00Z", as in JSON.
std::string text_of(Time time) { return weft::to_json(time).get<std::string>(); }
/// "90 minutes": the largest unit of which there is a whole number.
std::string text_of(seconds length) {
    constexpr std::pair<seconds, std::string_view> units[] = {
        {chrono::days(1), "day"}, {chrono::hours(1), "hour"}, {chrono::minutes(1), "minute"}, {seconds(1), "second"}};
    for (const auto& [unit, name] : units)
        if (length % unit == seconds(0)) {
            const auto count = length / unit;
            return (count == 1 ? "" : std::to_string(count) + ' ') + std::string(name) + (count == 1 ? "" : "s");
        }
    return {};
}
}

Timetable Timetable::cron(std::string_view expression, std::string_view zone) {
    return Timetable(CronTimes{Cron(expression), Zone(zone)});
}
Timetable Timetable::every(seconds interval, Time anchor) {
    if (interval < seconds(1) || interval > longest_interval)
        throw Error(Code::usage, "an interval of " + std::to_string(interval.count()) +
                                     " seconds is outside of 1 second to 10 years: write another one");
    check(anchor);
    return Timetable(Intervals{interval, anchor});
}
Timetable Timetable::at(Time time) {
    check(time);
    return Timetable(time);
}
Timetable Timetable::from_json(std::string_view text) {
    const auto stored = weft::from_json<StoredTimetable>(parse_json(text), "timetable");
    const int kinds = stored.cron.has_value() + stored.every.has_value() + stored.at.has_value();
    if (kinds == 1 && stored.cron && stored.zone) return cron(*stored.cron, *stored.zone);
    if (kinds == 1 && stored.every && stored.anchor) return every(seconds(*stored.every), *stored.anchor);
    if (kinds == 1 && stored.at) return at(*stored.at);
    throw Error(Code::bad_json, "timetable: expected \"cron\" with \"zone\", \"every\" with \"anchor\", or \"at\"");
}
std::string Timetable::to_json() const {
    StoredTimetable stored;
    if (const auto* by_cron = std::get_if<CronTimes>(&form_)) {
        stored.cron = by_cron->cron.text();
        stored.zone = by_cron->zone.name();
    } else if (const auto* intervals = std::get_if<Intervals>(&form_)) {
        stored.every = intervals->length.count();
        stored.anchor = intervals->anchor;
    } else {
        stored.at = std::get<Time>(form_);
    }
    auto json = weft::to_json(stored);
    for (auto each = json.begin(); each != json.end();) each = each->is_null() ? json.erase(each) : std::next(each);
    return json.dump();
}

std::optional<Time> Timetable::next(Time after) const {
    if (const auto* by_cron = std::get_if<CronTimes>(&form_)) return by_cron->cron.next(after, by_cron->zone);
    if (const auto* time = std::get_if<Time>(&form_)) return *time > after ? std::optional(*time) : std::nullopt;
    const auto& [length, anchor] = std::get<Intervals>(form_);
    if (after < anchor) return anchor;
    if (after >= end_of_times) return {};
    const auto found = anchor + ((after - anchor) / length + 1) * length;
    return found < end_of_times ? std::optional(found) : std::nullopt;
}
std::vector<Time> Timetable::next_times(Time after, std::size_t count) const {
    std::vector<Time> found;
    while (found.size() < count) {
        const auto time = next(found.empty() ? after : found.back());
        if (!time) break;
        found.push_back(*time);
    }
    return found;
}
std::string Timetable::in_words() const {
    if (const auto* by_cron = std::get_if<CronTimes>(&form_))
        return by_cron->cron.in_words() + ", " + by_cron->zone.name();
    if (const auto* time = std::get_if<Time>(&form_)) return "once, at " + text_of(*time);
    const auto& [length, anchor] = std::get<Intervals>(form_);
    return "every " + text_of(length) + " from " + text_of(anchor) + " on";
}
}
