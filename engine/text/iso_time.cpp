// A time without an offset is refused, because its zone would be a guess.
#include "engine/text/iso_time.hpp"
#include "engine/text/time_parts.hpp"
#include "engine/text/utf8.hpp"
#include <algorithm>
#include <optional>

namespace weft {
namespace {
using namespace std::chrono;
using MicroTime = sys_time<microseconds>;
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

std::optional<microseconds> read_clock(std::string_view& text) {
    const auto hour = take_digits(text, 2);
    const auto minute = take_part(text, ":", 59);
    const auto second = text.starts_with(':') ? take_part(text, ":", 59) : std::optional(0);
    if (!hour || *hour > 23 || !minute || !second) return {};
    microseconds fraction{0};
    if (take_any(text, ".,")) {
        auto digit = take_digits(text, 1);
        if (!digit) return {};
        for (int unit = 100'000; digit; unit /= 10, digit = take_digits(text, 1))
            fraction += microseconds(*digit * unit);
    }
    return hours(*hour) + minutes(*minute) + seconds(*second) + fraction;
}
std::optional<minutes> read_offset(std::string_view& text) {
    if (take_any(text, "Zz")) return minutes(0);
    const bool is_west = text.starts_with('-');
    if (!take_any(text, "+-")) return {};
    const auto hour = take_digits(text, 2);
    const bool has_minutes = take_any(text, ":") || !text.empty();
    const auto minute = has_minutes ? take_digits(text, 2) : std::optional(0);
    if (!hour || !minute || *minute > 59 || *hour * 60 + *minute > most_offset) return {};
    return minutes((is_west ? -1 : 1) * (*hour * 60 + *minute));
}
}

std::string utc(std::int64_t microseconds) {
    const auto last = last_time.time_since_epoch().count();
    const MicroTime time{std::chrono::microseconds(std::clamp<std::int64_t>(microseconds, 0, last))};
    return with_fraction<std::chrono::milliseconds>(time, "Z");
}
std::string iso_time(MicroTime time) { return with_fraction<std::chrono::microseconds>(time, "+00:00"); }
IsoTime read_iso_time(std::string_view written) {
    const auto shown = excerpt(written, longest_shown);
    IsoTime no_time{.mistake = "takes a time such as 2026-12-01T09:00Z or 2026-12-01T09:00+01:00, and \"" + shown +
                               "\" is none"};
    auto text = written;
    const auto date = take_day(text);
    if (!date || !take_any(text, "Tt ")) return no_time;
    const auto clock = read_clock(text);
    if (!clock) return no_time;
    if (text.empty())
        return {.mistake = "takes a time with an offset, and \"" + shown +
                           "\" may be in any zone: add Z for UTC, or an offset such as +01:00"};
    const auto offset = read_offset(text);
    if (!offset || !text.empty()) return no_time;
    const auto at = sys_time<microseconds>(*date + *clock) - *offset;
    if (at.time_since_epoch().count() < 0) return no_time;
    return {.at = at, .mistake = {}};
}
}
