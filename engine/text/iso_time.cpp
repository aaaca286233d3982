// The date text of the last second is cached, because most times repeat it and its formatting is the slowest part. A
// time without an offset is refused, because its zone would be a guess.
#include "engine/text/iso_time.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <cstdio>
#include <optional>

namespace weft {
namespace {
using namespace std::chrono;
using MicroTime = sys_time<microseconds>;
/// "2026-11-22T05:43:45.", valid until this thread's next call.
const char* up_to_second(sys_seconds second) {
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
constexpr std::size_t longest_shown = 40;
constexpr int most_offset = 18 * 60;  // minutes

/// Reads a text from its beginning; a number has a fixed count of digits.
class Reader {
public:
    explicit Reader(std::string_view text) : rest_(text) {}
    bool has(std::string_view any) {
        if (rest_.empty() || any.find(rest_.front()) == any.npos) return false;
        rest_.remove_prefix(1);
        return true;
    }
    bool has_digit() const { return !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; }
    int digit() {
        const int value = rest_.front() - '0';
        rest_.remove_prefix(1);
        return value;
    }
    std::optional<int> number(int digits) {
        int value = 0;
        for (; digits > 0; --digits) {
            if (!has_digit()) return {};
            value = value * 10 + digit();
        }
        return value;
    }
    bool is_at_end() const { return rest_.empty(); }

private:
    std::string_view rest_;
};
std::optional<sys_days> read_date(Reader& text) {
    const auto year_number = text.number(4);
    if (!year_number || !text.has("-")) return {};
    const auto month_number = text.number(2);
    if (!month_number || !text.has("-")) return {};
    const auto day_number = text.number(2);
    if (!day_number || *year_number < 1970) return {};
    const year_month_day date{year(*year_number), month(unsigned(*month_number)), day(unsigned(*day_number))};
    if (!date.ok()) return {};
    return sys_days(date);
}
std::optional<microseconds> read_clock(Reader& text) {
    const auto hour = text.number(2);
    if (!hour || !text.has(":")) return {};
    const auto minute = text.number(2);
    const auto second = text.has(":") ? text.number(2) : std::optional(0);
    if (!minute || !second || *hour > 23 || *minute > 59 || *second > 59) return {};
    microseconds fraction{0};
    if (text.has(".,")) {
        if (!text.has_digit()) return {};
        for (int unit = 100'000; text.has_digit(); unit /= 10) fraction += microseconds(text.digit() * unit);
    }
    return hours(*hour) + minutes(*minute) + seconds(*second) + fraction;
}
std::optional<minutes> read_offset(Reader& text) {
    if (text.has("Zz")) return minutes(0);
    const bool is_west = text.has("-");
    if (!is_west && !text.has("+")) return {};
    const auto hour = text.number(2);
    const auto minute = text.has(":") || text.has_digit() ? text.number(2) : std::optional(0);
    if (!hour || !minute || *minute > 59 || *hour * 60 + *minute > most_offset) return {};
    return minutes((is_west ? -1 : 1) * (*hour * 60 + *minute));
}
}

std::string utc(std::int64_t microseconds) {
    constexpr std::int64_t last = 253'402'300'799'999'999;  // the end of the year 9999
    const MicroTime time{std::chrono::microseconds(std::clamp<std::int64_t>(microseconds, 0, last))};
    return with_fraction<std::chrono::milliseconds>(time, "Z");
}
std::string iso_time(MicroTime time) { return with_fraction<std::chrono::microseconds>(time, "+00:00"); }
IsoTime read_iso_time(std::string_view written) {
    const auto shown = excerpt(written, longest_shown);
    IsoTime no_time{.mistake = "takes a time such as 2026-12-01T09:00Z or 2026-12-01T09:00+01:00, and \"" + shown +
                               "\" is none"};
    Reader text(written);
    const auto date = read_date(text);
    if (!date || !text.has("Tt ")) return no_time;
    const auto clock = read_clock(text);
    if (!clock) return no_time;
    if (text.is_at_end())
        return {.mistake = "takes a time with an offset, and \"" + shown +
                           "\" may be in any zone: add Z for UTC, or an offset such as +01:00"};
    const auto offset = read_offset(text);
    if (!offset || !text.is_at_end()) return no_time;
    const auto at = sys_time<microseconds>(*date + *clock) - *offset;
    if (at.time_since_epoch().count() < 0) return no_time;
    return {.at = at, .mistake = {}};
}
}
