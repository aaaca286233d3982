// Tells in English what an expression means. Each value that fits is named, so a misread field shows.
#include "engine/schedule/cron.hpp"
#include "engine/text/text.hpp"
#include <bit>
#include <cstdio>
#include <functional>
#include <vector>

namespace weft::schedule {
namespace {
constexpr const char* names_of_months[] = {"January", "February", "March",     "April",   "May",      "June",
                                           "July",    "August",   "September", "October", "November", "December"};
constexpr const char* names_of_weekdays[] = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                             "Thursday", "Friday", "Saturday"};
constexpr const char* names_of_weeks[] = {"last", "1st", "2nd", "3rd", "4th", "5th"};
constexpr std::size_t most_times = 6;

std::vector<int> numbers(std::uint64_t bits) {
    std::vector<int> found;
    for (int n = 0; n < 64; ++n)
        if (bits >> n & 1) found.push_back(n);
    return found;
}
std::string with_and(const std::vector<std::string>& words) {
    std::string all;
    for (std::size_t n = 0; n < words.size(); ++n)
        all += (n == 0 ? "" : n + 1 == words.size() ? " and " : ", ") + words[n];
    return all;
}
/// "1, 3 to 6 and 9": three and more values in a row are a range.
std::string ranges(std::uint64_t bits, const std::function<std::string(int)>& word) {
    std::vector<std::string> words;
    const auto all = numbers(bits);
    for (std::size_t begin = 0, end = 0; begin < all.size(); begin = end) {
        for (end = begin + 1; end < all.size() && all[end] == all[end - 1] + 1;) ++end;
        if (end - begin < 3) end = begin + 1;
        words.push_back(word(all[begin]) + (end - begin > 1 ? " to " + word(all[end - 1]) : ""));
    }
    return with_and(words);
}
std::string plain(int number) { return std::to_string(number); }
std::string plural(std::uint64_t bits) { return std::has_single_bit(bits) ? "" : "s"; }

/// The n of "every n minutes", where that is true from hour to hour; else 0.
int even_step(std::uint64_t minutes) {
    for (int step = 1; step <= 30; ++step) {
        std::uint64_t all = 0;
        for (int n = 0; n < 60; n += step) all |= std::uint64_t(1) << n;
        if (60 % step == 0 && all == minutes) return step;
    }
    return 0;
}
std::string time_words(const CronFields& fields) {
    const bool all_hours = fields.hours == (1u << 24) - 1;
    const auto hours = numbers(fields.hours), minutes = numbers(fields.minutes);
    if (!all_hours && hours.size() * minutes.size() <= most_times) {
        std::vector<std::string> times;
        for (int hour : hours)
            for (int minute : minutes) {
                char text[32];
                std::snprintf(text, sizeof text, "%02d:%02d", hour, minute);
                times.push_back(text);
            }
        return "at " + with_and(times);
    }
    const int step = even_step(fields.minutes);
    const std::string each = step == 0   ? "at minute" + plural(fields.minutes) + " " + ranges(fields.minutes, plain)
                             : step == 1 ? "every minute"
                                         : "every " + plain(step) + " minutes";
    if (!all_hours) return each + " of hour" + plural(fields.hours) + " " + ranges(fields.hours, plain);
    return each + (step == 0 ? " of every hour" : "");
}
std::string day_words(const CronFields& fields) {
    std::vector<std::string> words;
    if (fields.days) words.push_back("day" + plural(fields.days) + " " + ranges(fields.days, plain));
    if (fields.last_day) words.push_back("the last day");
    return with_and(words) + " of the month";
}
std::string weekday_words(const CronFields& fields) {
    std::vector<std::string> words;
    std::uint8_t always = 0x7f;
    for (std::size_t week = 1; week <= 5; ++week) always &= fields.weekdays[week];
    // From Monday on: a week that ends on Sunday is one range.
    const auto from_monday = std::uint64_t(always >> 1 | (always & 1) << 6);
    if (always) words.push_back(ranges(from_monday, [](int day) { return names_of_weekdays[(day + 1) % 7]; }));
    for (std::size_t week : {1, 2, 3, 4, 5, 0})
        for (int day : numbers(fields.weekdays[week] & ~always))
            words.push_back("the " + std::string(names_of_weeks[week]) + " " + names_of_weekdays[day] +
                            " of the month");
    return with_and(words);
}
}

std::string Cron::in_words() const {
    auto words = time_words(fields_);
    if (!fields_.any_day) words += " on " + day_words(fields_);
    if (!fields_.any_weekday) words += (fields_.any_day ? " on " : ", and on ") + weekday_words(fields_);
    if (fields_.months != 0x1ffe)
        words += std::string(fields_.any_day || fields_.any_weekday ? "" : ", all") + " in " +
                 ranges(fields_.months, [](int month) { return names_of_months[month - 1]; });
    return words;
}
}
