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
TEST_CASE("a model waits like a step with the same policy") {
    const RetryPolicy many{.attempts = 100, .base = 40ms, .cap = 1000ms};
    const Wait step = exponential(many.base, many.cap);
    for (int attempt = 1; attempt < 100; ++attempt)
        for (const double chance : {0.0, 0.25, 0.5, 0.999})
            CHECK(next_wait(many, fault(), attempt, chance) ==
                  std::chrono::round<std::chrono::milliseconds>(step.before_retry(unsigned(attempt), 1 - chance)));
}
TEST_CASE("a cap below the first wait has no effect") {
    CHECK(next_wait({.attempts = 9, .base = 2000ms, .cap = 10ms}, fault(), 5, 0.5) == 1000ms);
}
TEST_CASE("a call ends after the attempts of the policy and the retries of the fault") {
    CHECK(next_wait(policy, fault(), 2, 0.5));
    CHECK_FALSE(next_wait(policy, fault(), 3, 0.5));
    CHECK(next_wait(policy, fault(1), 1, 0.5));
    CHECK_FALSE(next_wait(policy, fault(1), 2, 0.5));
    CHECK_FALSE(next_wait(policy, fault(0), 1, 0.5));
}
TEST_CASE("a server's wait is the minimum, and a wait that is too long ends the call") {
    Fault asked = fault();
    asked.floor = 7s;
    CHECK(next_wait(policy, asked, 1, 0.0) == 7000ms);
    CHECK(next_wait(policy, asked, 1, 0.5) == 7250ms);
    asked.floor = 121s;
    CHECK_FALSE(next_wait(policy, asked, 1, 0.0));
}
TEST_CASE("an overloaded server gets longer waits") {
    Fault overloaded = fault();
    overloaded.overloaded = true;
    CHECK(next_wait(policy, overloaded, 1, 0.0) == 1s);
    CHECK(next_wait(policy, overloaded, 2, 0.5) == 3s);
}
