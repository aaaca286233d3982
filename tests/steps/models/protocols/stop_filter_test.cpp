#include "steps/models/protocols/parts/stop_filter.hpp"
#include "tests/support/cuts.hpp"
#include <doctest/doctest.h>
using namespace weft::models;

namespace {
std::string cut(std::string_view text, const std::vector<std::string>& stops) {
    StopFilter whole(stops);
    std::string expected(whole.pass(text));
    expected += whole.rest();
    weft::testing::for_all_cuts(text, [&](const auto& pieces) {
        StopFilter filter(stops);
        std::string passed;
        for (auto piece : pieces) passed += filter.pass(piece);
        REQUIRE(passed + filter.rest() == expected);
        REQUIRE(filter.hit() == whole.hit());
    });
    return expected;
}
}

TEST_CASE("text ends before the stop sequence that is complete first, however it is cut") {
    CHECK(cut("Action: x\nObservation: y\nObservation: z", {"\nObservation:"}) == "Action: x");
    CHECK(cut("aaab", {"aab"}) == "a");
    CHECK(cut("abcX", {"abcX", "bc"}) == "a");
    CHECK(cut("xabc", {"abc", "bc"}) == "x");
    CHECK(cut("Observation:", {"Observation:"}).empty());
}
TEST_CASE("text without a stop sequence passes unchanged, also with beginnings of one") {
    CHECK(cut("Observ", {"Observation:"}) == "Observ");
    CHECK(cut("ObserObservObservatio", {"Observation:"}) == "ObserObservObservatio");
    CHECK(cut("text", {}) == "text");
    CHECK(cut("text", {""}) == "text");
}
