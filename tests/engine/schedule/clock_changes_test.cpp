// Days on which clocks change. Each list is what the clocks show, with their offset from UTC.
#include "tests/engine/schedule/times.hpp"
#include <doctest/doctest.h>
using namespace weft::schedule;
using weft::schedule::testing::next;
using weft::schedule::testing::Texts;

TEST_CASE("a time of day comes once when clocks skip it or show it twice") {
    // Berlin: 02:00 becomes 03:00 on March 31, and 03:00 becomes 02:00 on October 27.
    CHECK(next("30 2 * * *", "Europe/Berlin", "2024-03-30T12:00:00Z", 2) ==
          Texts{"2024-03-31 03:30 +02:00", "2024-04-01 02:30 +02:00"});
    CHECK(next("30 2 * * *", "Europe/Berlin", "2024-10-26T12:00:00Z", 2) ==
          Texts{"2024-10-27 02:30 +02:00", "2024-10-28 02:30 +01:00"});
    CHECK(next("30 2 * * *", "Europe/Berlin", "2024-10-27T00:45:00Z", 1) == Texts{"2024-10-28 02:30 +01:00"});
    // New York: 02:00 becomes 03:00 on March 10, and 02:00 becomes 01:00 on November 3.
    CHECK(next("0 2 * * *", "America/New_York", "2024-03-09T12:00:00Z", 2) ==
          Texts{"2024-03-10 03:00 -04:00", "2024-03-11 02:00 -04:00"});
    CHECK(next("59 1 * * *", "America/New_York", "2024-11-02T12:00:00Z", 2) ==
          Texts{"2024-11-03 01:59 -04:00", "2024-11-04 01:59 -05:00"});
    CHECK(next("0 2 * * *", "America/New_York", "2024-11-02T12:00:00Z", 1) == Texts{"2024-11-03 02:00 -05:00"});
    // The same, far from now: rules go on.
    CHECK(next("30 2 * * *", "Europe/Berlin", "2099-03-28T12:00:00Z", 2) ==
          Texts{"2099-03-29 03:30 +02:00", "2099-03-30 02:30 +02:00"});
    CHECK(next("30 2 * * *", "Europe/Berlin", "2600-03-29T12:00:00Z", 1) == Texts{"2600-03-30 03:30 +02:00"});
}
TEST_CASE("an expression with all hours follows the clock when clocks change") {
    CHECK(next("*/30 * * * *", "Europe/Berlin", "2024-03-31T00:00:00Z", 3) ==
          Texts{"2024-03-31 01:30 +01:00", "2024-03-31 03:00 +02:00", "2024-03-31 03:30 +02:00"});
    CHECK(next("*/30 * * * *", "Europe/Berlin", "2024-10-26T23:30:00Z", 5) ==
          Texts{"2024-10-27 02:00 +02:00", "2024-10-27 02:30 +02:00", "2024-10-27 02:00 +01:00",
                "2024-10-27 02:30 +01:00", "2024-10-27 03:00 +01:00"});
    CHECK(next("15 0-23 * * *", "America/New_York", "2024-11-03T04:30:00Z", 3) ==
          Texts{"2024-11-03 01:15 -04:00", "2024-11-03 01:15 -05:00", "2024-11-03 02:15 -05:00"});
    CHECK(next("0 * * * 0", "America/Chicago", "2026-03-08T05:45:00Z", 3) ==
          Texts{"2026-03-08 00:00 -06:00", "2026-03-08 01:00 -06:00", "2026-03-08 03:00 -05:00"});
}
TEST_CASE("a skipped time is one with the time that it becomes when that fits, too") {
    CHECK(next("30 1-4 * * *", "Europe/Berlin", "2024-03-31T00:00:00Z", 4) ==
          Texts{"2024-03-31 01:30 +01:00", "2024-03-31 03:30 +02:00", "2024-03-31 04:30 +02:00",
                "2024-04-01 01:30 +02:00"});
    CHECK(next("0 */2 * * *", "Europe/Berlin", "2024-03-30T22:30:00Z", 3) ==
          Texts{"2024-03-31 00:00 +01:00", "2024-03-31 03:00 +02:00", "2024-03-31 04:00 +02:00"});
    CHECK(next("0 */2 * * *", "Europe/Berlin", "2024-10-26T21:30:00Z", 3) ==
          Texts{"2024-10-27 00:00 +02:00", "2024-10-27 02:00 +02:00", "2024-10-27 04:00 +01:00"});
}
TEST_CASE("a change of half an hour moves and repeats half an hour") {
    // Lord Howe: 02:00 becomes 02:30 on October 6, and 02:00 becomes 01:30 on April 7.
    CHECK(next("15 2 * * *", "Australia/Lord_Howe", "2024-10-05T00:00:00Z", 2) ==
          Texts{"2024-10-06 02:45 +11:00", "2024-10-07 02:15 +11:00"});
    CHECK(next("15,40 2 * * *", "Australia/Lord_Howe", "2024-10-05T00:00:00Z", 3) ==
          Texts{"2024-10-06 02:40 +11:00", "2024-10-06 02:45 +11:00", "2024-10-07 02:15 +11:00"});
    CHECK(next("45 1 * * *", "Australia/Lord_Howe", "2024-04-06T00:00:00Z", 2) ==
          Texts{"2024-04-07 01:45 +11:00", "2024-04-08 01:45 +10:30"});
    CHECK(next("*/15 * * * *", "Australia/Lord_Howe", "2024-04-06T14:30:00Z", 4) ==
          Texts{"2024-04-07 01:45 +11:00", "2024-04-07 01:30 +10:30", "2024-04-07 01:45 +10:30",
                "2024-04-07 02:00 +10:30"});
}
TEST_CASE("midnight comes at one o'clock when clocks skip it") {
    // Sao Paulo: 00:00 became 01:00 on 2017-10-15, and 00:00 of 2018-02-18 became 23:00 of the 17th.
    CHECK(next("0 0 * * *", "America/Sao_Paulo", "2017-10-14T12:00:00Z", 2) ==
          Texts{"2017-10-15 01:00 -02:00", "2017-10-16 00:00 -02:00"});
    CHECK(next("@monthly", "America/Sao_Paulo", "2017-10-14T12:00:00Z", 1) == Texts{"2017-11-01 00:00 -02:00"});
    CHECK(next("30 0 15 10 *", "America/Sao_Paulo", "2017-10-14T12:00:00Z", 1) == Texts{"2017-10-15 01:30 -02:00"});
    CHECK(next("30 23 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00Z", 2) ==
          Texts{"2018-02-17 23:30 -02:00", "2018-02-18 23:30 -03:00"});
    CHECK(next("0 0 * * *", "America/Sao_Paulo", "2018-02-17T12:00:00Z", 2) ==
          Texts{"2018-02-18 00:00 -03:00", "2018-02-19 00:00 -03:00"});
    CHECK(next("30 * * * *", "America/Sao_Paulo", "2018-02-18T01:00:00Z", 3) ==
          Texts{"2018-02-17 23:30 -02:00", "2018-02-17 23:30 -03:00", "2018-02-18 00:30 -03:00"});
    // Since 2020 no clocks change there.
    CHECK(next("0 0 * * *", "America/Sao_Paulo", "2024-10-19T12:00:00Z", 2) ==
          Texts{"2024-10-20 00:00 -03:00", "2024-10-21 00:00 -03:00"});
}
TEST_CASE("a time comes on the next day when clocks skip it around midnight") {
    // Scoresbysund: 23:00 of Saturday became 00:00 of Sunday on 2025-03-30. Saint John's: 00:01 became 23:01 before.
    CHECK(next("30 23 * * SAT", "America/Scoresbysund", "2025-03-29T12:00:00Z", 2) ==
          Texts{"2025-03-30 00:30 -01:00", "2025-04-05 23:30 -01:00"});
    CHECK(next("30 0,23 * * *", "America/Scoresbysund", "2025-03-29T12:00:00Z", 3) ==
          Texts{"2025-03-30 00:30 -01:00", "2025-03-30 23:30 -01:00", "2025-03-31 00:30 -01:00"});
    CHECK(next("0,30 23 * * *", "America/St_Johns", "2010-11-06T12:00:00Z", 3) ==
          Texts{"2010-11-06 23:00 -02:30", "2010-11-06 23:30 -02:30", "2010-11-07 23:00 -03:30"});
    CHECK(next("30 * * * *", "America/St_Johns", "2010-11-07T01:30:00Z", 3) ==
          Texts{"2010-11-06 23:30 -02:30", "2010-11-06 23:30 -03:30", "2010-11-07 00:30 -03:30"});
}
TEST_CASE("a day has no times when the zone leaves it out") {
    // Apia went from December 29 to 31 in 2011, over a Friday.
    CHECK(next("0 9 * * *", "Pacific/Apia", "2011-12-28T20:00:00Z", 3) ==
          Texts{"2011-12-29 09:00 -10:00", "2011-12-31 09:00 +14:00", "2012-01-01 09:00 +14:00"});
    CHECK(next("0 9 * * FRI", "Pacific/Apia", "2011-12-28T20:00:00Z", 1) == Texts{"2012-01-06 09:00 +14:00"});
    CHECK(next("0 9 30 12 *", "Pacific/Apia", "2011-12-28T20:00:00Z", 1) == Texts{"2012-12-30 09:00 +14:00"});
    CHECK(next("0 */12 * * *", "Pacific/Apia", "2011-12-29T10:00:00Z", 3) ==
          Texts{"2011-12-29 12:00 -10:00", "2011-12-31 00:00 +14:00", "2011-12-31 12:00 +14:00"});
}
TEST_CASE("offsets of half an hour do not shift minutes") {
    CHECK(next("0 9 * * *", "Asia/Kolkata", "2024-01-01T00:00:00Z", 2) ==
          Texts{"2024-01-01 09:00 +05:30", "2024-01-02 09:00 +05:30"});
    CHECK(next("0 * * * *", "Asia/Kathmandu", "2024-01-01T00:00:00Z", 1) == Texts{"2024-01-01 06:00 +05:45"});
}
TEST_CASE("no day of a year is missed when the search passes a change of clocks") {
    // Steps of 24 hours pass over a day of 23 hours, and setting clocks back leads to the day before.
    for (const char* zone : {"Europe/Berlin", "America/New_York", "America/Sao_Paulo", "America/Santiago",
                             "Australia/Lord_Howe", "Asia/Beirut", "Africa/Cairo", "America/Havana"}) {
        const auto noon = Timetable::cron("0 12 * * *", zone), night = Timetable::cron("0 0 * * *", zone);
        CHECK_MESSAGE(noon.next_times(Timetable::Time(), 20'000).size() == 20'000, zone);
        auto last = noon.next(Timetable::Time());
        for (auto time : noon.next_times(*last, 5'000)) {
            const auto passed = Zone(zone).local(time) - Zone(zone).local(*last);
            REQUIRE_MESSAGE(passed == std::chrono::days(1), zone);
            last = time;
        }
        CHECK_MESSAGE(night.next_times(Timetable::Time(), 5'000).back() < Timetable::Time() + std::chrono::days(5'002),
                      zone);
    }
}
