// Reads numbers and dates without the process's locale, which may change their form. A number means seconds unless it
// is as large as a date of this century, because gateways put dates into all of these headers.
#include "steps/models/protocols/wire/retry_after.hpp"
#include "engine/net/http_date.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/text.hpp"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace weft::models {
namespace {
using std::chrono::milliseconds;
constexpr double longest_ms = 365.0 * 24 * 3600 * 1000;

std::optional<double> number(std::string_view text) {  // std::from_chars also takes "inf" and "-1"
    if (text.size() > 30 || text.find_first_not_of("0123456789.") != std::string_view::npos) return {};
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}
std::optional<WallTime> utc_time(std::string_view text) {  // 2026-01-27T12:00:30Z, with or without a fraction
    if (text.size() < 20 || text.size() > 40 || !(text.back() == 'Z' || text.ends_with("+00:00"))) return {};
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
RetryAfter bounded(double ms) {
    if (!(ms <= longest_ms)) return {};
    return milliseconds(std::llround(std::max(ms, 0.0)));
}
RetryAfter until(WallTime time, WallTime now) {
    return bounded(std::chrono::duration<double, std::milli>(time - now).count());
}
double milliseconds_of(std::string_view unit) {
    static constexpr std::pair<std::string_view, double> units[] = {
        {"ms", 1},        {"msec", 1},      {"millisecond", 1}, {"milliseconds", 1}, {"s", 1e3},     {"sec", 1e3},
        {"secs", 1e3},    {"second", 1e3},  {"seconds", 1e3},   {"m", 6e4},          {"min", 6e4},   {"mins", 6e4},
        {"minute", 6e4},  {"minutes", 6e4}, {"h", 3.6e6},       {"hr", 3.6e6},       {"hrs", 3.6e6}, {"hour", 3.6e6},
        {"hours", 3.6e6}, {"d", 8.64e7},    {"day", 8.64e7},    {"days", 8.64e7}};
    for (const auto& [name, ms] : units)
        if (unit == name) return ms;
    return 0;
}
std::string_view take(std::string_view& text, bool (*wanted)(char)) {
    const auto end = std::find_if_not(text.begin(), text.end(), wanted);
    const auto taken = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(taken.size());
    return taken;
}
std::string_view take_number(std::string_view& text) {
    return take(text, [](char c) { return is_digit(c) || c == '.'; });
}
/// Removes the duration at the front of a text and returns it: any number of numbers with units.
std::optional<double> take_duration(std::string_view& text) {
    std::optional<double> sum;
    for (;;) {
        auto rest = trimmed_front(text);
        if (sum && rest.starts_with("and ")) rest = trimmed_front(rest.substr(4));
        const auto value = number(take_number(rest));
        rest = trimmed_front(rest, " ");
        const auto factor = milliseconds_of(take(rest, [](char c) { return is_lower(c); }));
        if (!value || factor == 0) return sum;
        sum = sum.value_or(0) + *value * factor;
        text = rest;
    }
}
/// Skips words before a number: "at least", "approximately".
void skip_fillers(std::string_view& text) {
    for (bool again = true; again;) {
        again = false;
        for (std::string_view filler :
             {" ", ":", "=", "~", "for ", "about ", "another ", "approximately ", "at least "})
            if (text.starts_with(filler)) {
                text.remove_prefix(filler.size());
                again = true;
            }
    }
}
/// Reads "2秒后", "2 分钟后": Chinese has the number and its unit before the word.
RetryAfter wait_before_word(std::string_view words) {
    static constexpr std::pair<std::string_view, double> units[] = {
        {"秒后", 1e3}, {"秒钟后", 1e3}, {"分钟后", 6e4}, {"小时后", 3.6e6}};
    for (const auto& [unit, ms] : units)
        if (const auto at = words.find(unit); at != words.npos) {
            const auto before = trimmed_end(words.substr(0, at), " ");
            const auto begin = before.find_last_not_of("0123456789.") + 1;  // npos + 1 is 0
            if (const auto value = number(before.substr(begin))) return bounded(*value * ms);
        }
    return {};
}
/// Parts of `RateLimit: "name";r=0;t=5` of the current draft, and of `limit=10, remaining=0, reset=5` of former ones.
struct LimitHeader {
    std::string_view remaining, reset;
};
LimitHeader read_limit_header(std::string_view text) {
    LimitHeader limit;
    while (!text.empty()) {
        const auto end = std::min(text.find_first_of(",;"), text.size());
        const auto part = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        const auto equals = part.find('=');
        if (equals == part.npos) continue;
        const auto name = part.substr(0, equals);
        if (name == "r" || name == "remaining") limit.remaining = part.substr(equals + 1);
        if (name == "t" || name == "reset") limit.reset = part.substr(equals + 1);
        if (!limit.reset.empty() && number(limit.remaining) == 0.0) break;
    }
    return limit;
}
}

RetryAfter asked_duration(std::string_view text) {
    if (text.size() > 60) return {};
    const auto ms = take_duration(text);
    return ms && text.empty() ? bounded(*ms) : std::nullopt;
}
RetryAfter until_point(std::string_view text, WallTime now) {
    constexpr double first_date = 1e8, first_date_ms = 1e11;  // in 1973, both in seconds and in milliseconds
    text = trimmed(text);
    if (text.empty()) return {};
    if (const auto value = number(text)) {
        if (*value < first_date) return bounded(*value * 1e3);
        const auto at = std::chrono::duration<double, std::milli>(*value < first_date_ms ? *value * 1e3 : *value);
        return bounded((at - std::chrono::duration<double, std::milli>(now.time_since_epoch())).count());
    }
    if (const auto duration = asked_duration(text)) return duration;
    if (const auto date = net::read_http_date(text)) return until(*date, now);
    if (const auto time = utc_time(text)) return until(*time, now);
    return {};
}
RetryAfter told_wait(const Headers& headers, WallTime now) {
    for (const char* name : {"retry-after-ms", "x-ms-retry-after-ms"})
        if (const auto ms = number(headers(name))) return bounded(*ms);
    return until_point(headers("Retry-After"), now);
}
RetryAfter limit_wait(const Headers& headers, WallTime now, bool refused) {
    static constexpr std::pair<const char*, const char*> limits[] = {
        {"x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"},
        {"x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
        {"x-ratelimit-remaining-project-tokens", "x-ratelimit-reset-project-tokens"},
        {"x-ratelimit-remaining-requests-minute", "x-ratelimit-reset-requests-minute"},  // the four rows of Cerebras
        {"x-ratelimit-remaining-requests-day", "x-ratelimit-reset-requests-day"},
        {"x-ratelimit-remaining-tokens-minute", "x-ratelimit-reset-tokens-minute"},
        {"x-ratelimit-remaining-tokens-day", "x-ratelimit-reset-tokens-day"},
        {"x-ratelimit-remaining", "x-ratelimit-reset"},  // OpenRouter, Together, GitHub
        {"x-rate-limit-remaining", "x-rate-limit-reset"},
        {"x-ratelimit-remaining", "x-ratelimit-reset-after"},
        {"ratelimit-remaining", "ratelimit-reset"},
        {"ratelimitbysize-remaining", "ratelimitbysize-reset"},  // Mistral
        {"anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset"},
        {"anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset"},
        {"anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset"},
        {"anthropic-ratelimit-output-tokens-remaining", "anthropic-ratelimit-output-tokens-reset"}};
    RetryAfter used_up, soonest;
    const auto note = [&](std::string_view remaining, std::string_view reset) {
        const auto wait = until_point(reset, now);
        if (!wait) return;
        if (number(trimmed(remaining)) == 0.0) used_up = std::max(*wait, used_up.value_or(*wait));
        soonest = std::min(*wait, soonest.value_or(*wait));
    };
    for (const auto& [remaining, reset] : limits)
        if (const auto at = headers(reset); !at.empty()) note(headers(remaining), at);
    const auto standard = read_limit_header(headers("RateLimit"));
    note(standard.remaining, standard.reset);
    return used_up || !refused ? used_up : soonest;
}
RetryAfter wait_in_words(std::string_view words) {
    static constexpr std::string_view phrases[] = {
        "again in ",  "retry in ", "retrying in ",  "retry after",  "retry-after",   "retry_after",    "again after ",
        "resets in ", "reset in ", "resets after ", "reset after ", "available in ", "request after ", "wait "};
    for (const auto phrase : phrases)
        for (auto at = words.find(phrase); at != words.npos; at = words.find(phrase, at + 1)) {
            auto rest = words.substr(at + phrase.size(), 100);
            skip_fillers(rest);
            if (const auto ms = take_duration(rest)) return bounded(*ms);
            if (const auto seconds = number(take_number(rest)); seconds && phrase.ends_with("after"))
                return bounded(*seconds * 1e3);
        }
    return wait_before_word(words);
}
std::string point_in_words(std::string_view words) {
    constexpr std::size_t longest = 40;
    for (std::string_view phrase : {"again at ", "retry at ", "reset at ", "resets at ", "available at "})
        for (auto at = words.find(phrase); at != words.npos; at = words.find(phrase, at + 1)) {
            auto text = words.substr(at + phrase.size(), longest);
            std::string point(trimmed_end(text.substr(0, text.find_first_of(" \n,;()")), "."));
            for (char& c : point) c = c == 't' ? 'T' : c == 'z' ? 'Z' : c;
            if (utc_time(point)) return point;
        }
    return {};
}
}
