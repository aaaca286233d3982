// The times at which something is due: those of a cron expression in a zone, each end of an interval, or one time.
//
//     auto mornings = schedule::Timetable::cron("0 9 * * 1-5", "Europe/Berlin");
//     auto often = schedule::Timetable::every(std::chrono::minutes(5), std::chrono::sys_seconds());
//     auto due = mornings.next(std::chrono::sys_seconds());       // later than 1970-01-01 00:00 UTC
//     auto words = mornings.in_words();                          // "at 09:00 on Monday to Friday, Europe/Berlin"
//     auto same = schedule::Timetable::from_json(mornings.to_json());
//
// A timetable reads no clock: the same `after` gives the same time on each machine whose zones are the same. It is
// immutable, so threads may share it. What is late, missed or at work is its user's to decide.
#pragma once
#include "engine/schedule/cron.hpp"
#include <variant>
#include <vector>

namespace weft::schedule {
/// Each throws Error{usage} if its text, interval or time does not fit.
class Timetable {
public:
    using Time = std::chrono::sys_seconds;

    /// See Cron and Zone.
    static Timetable cron(std::string_view expression, std::string_view zone = "UTC");
    /// The anchor and each end of an interval since: 1 second to 10 years, whatever clocks show.
    static Timetable every(std::chrono::seconds interval, Time anchor);
    static Timetable at(Time);
    /// Reads what to_json() has made. Throws Error: `bad_json` for another form, `configuration` without zones.
    static Timetable from_json(std::string_view text);
    /// {"cron": ..., "zone": ...}, {"every": seconds, "anchor": time} or {"at": time}.
    std::string to_json() const;

    /// The first time later than `after`; nullopt if none is left. Times are of the years 1970 to 9999.
    std::optional<Time> next(Time after) const;
    /// The first `count` times later than `after`, or those that are left.
    std::vector<Time> next_times(Time after, std::size_t count = 5) const;
    /// The meaning as understood, in English.
    std::string in_words() const;

    bool operator==(const Timetable&) const = default;

private:
    struct CronTimes {
        Cron cron;
        Zone zone;
        bool operator==(const CronTimes&) const = default;
    };
    struct Intervals {
        std::chrono::seconds length;
        Time anchor;
        bool operator==(const Intervals&) const = default;
    };
    using Form = std::variant<CronTimes, Intervals, Time>;
    explicit Timetable(Form form) : form_(std::move(form)) {}

    Form form_;
};
}
