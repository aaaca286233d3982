#include "engine/retry.hpp"
#include "steps/models/http/retry.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::models;
using namespace std::chrono_literals;

namespace {
const WallTime now = WallTime(784111777s);  // Sun, 06 Nov 1994 08:49:37 GMT
const RetryPolicy policy;
Fault fault(int retries = Fault::any) { return {Code::model_failed, "failed", retries}; }
}

TEST_CASE("waits grow exponentially up to a cap, with jitter from nothing to all") {
    const RetryPolicy many{.attempts = 100};
    CHECK(next_wait(many, fault(), 1, 0.0) == 0ms);
    CHECK(next_wait(many, fault(), 1, 0.5) == 250ms);
    CHECK(next_wait(many, fault(), 3, 0.5) == 1000ms);
    CHECK(next_wait(many, fault(), 90, 0.999) == 7992ms);
}
TEST_CASE("a model waits as a step would that has the same figures") {
    const RetryPolicy many{.attempts = 100, .base = 40ms, .cap = 1000ms};
    const Wait step = exponential(many.base, many.cap);
    for (int attempt = 1; attempt < 100; ++attempt)
        for (const double chance : {0.0, 0.25, 0.5, 0.999})
            CHECK(next_wait(many, fault(), attempt, chance) ==
                  std::chrono::round<std::chrono::milliseconds>(step.before_retry(unsigned(attempt), 1 - chance)));
}
TEST_CASE("a cap below the first wait is no cap") {
    CHECK(next_wait({.attempts = 9, .base = 2000ms, .cap = 10ms}, fault(), 5, 0.5) == 1000ms);
}
TEST_CASE("it ends after the attempts of the policy and the retries of the fault") {
    CHECK(next_wait(policy, fault(), 2, 0.5));
    CHECK_FALSE(next_wait(policy, fault(), 3, 0.5));
    CHECK(next_wait(policy, fault(1), 1, 0.5));
    CHECK_FALSE(next_wait(policy, fault(1), 2, 0.5));
    CHECK_FALSE(next_wait(policy, fault(0), 1, 0.5));
}
TEST_CASE("what the server asks for is the least, and too much of it is not waited for") {
    Fault asked = fault();
    asked.floor = 7s;
    CHECK(next_wait(policy, asked, 1, 0.0) == 7000ms);
    CHECK(next_wait(policy, asked, 1, 0.5) == 7250ms);
    asked.floor = 61s;
    CHECK_FALSE(next_wait(policy, asked, 1, 0.0));
}
TEST_CASE("the wait is read from milliseconds first, then seconds, then a date") {
    CHECK(asked_wait("250", "9", now) == 250ms);
    CHECK(asked_wait("", "9", now) == 9000ms);
    CHECK(asked_wait("", "1.5", now) == 1500ms);
    CHECK(asked_wait("", "Sun, 06 Nov 1994 08:49:47 GMT", now) == 10000ms);
    CHECK(asked_wait("", "Sun, 06 Nov 1994 08:49:07 GMT", now) == 0ms);
    CHECK(asked_wait("", "99999999999999999", now) == 365 * 24h);
}
TEST_CASE("nonsense asks for nothing") {
    for (const char* text : {"", "soon", "-1", "1e9", "0x10", "nan", "1 2", "1.2.3", "Sun, 06 Foo 1994 08:49:47 GMT",
                             "Sun, 06 Nov 1994 08:49:47 CET", "Sun, 99 Nov 1994 08:49:47 GMT",
                             "99999999999999999999999999999999999999999"})
        CHECK_FALSE(asked_wait(text, text, now));
}
TEST_CASE("an overloaded server is left alone for longer") {
    Fault overloaded = fault();
    overloaded.overloaded = true;
    CHECK(next_wait(policy, overloaded, 1, 0.0) == 1s);
    CHECK(next_wait(policy, overloaded, 2, 0.5) == 3s);
}
TEST_CASE("waits are read in every form in which limits are told") {
    for (const auto& [text, wait] : {std::pair<const char*, AskedWait>{"1s", 1s},
                                     {"6m0s", 6min},
                                     {"250ms", 250ms},
                                     {"1h2m3.5s", 1h + 2min + 3500ms},
                                     {"0.05s", 50ms},
                                     {"", {}},
                                     {"7", {}},
                                     {"s", {}},
                                     {"1x", {}},
                                     {"-1s", {}},
                                     {"1s1", {}}})
        CHECK(asked_duration(text) == wait);
    CHECK(used_up("0", "1s", now) == 1000ms);
    CHECK(used_up("0", "1994-11-06T08:49:47Z", now) == 10s);
    CHECK(used_up("0", "1994-11-06T08:49:47.25Z", now) == 10s);
    for (const char* reset : {"", "soon", "1994-13-06T08:49:47Z", "1994-11-06T08:49:47+01:00", "1994-11-06 08:49:47"})
        CHECK_FALSE(used_up("0", reset, now));
    CHECK_FALSE(used_up("1", "1s", now));
    CHECK_FALSE(used_up("", "1s", now));
}
