// A cron expression of five fields: minute, hour, day of the month, month, day of the week.
//
//     schedule::Cron cron("0 9 * * 1-5");
//     schedule::Zone berlin("Europe/Berlin");
//     auto next = cron.next(std::chrono::sys_seconds(), berlin);   // Thursday, 1970-01-01 08:00 UTC
//     auto words = cron.in_words();                                // "at 09:00 on Monday to Friday"
//
// Fields: `*`, numbers, names of three letters (JAN, MON), ranges 1-5, steps */15, 10-30/5 and 10/5 (to the end), and
// lists of all these. Sunday is 0 and 7. Days of the month know L, the last one; days of the week 5L, the last Friday,
// and 5#2, the second one. A day counts if it fits the day of the month or of the week, when neither of both is `*`.
// Nicknames: @yearly, @annually, @monthly, @weekly, @daily, @midnight, @hourly.
//
// When clocks change:
// - An expression with all 24 hours follows the clock: no time in a skipped hour, and two in one that comes twice.
// - Any other one names hours. A time that comes twice counts the first time only. A skipped time comes as much later
//   as clocks were set forward: 02:30 becomes 03:30; together with a time of its own at 03:30 it is one.
// - On a day that a zone leaves out, nothing comes.
// cron-parser of npm does the same, and so do Vixie's cron and its heirs, but these make up for 02:30 at 03:00.
#pragma once
#include "engine/schedule/zone.hpp"
#include <array>
#include <cstdint>
#include <optional>

namespace weft::schedule {
/// The values that fit: bit n stands for n.
struct CronFields {
    std::uint64_t minutes = 0;
    std::uint32_t hours = 0, days = 0, months = 0;
    std::array<std::uint8_t, 6> weekdays{};  // of the nth week of a month; [0]: the last ones of a month. Bit 0: Sunday
    bool last_day = false;                   // of the month
    bool any_day = false, any_weekday = false;

    bool operator==(const CronFields&) const = default;
};

/// Immutable: threads may share it.
class Cron {
public:
    /// Throws Error{usage}, which names field, piece and cure: also for more than 256 bytes, and for days that never
    /// come, such as February 30.
    explicit Cron(std::string_view expression);
    /// The expression with one blank between its fields.
    const std::string& text() const { return text_; }
    const CronFields& fields() const { return fields_; }
    /// The first time later than `after`. Times before 1970 do not count; nullopt after the year 9999.
    std::optional<std::chrono::sys_seconds> next(std::chrono::sys_seconds after, const Zone&) const;
    /// The meaning as understood, in English.
    std::string in_words() const;

    bool operator==(const Cron&) const = default;

private:
    std::string text_;
    CronFields fields_;
};
}
