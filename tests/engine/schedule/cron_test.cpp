#include "engine/error.hpp"
#include "tests/engine/schedule/times.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::schedule;
using weft::schedule::testing::next;
using weft::schedule::testing::Texts;

namespace {
std::string refusal(std::string_view expression) {
    try {
        const Cron cron(expression);
    } catch (const Error& e) {
        CHECK(e.code() == Code::usage);
        return e.what();
    }
    return "read";
}
/// Whether two expressions are read as the same times.
bool same(std::string_view a, std::string_view b) { return Cron(a).fields() == Cron(b).fields(); }
}

TEST_CASE("an expression is read in the same way whichever form its values have") {
    CHECK(same("0 9 * * MON-FRI", "0 9 * * 1-5"));
    CHECK(same("0 9 * * mon,Tue,WED,4,5", "0 9 * * 1-5"));
    CHECK(same("0 0 * jan,DEC 7", "0 0 * 1,12 0"));
    CHECK(same("0 0 * * 5-7", "0 0 * * 0,5,6"));
    CHECK(same("0 0 * * FRI-SUN", "0 0 * * 0,5,6"));
    CHECK(same("*/15 * * * *", "0,15,30,45 * * * *"));
    CHECK(same("5/20 10-20/5 * * *", "5,25,45 10,15,20 * * *"));
    CHECK(same("0 0 * * */2", "0 0 * * 0,2,4,6"));
    CHECK(same("1,1,1-1 0 * * *", "1 0 * * *"));
    CHECK(Cron(" \t0  9 * * 1-5\n").text() == "0 9 * * 1-5");
    CHECK(same("@Weekly", "0 0 * * 0"));
    CHECK(same("@hourly", "0 * * * *"));
    CHECK(same("@yearly", "0 0 1 1 *"));
}
TEST_CASE("a day fits when it fits either field of days that is not a star") {
    const auto october = "2017-10-01T00:00:00Z";

    CHECK(next("0 6 13 * FRI", "UTC", october, 3) ==
          Texts{"2017-10-06 06:00 +00:00", "2017-10-13 06:00 +00:00", "2017-10-20 06:00 +00:00"});
    CHECK(next("0 6 30,31 10 1-5", "UTC", "2017-10-27T12:00:00Z", 3) ==
          Texts{"2017-10-30 06:00 +00:00", "2017-10-31 06:00 +00:00", "2018-10-01 06:00 +00:00"});
    // Only a star alone leaves the choice to the other field: 1-31 and */1 are every day.
    CHECK(next("0 6 1-31 * FRI", "UTC", october, 2) == Texts{"2017-10-01 06:00 +00:00", "2017-10-02 06:00 +00:00"});
    CHECK(next("0 6 * * FRI", "UTC", october, 2) == Texts{"2017-10-06 06:00 +00:00", "2017-10-13 06:00 +00:00"});
    CHECK(next("0 6 13 * *", "UTC", october, 2) == Texts{"2017-10-13 06:00 +00:00", "2017-11-13 06:00 +00:00"});
}
TEST_CASE("the last day and the numbered weekdays of a month are found when months have different lengths") {
    CHECK(next("0 0 L * *", "UTC", "2023-12-31T00:00:00Z", 3) ==
          Texts{"2024-01-31 00:00 +00:00", "2024-02-29 00:00 +00:00", "2024-03-31 00:00 +00:00"});
    CHECK(next("0 0 15,L 2 *", "UTC", "2023-01-01T00:00:00Z", 3) ==
          Texts{"2023-02-15 00:00 +00:00", "2023-02-28 00:00 +00:00", "2024-02-15 00:00 +00:00"});
    CHECK(next("0 0 * * 5L", "UTC", "2024-02-01T00:00:00Z", 2) ==
          Texts{"2024-02-23 00:00 +00:00", "2024-03-29 00:00 +00:00"});
    CHECK(next("0 0 * * SUN#1,1#3", "UTC", "2024-09-01T00:00:00Z", 3) ==
          Texts{"2024-09-16 00:00 +00:00", "2024-10-06 00:00 +00:00", "2024-10-21 00:00 +00:00"});
    CHECK(same("0 0 * * 7#1", "0 0 * * SUN#1"));
    CHECK(same("0 0 * * 1#1,1#2,1#3,1#4,1#5", "0 0 * * MON"));
}
TEST_CASE("the next time is found when it is forty years away") {
    CHECK(next("0 0 29 2 *", "UTC", "2096-02-29T00:00:00Z", 1) == Texts{"2104-02-29 00:00 +00:00"});
    CHECK(next("0 0 * 2 1#5", "Europe/Berlin", "2072-03-01T00:00:00Z", 1) == Texts{"2112-02-29 00:00 +01:00"});
    CHECK(next("0 0 31 12 *", "UTC", "2024-12-31T00:00:00Z", 1) == Texts{"2025-12-31 00:00 +00:00"});
    CHECK(next("59 23 31 12 *", "UTC", "9998-12-31T23:59:00Z", 5) == Texts{"9999-12-31 23:59 +00:00"});
    CHECK(next("* * * * *", "UTC", "1900-01-01T00:00:00Z", 1) == Texts{"1970-01-01 00:00 +00:00"});
}
TEST_CASE("a time is later than the one it is asked for when that one has seconds or fits itself") {
    CHECK(next("* * * * *", "UTC", "2024-05-05T05:05:00Z", 1) == Texts{"2024-05-05 05:06 +00:00"});
    CHECK(next("* * * * *", "UTC", "2024-05-05T05:05:59Z", 1) == Texts{"2024-05-05 05:06 +00:00"});
    CHECK(next("5 5 * * *", "UTC", "2024-05-05T05:04:59Z", 1) == Texts{"2024-05-05 05:05 +00:00"});
    CHECK(next("5 5 * * *", "UTC", "2024-05-05T05:05:00Z", 1) == Texts{"2024-05-06 05:05 +00:00"});
}
TEST_CASE("an expression is refused by a sentence with field, piece and cure when it does not fit") {
    CHECK(refusal("0 25 * * *") == "the cron expression \"0 25 * * *\" has the hour \"25\": write 0 to 23");
    CHECK(refusal("61 * * * *").find("has the minute \"61\": write 0 to 59") != std::string::npos);
    CHECK(refusal("* * 0 * *").find("has the day of the month \"0\": write 1 to 31, or L") != std::string::npos);
    CHECK(refusal("* * * 13 *").find("has the month \"13\": write 1 to 12, or JAN to DEC") != std::string::npos);
    CHECK(refusal("* * * MON *").find("has the month \"MON\"") != std::string::npos);
    CHECK(refusal("* * * * 8").find("has the day of the week \"8\": write 0 to 7, SUN to SAT") != std::string::npos);
    for (const char* piece : {"1,,2", ",1", "1-", "-1", "1-2-3", "a", "1.5", "+1", "007", "*5", "1*", "?", "~", "*-5",
                              "1#2", "L", "H", "/5", "\xff"})
        CHECK_MESSAGE(refusal(std::string(piece) + " * * * *").find("has the minute \"") != std::string::npos, piece);
    for (const char* piece : {"5#0", "5#6", "5#", "#1", "L", "8L", "MONL5", "1-5L", "1-5#2", "5#2#3", "monday"})
        CHECK_MESSAGE(refusal("* * * * " + std::string(piece)).find("has the day of the week") != std::string::npos,
                      piece);
    for (const char* piece : {"*/0", "*/60", "*/90", "*/", "*/x", "1-5/-1", "*/5/5"})
        CHECK_MESSAGE(refusal(std::string(piece) + " * * * *")
                              .find("write a step of 1 to 59, because each hour begins "
                                    "anew") != std::string::npos,
                      piece);
    CHECK(refusal("0 22-2 * * *").find("which runs backwards: write \"22-23,0-2\"") != std::string::npos);
    CHECK(refusal("* * * * * *").find("has 6 fields: write five") != std::string::npos);
    CHECK(refusal("0 9").find("has 2 fields: write five") != std::string::npos);
    CHECK(refusal("").find("has 0 fields") != std::string::npos);
    CHECK(refusal("@reboot").find("is no nickname: write one of @yearly, @annually") != std::string::npos);
    CHECK(refusal("CRON_TZ=Europe/Berlin 0 9 * * *").find("begins with a zone") != std::string::npos);
}
TEST_CASE("an expression is refused at once when its days never come") {
    for (const char* never : {"0 0 30 2 *", "0 0 31 2 *", "0 0 31 2,4,6,9,11 *", "* * 30,31 FEB *"})
        CHECK_MESSAGE(refusal(never).find("never comes") != std::string::npos, never);
    for (const char* comes : {"0 0 31 4,5 *", "0 0 29 2 *", "0 0 30 2 1", "0 0 30,L 2 *", "0 0 * 2 1#5"})
        CHECK_MESSAGE(refusal(comes) == "read", comes);
}
TEST_CASE("a refusal is one short line when the expression is long or has hidden characters") {
    const auto said = refusal(std::string(100'000, '*'));
    CHECK(said.size() < 500);
    CHECK(said.find("is longer than 256 bytes") != std::string::npos);
    CHECK(refusal("0 \x1b[31m5 * * *").find('\x1b') == std::string::npos);
    CHECK(refusal("0 0 * *\n5\n6").find('\n') == std::string::npos);
}
