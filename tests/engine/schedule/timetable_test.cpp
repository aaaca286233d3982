#include "engine/error.hpp"
#include "tests/engine/schedule/times.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::schedule;
using namespace std::chrono_literals;
using weft::schedule::testing::time_of;

namespace {
const auto noon = time_of("2024-05-01T12:00:00Z");

/// The code of the error that reading throws, and its sentence.
std::pair<Code, std::string> refusal(std::string_view json) {
    try {
        Timetable::from_json(json);
    } catch (const Error& e) { return {e.code(), e.what()}; }
    return {Code::idle, "read"};
}
}

TEST_CASE("an interval comes at its anchor and at each of its ends, whatever clocks show") {
    const auto days = Timetable::every(24h, time_of("2024-03-30T02:30:00+01:00"));

    CHECK(days.next(time_of("2024-01-01T00:00:00Z")) == time_of("2024-03-30T02:30:00+01:00"));
    CHECK(days.next_times(time_of("2024-03-30T02:30:00+01:00"), 2) ==
          std::vector{time_of("2024-03-31T03:30:00+02:00"), time_of("2024-04-01T03:30:00+02:00")});
    CHECK(Timetable::every(300s, noon).next(noon + 1s) == noon + 300s);
    CHECK(Timetable::every(300s, noon).next(noon + 299s) == noon + 300s);
    CHECK(Timetable::every(300s, noon).next(noon + 300s) == noon + 600s);
    CHECK(Timetable::every(1s, noon).next_times(noon).size() == 5);
    CHECK(Timetable::every(24h * 3653, time_of("9995-01-01T00:00:00Z")).next(time_of("9995-01-01T00:00:00Z")) ==
          std::nullopt);
}
TEST_CASE("a single time comes once") {
    const auto once = Timetable::at(noon);

    CHECK(once.next(noon - 1s) == noon);
    CHECK(once.next(noon) == std::nullopt);
    CHECK(once.next_times(noon - 1h) == std::vector{noon});
}
TEST_CASE("a timetable is the same when it is read from its JSON") {
    for (const auto& timetable : {Timetable::cron("0 9 * * MON-FRI", "Europe/Berlin"), Timetable::cron("@daily"),
                                  Timetable::every(300s, noon), Timetable::at(noon)}) {
        const auto again = Timetable::from_json(timetable.to_json());
        CHECK(again == timetable);
        CHECK(again.in_words() == timetable.in_words());
        CHECK(again.next_times(noon - 1s) == timetable.next_times(noon - 1s));
    }
    CHECK(Timetable::cron("0  9 * * 1-5", "Europe/Berlin").to_json() ==
          R"({"cron":"0 9 * * 1-5","zone":"Europe/Berlin"})");
    CHECK(Timetable::every(300s, noon).to_json() == R"({"anchor":"2024-05-01T12:00:00Z","every":300})");
    CHECK(Timetable::at(noon).to_json() == R"({"at":"2024-05-01T12:00:00Z"})");
}
TEST_CASE("a timetable in words names its zone, anchor or time") {
    CHECK(Timetable::cron("0 9 * * 1-5", "Europe/Berlin").in_words() == "at 09:00 on Monday to Friday, Europe/Berlin");
    CHECK(Timetable::every(90min, noon).in_words() == "every 90 minutes from 2024-05-01T12:00:00Z on");
    CHECK(Timetable::every(1h, noon).in_words() == "every hour from 2024-05-01T12:00:00Z on");
    CHECK(Timetable::every(61s, noon).in_words() == "every 61 seconds from 2024-05-01T12:00:00Z on");
    CHECK(Timetable::at(noon).in_words() == "once, at 2024-05-01T12:00:00Z");
}
TEST_CASE("a stored timetable is refused by its fault when it was damaged") {
    for (const char* json : {"{}", "[]", "", "null", R"({"cron":"* * * * *"})", R"({"every":5})",
                             R"({"cron":"* * * * *","zone":"UTC","every":5,"anchor":"2024-05-01T12:00:00Z"})",
                             R"({"every":"5m","anchor":"2024-05-01T12:00:00Z"})", R"({"at":"soon"})",
                             R"({"at":"2024-05-01T12:00:00.5Z"})"})
        CHECK_MESSAGE(refusal(json).first == Code::bad_json, json);
    CHECK(refusal(R"({"cron":"0 25 * * *","zone":"UTC"})").second.find("has the hour \"25\"") != std::string::npos);
    CHECK(refusal(R"({"cron":"0 0 * * *","zone":"Mars/Phobos"})").first == Code::usage);
    for (const char* seconds : {"0", "-5", "315619201", "9223372036854775807"})
        CHECK(refusal(R"({"every":)" + std::string(seconds) + R"(,"anchor":"2024-05-01T12:00:00Z"})")
                  .second.find("is outside of 1 second to 10 years") != std::string::npos);
    CHECK(refusal(R"({"at":"1969-12-31T23:59:59Z"})").second.find("outside of the years 1970 to 9999") !=
          std::string::npos);
}
TEST_CASE("a year of times has as many as its days and hours give when clocks change in three zones") {
    const auto times = [](std::string_view expression, const char* zone) {
        const Zone clocks(zone);
        const auto timetable = Timetable::cron(expression, zone);
        const auto begin = clocks.instants(std::chrono::local_days{std::chrono::year(2025) / 1 / 1}).first;
        const auto end = clocks.instants(std::chrono::local_days{std::chrono::year(2026) / 1 / 1}).first;
        int count = 0;
        for (auto time = timetable.next(begin - 1s); time && *time < end; time = timetable.next(*time)) ++count;
        return count;
    };

    for (const char* zone : {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe"}) {
        CAPTURE(zone);
        const bool half_hour = std::string_view(zone) == "Australia/Lord_Howe";
        CHECK(times("*/15 * * * *", zone) == 365 * 24 * 4);
        CHECK(times("0 * * * *", zone) == 365 * 24 - half_hour);  // clocks skip one 02:00, and no full hour comes twice
        CHECK(times("30 2 * * *", zone) == 365);
        CHECK(times("45 1 * * *", zone) == 365);
        CHECK(times("0 9 * * 1-5", zone) == 261);
        // A skipped quarter of an hour is one with the quarter that it becomes.
        CHECK(times("*/15 1-3 * * *", zone) == 365 * 12 - (half_hour ? 2 : 4));
        CHECK(times("0 0 1 * *", zone) == 12);
        CHECK(times("0 0 L * 5L", zone) == 12 + 12 - 3);  // three months of 2025 end on a Friday
        CHECK(times("0 0 29 2 *", zone) == 0);
    }
}
