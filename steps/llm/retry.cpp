#include "steps/llm/retry.hpp"
#include <algorithm>
#include <cmath>
#include <ctime>
#include <locale>
#include <sstream>

namespace weft::llm {
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
    return std::chrono::system_clock::from_time_t(timegm(&time));
}
milliseconds bounded(double ms) { return milliseconds(std::llround(std::clamp(ms, 0.0, longest_ms))); }
}

std::optional<milliseconds> next_wait(const RetryPolicy& policy, const Fault& fault, int attempt, double chance) {
    if (attempt >= policy.attempts || attempt > fault.retries) return {};
    const auto floor = fault.floor.value_or(milliseconds(0));
    if (floor > policy.longest_wait) return {};
    const double grown = static_cast<double>(policy.base.count()) * std::exp2(std::min(attempt - 1, 30));
    return floor + bounded(chance * std::min(grown, static_cast<double>(policy.cap.count())));
}
std::optional<milliseconds> asked_wait(std::string_view retry_after_ms, std::string_view retry_after, WallTime now) {
    if (const auto ms = number(retry_after_ms)) return bounded(*ms);
    if (const auto seconds = number(retry_after)) return bounded(*seconds * 1000);
    if (const auto date = http_date(retry_after))
        return bounded(std::chrono::duration<double, std::milli>(*date - now).count());
    return {};
}
}
