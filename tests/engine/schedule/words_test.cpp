#include "engine/schedule/cron.hpp"
#include <doctest/doctest.h>
using weft::schedule::Cron;

TEST_CASE("an expression in words names all that it means") {
    const auto words = [](const char* expression) { return Cron(expression).in_words(); };

    CHECK(words("0 9 * * 1-5") == "at 09:00 on Monday to Friday");
    CHECK(words("* * * * *") == "every minute");
    CHECK(words("*/5 * * * *") == "every 5 minutes");
    CHECK(words("0 * * * *") == "at minute 0 of every hour");
    CHECK(words("30 8,12 * * 0,6") == "at 08:30 and 12:30 on Saturday and Sunday");
    CHECK(words("*/15 9-17 * * *") == "every 15 minutes of hours 9 to 17");
    CHECK(words("* 9 * * *") == "every minute of hour 9");
    CHECK(words("0 0 1 * *") == "at 00:00 on day 1 of the month");
    CHECK(words("0 0 1-7,15,L 1-3 *") ==
          "at 00:00 on days 1 to 7 and 15 and the last day of the month in January to March");
    CHECK(words("0 0 13 * FRI") == "at 00:00 on day 13 of the month, and on Friday");
    CHECK(words("0 0 * * 5L") == "at 00:00 on the last Friday of the month");
    CHECK(words("0 0 * * MON#2") == "at 00:00 on the 2nd Monday of the month");
    CHECK(words("0 0 * * *") == "at 00:00");
    CHECK(words("0 0 * 6 *") == "at 00:00 in June");
    CHECK(words("0 0 13 6 FRI") == "at 00:00 on day 13 of the month, and on Friday, all in June");
    CHECK(words("0 0 * * FRI-SUN") == "at 00:00 on Friday to Sunday");
    // Steps that do not divide the hour are listed, because the last one is shorter.
    CHECK(words("*/25 * * * *") == "at minutes 0, 25 and 50 of every hour");
}
