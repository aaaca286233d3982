// Independent of the process's locale, which may have other names for months.
#include "engine/net/http_date.hpp"
#include <ctime>
#include <locale>
#include <sstream>
#include <string>

namespace weft::net {
std::optional<WallTime> read_http_date(std::string_view text) {
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
}
