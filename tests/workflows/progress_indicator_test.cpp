// The progress line of a terminal without other output.
#include "workflows/driver/terminal/progress_indicator.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;
using driver::ProgressIndicator;

TEST_CASE("the progress line counts the settled branches when some of several are running") {
    CHECK(ProgressIndicator::line(5s, {.settled = 3, .begun = 8}) == "... at work, 5 s, 3 of 8 branches");
    CHECK(ProgressIndicator::line(5s, {.settled = 0, .begun = 2}) == "... at work, 5 s, 0 of 2 branches");
}
TEST_CASE("the progress line has only the time when there are no branches, one branch, or no running branch") {
    CHECK(ProgressIndicator::line(5s, {}) == "... at work, 5 s");
    CHECK(ProgressIndicator::line(5s, {.settled = 0, .begun = 1}) == "... at work, 5 s");
    CHECK(ProgressIndicator::line(61s, {.settled = 8, .begun = 8}) == "... at work, 61 s");
}
