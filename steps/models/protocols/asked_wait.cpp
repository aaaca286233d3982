// Servers say it in milliseconds, in seconds, as an HTTP date, as UTC time, or like "1m30.5s". Numbers and dates are
// read without the process's locale, which may write them otherwise.
#include "steps/models/protocols/asked_wait.hpp"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <locale>
#include <sstream>

namespace weft::models {
namespace {
using std::chrono::milliseconds;
constexpr double longest_ms = 365.0 * 24 * 3600 * 1000;

std::optional<double> number(std::string_view text) {  // without locale; std::from_chars would take "inf" and "1e9" too
    if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789.") != std::string_view::npos) return {};
    std::istringstream in{std::string(text)};
    in.imbue(std::locale::classic());
    double value = 0;
    if (!(in >> value) || in.peek() != std::char_traits<char>::eof()) return {};
    return value;
}
std::optional<WallTime> http_date(std::string_view text) {  // Sun, 06 Nov 1994 08:49:37 GMT
    if (text.size() > 40) return {};
    std::tm time{};
    std::istringstream in{std::string(text)};
    in.imbue(std::locale::classic());
    char comma = 0;
    std::string day, month, zone;
    int date = 0, year = 0;
    in >> day >> date >> month >> year >> time.tm_hour >> comma >> time.tm_min >> comma >> time.tm_sec >> zone;
    static constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const auto at = month.size() == 3 ? months.find(month) : std::string_view::npos;
    const bool sound = in && at != std::string_view::npos && at % 3 == 0 && date >= 1 && date <= 31 && year >= 1970 &&
                       year <= 9999 && zone == "GMT";
    if (!sound) return {};
    time.tm_mday = date;
    time.tm_mon = static_cast<int>(at / 3);
    time.tm_year = year - 1900;
    return WallTime(std::chrono::seconds(timegm(&time)));
}
std::optional<WallTime> utc_time(std::string_view text) {  // 2026-01-27T12:00:30Z, perhaps with a fraction
    if (text.size() < 20 || text.size() > 40 || text.back() != 'Z') return {};
    const std::string copy(text);
    int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
    if (std::sscanf(copy.c_str(), "%4d-%2d-%2dT%2d:%2d:%2d", &year, &month, &day, &hour, &minute, &second) != 6)
        return {};
    const bool sound = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 31 && hour >= 0 && hour < 24 &&
                       minute >= 0 && minute < 60 && second >= 0 && second <= 60;
    if (!sound) return {};
    std::tm time{};
    time.tm_year = year - 1900, time.tm_mon = month - 1, time.tm_mday = day;
    time.tm_hour = hour, time.tm_min = minute, time.tm_sec = second;
    return WallTime(std::chrono::seconds(timegm(&time)));
}
milliseconds bounded(double ms) { return milliseconds(std::llround(std::clamp(ms, 0.0, longest_ms))); }
milliseconds until(WallTime time, WallTime now) {
    return bounded(std::chrono::duration<double, std::milli>(time - now).count());
}
}

AskedWait asked_wait(std::string_view retry_after_ms, std::string_view retry_after, WallTime now) {
    if (const auto ms = number(retry_after_ms)) return bounded(*ms);
    if (const auto seconds = number(retry_after)) return bounded(*seconds * 1000);
    if (const auto date = http_date(retry_after)) return until(*date, now);
    return {};
}
AskedWait asked_duration(std::string_view text) {
    if (text.empty() || text.size() > 40) return {};
    double ms = 0;
    while (!text.empty()) {
        const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
        const auto value = number(text.substr(0, digits));
        text.remove_prefix(digits);
        const auto unit = text.substr(0, std::min(text.find_first_of("0123456789."), text.size()));
        text.remove_prefix(unit.size());
        const double factor = unit == "ms" ? 1 : unit == "s" ? 1e3 : unit == "m" ? 6e4 : unit == "h" ? 3.6e6 : 0;
        if (!value || factor == 0) return {};
        ms += *value * factor;
    }
    return bounded(ms);
}
AskedWait used_up(std::string_view remains, std::string_view reset, WallTime now) {
    if (number(remains) != 0.0) return {};
    if (const auto duration = asked_duration(reset)) return duration;
    if (const auto time = utc_time(reset)) return until(*time, now);
    return {};
}
}
