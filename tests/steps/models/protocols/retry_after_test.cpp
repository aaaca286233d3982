// Waits that servers require, in headers and in words, with the sources of unusual forms.
#include "engine/text/text.hpp"
#include "steps/models/protocols/wire/retry_after.hpp"
#include <doctest/doctest.h>
#include <map>
#include <memory>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;

namespace {
const WallTime now{784111777s};  // Sun, 06 Nov 1994 08:49:37 GMT
using Given = std::map<std::string, std::string, std::less<>>;
Headers headers(const Given& given) {
    return [kept = std::make_shared<const Given>(given)](std::string_view name) {
        for (const auto& [key, value] : *kept)
            if (equal_ignoring_case(key, name)) return std::string_view(value);
        return std::string_view();
    };
}
RetryAfter told(const Given& given) { return told_wait(headers(given), now); }
RetryAfter limit(const Given& given, bool refused = true) { return limit_wait(headers(given), now, refused); }
}

TEST_CASE("a wait is read from milliseconds first, then from any form of Retry-After") {
    CHECK(told({{"retry-after-ms", "250"}, {"retry-after", "9"}}) == 250ms);
    CHECK(told({{"x-ms-retry-after-ms", "250"}, {"retry-after", "9"}}) == 250ms);
    CHECK(told({}) == std::nullopt);
    for (const auto& [text, wait] : {std::pair<const char*, RetryAfter>{"9", 9s},
                                     {" 1.5 ", 1500ms},
                                     {"3s", 3s},
                                     {"1m30s", 90s},
                                     {"Sun, 06 Nov 1994 08:49:47 GMT", 10s},
                                     {"Sun, 06 Nov 1994 08:49:07 GMT", 0s},
                                     {"1994-11-06T08:49:47Z", 10s},
                                     {"784111787", 10s},
                                     {"784111787000", 10s}}) {
        const auto& shown = text;
        CAPTURE(shown);
        CHECK(told({{"Retry-After", text}}) == wait);
    }
}
TEST_CASE("an unreadable wait is ignored") {
    for (const char* text : {"", "soon", "-1", "1e9", "0x10", "nan", "1 2", "1.2.3", "Sun, 06 Foo 1994 08:49:47 GMT",
                             "Sun, 06 Nov 1994 08:49:47 CET", "Sun, 99 Nov 1994 08:49:47 GMT", "99999999999999999",
                             "99999999999999999999999999999999999999999", "1994-13-06T08:49:47Z", "400 days",
                             "1994-11-06T08:49:47+01:00", "1994-11-06 08:49:47"}) {
        CAPTURE(text);
        CHECK_FALSE(until_point(text, now));
        if (std::string_view(text) != "1 2") CHECK_FALSE(told({{"retry-after-ms", text}}));
    }
}
TEST_CASE("durations are read in every form that limits have") {
    for (const auto& [text, wait] : {std::pair<const char*, RetryAfter>{"1s", 1s},
                                     {"6m0s", 6min},
                                     {"250ms", 250ms},
                                     {"1h2m3.5s", 1h + 2min + 3500ms},
                                     {"0.05s", 50ms},
                                     {"2 minutes", 2min},
                                     {"1 minute and 30 seconds", 90s},
                                     {"1d", 24h},
                                     {"", {}},
                                     {"7", {}},
                                     {"s", {}},
                                     {"1x", {}},
                                     {"-1s", {}},
                                     {"1s1", {}}}) {
        const auto& shown = text;
        CAPTURE(shown);
        CHECK(asked_duration(text) == wait);
    }
}
TEST_CASE("a wait lasts until the exhausted limit is restored, or the first limit if the request was refused") {
    const Given both{{"x-ratelimit-remaining-requests", "0"},
                     {"x-ratelimit-reset-requests", "4s"},
                     {"x-ratelimit-remaining-tokens", "2000"},
                     {"x-ratelimit-reset-tokens", "1s"}};
    CHECK(limit(both) == 4s);
    CHECK(limit(both, false) == 4s);
    const Given none{{"x-ratelimit-remaining-tokens", "2000"},
                     {"x-ratelimit-reset-tokens", "7.66s"},
                     {"x-ratelimit-reset-requests", "2m59.56s"}};
    CHECK(limit(none) == 7660ms);
    CHECK_FALSE(limit(none, false));
    CHECK(limit({{"x-ratelimit-remaining-tokens-minute", "0"},  // Cerebras
                 {"x-ratelimit-reset-tokens-minute", "37.18306016921997"}}) == 37183ms);
    CHECK(limit({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "784111787000"}}) == 10s);  // OpenRouter
    CHECK(limit({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "784111787"}}) == 10s);     // GitHub
    CHECK(limit({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "12"}}) == 12s);            // Together
    CHECK(limit({{"X-Rate-Limit-Remaining", "0"}, {"X-Rate-Limit-Reset", "784111787"}}) == 10s);
    CHECK(limit({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset-after", "1.5"}}) == 1500ms);
    CHECK(limit({{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "5"}}) == 5s);
    CHECK(limit({{"RateLimit", "limit=10, remaining=0, reset=5"}}) == 5s);
    CHECK(limit({{"RateLimit", "\"a\";r=0;t=5, \"b\";r=3;t=60"}}) == 5s);
    CHECK(limit({{"anthropic-ratelimit-input-tokens-remaining", "0"},
                 {"anthropic-ratelimit-input-tokens-reset", "1994-11-06T08:49:47.25Z"}}) == 10s);
    CHECK_FALSE(limit({{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "-5"}}));
    CHECK_FALSE(limit({{"x-ratelimit-remaining", "0"}}));
    CHECK_FALSE(limit({}));
}
TEST_CASE("a wait is read from the length in a refusal's words") {
    for (const auto& [words, wait] :
         {std::pair<const char*, RetryAfter>{"limit 30000, used 28000, requested 4000. please try again in 4s.", 4s},
          {"please try again in 7m12.5s. need more tokens?", 7min + 12500ms},
          {"please try again in 1m30s", 90s},
          {"try again in 500ms", 500ms},
          {"please retry in 14.963526891s.", 14964ms},                         // Gemini
          {"please retry after 20 seconds. please go here: ...", 20s},         // Azure
          {"please wait 30 seconds before trying again", 30s},                 // GitHub Models
          {"rate limit of 15 per 60s exceeded. please wait 54 seconds", 54s},  // GitHub Models
          {"try again in 2 minutes", 2min},
          {"try again in approximately 1 hour", 1h},
          {"retry-after: 3", 3s},
          {"rate limit exceeded, retry_after: 2", 2s},
          {"please wait for another 3 minutes and 5 seconds", 185s},
          {"quota will reset after 1h2m3s", 1h + 2min + 3s},  // Google's code assist
          {"请2秒后重试", 2s},
          {"请求过快，请在 2 分钟后再试", 2min},
          {"请稍后重试", {}},
          {"几秒后重试", {}},
          {"limit 3 / min. please try again later", {}},
          {"please wait before trying again", {}},
          {"try again in -4s", {}},
          {"try again in 99999999999 days", {}},
          {"", {}}}) {
        const auto& shown = words;
        CAPTURE(shown);
        CHECK(wait_in_words(words) == wait);
    }
}
TEST_CASE("a wait is read from the time in a refusal's words") {
    CHECK(until_point(point_in_words("used up. try again at 1994-11-06t08:49:47z."), now) == 10s);
    CHECK(until_point(point_in_words("it resets at 1994-11-06t08:49:47.5z (utc)"), now) == 10s);
    for (const char* words : {"try again at noon", "try again at ", "look at 1994-11-06t08:49:47z", ""})
        CHECK(point_in_words(words) == "");
}
