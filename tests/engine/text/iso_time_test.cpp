#include "engine/text/iso_time.hpp"
#include <array>
#include <cstdio>
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono;

namespace {
std::int64_t seconds_of(std::string_view text) {
    const auto time = read_iso_time(text);
    CAPTURE(text);
    CHECK(time.mistake == "");
    return floor<seconds>(time.at).time_since_epoch().count();
}
}
TEST_CASE("a time is read with its offset") {
    CHECK(seconds_of("1970-01-01T00:00Z") == 0);
    CHECK(seconds_of("2026-12-01T09:00Z") == 1'796'115'600);
    CHECK(seconds_of("2026-12-01T09:00:00+01:00") == 1'796'112'000);
    CHECK(seconds_of("2026-12-01 09:00:59-0330") == 1'796'128'259);
    CHECK(seconds_of("2026-12-01t09:00+01") == 1'796'112'000);
    CHECK(seconds_of("2024-02-29T23:59:59z") == 1'709'251'199);
    CHECK(seconds_of("9999-12-31T23:59:59Z") == 253'402'300'799);
    CHECK(read_iso_time("1970-01-01T00:00:00.5Z").at.time_since_epoch() == 500ms);
    CHECK(read_iso_time("1970-01-01T00:00:00,1234567891Z").at.time_since_epoch() == 123'456us);
}
TEST_CASE("a time without an offset is refused with the cure") {
    for (const char* text : {"2026-12-01T09:00", "2026-12-01 09:00:00", "2026-12-01T09:00:00.5"})
        CHECK(read_iso_time(text).mistake == "takes a time with an offset, and \"" + std::string(text) +
                                                 "\" may be in any zone: add Z for UTC, or an offset such as +01:00");
}
TEST_CASE("a text that is no time is refused by name") {
    for (const char* text : {"",
                             "tomorrow",
                             "1796115600",
                             "2026-12-01",
                             "2026-12-01T",
                             "2026-13-01T09:00Z",
                             "2026-02-29T09:00Z",
                             "2026-00-10T09:00Z",
                             "2026-12-01T24:00Z",
                             "2026-12-01T09:60Z",
                             "2026-12-01T09:00:60Z",
                             "2026-12-01T9:00Z",
                             "26-12-01T09:00Z",
                             "2026-12-01T09:00:00.Z",
                             "2026-12-01T09:00+1",
                             "2026-12-01T09:00+01:0",
                             "2026-12-01T09:00+19:00",
                             "2026-12-01T09:00+01:60",
                             "2026-12-01T09:00Z ",
                             " 2026-12-01T09:00Z",
                             "2026-12-01T09:00ZZ",
                             "1969-12-31T23:59Z",
                             "1970-01-01T00:00+00:01",
                             "2026-12-01X09:00Z",
                             "2026/12/01T09:00Z",
                             "-026-12-01T09:00Z",
                             "\xff\xff"}) {
        CAPTURE(text);
        CHECK(read_iso_time(text).mistake.starts_with("takes a time such as 2026-12-01T09:00Z or "));
    }
    CHECK(read_iso_time(std::string(100'000, '1')).mistake.size() < 200);
}
TEST_CASE("each second that is written as a time is read as the same second") {
    for (std::int64_t second = 0; second < 253'402'300'800; second += 999'983'111) {
        const sys_seconds at{seconds(second)};
        const year_month_day date(floor<days>(at));
        const hh_mm_ss clock(at - floor<days>(at));
        std::array<char, 64> text{};
        (void)std::snprintf(text.data(), text.size(), "%04d-%02u-%02uT%02d:%02d:%02dZ", int(date.year()),
                            unsigned(date.month()), unsigned(date.day()), int(clock.hours().count()),
                            int(clock.minutes().count()), int(clock.seconds().count()));
        CHECK(seconds_of(text.data()) == second);
    }
}
