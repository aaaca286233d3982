// Pauses between the claims of runs that an engine refuses.
#include "engine/impl/claim_pauses.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
storage::RunRow row(std::string id, std::uint64_t next_seq) {
    storage::RunRow row;
    row.id = std::move(id);
    row.next_seq = next_seq;
    return row;
}
using Ids = std::vector<std::string>;
/// Returns the times of claims of an engine that asks twice a second, and always gets this run.
std::vector<Duration> claims_within(Duration length, std::uint64_t steps_between) {
    ClaimPauses pauses;
    std::vector<Duration> times;
    std::uint64_t next_seq = 0;
    for (Duration now{}; now < length; now += 500ms) {
        if (pauses.begin(now).empty()) {
            times.push_back(now);
            pauses.claimed(row("a", next_seq += steps_between));
        }
    }
    return times;
}
}

TEST_CASE("a run pauses from 10 s to about 5 minutes after claims without progress") {
    const std::vector<Duration> wanted = {0s, 500ms, 10500ms, 30500ms, 70500ms, 150500ms, 310500ms, 630500ms, 950500ms};
    CHECK(claims_within(1000s, 0) == wanted);
}
TEST_CASE("a run is claimed whenever it is ready when it has made a step since its last claim") {
    CHECK(claims_within(10s, 1).size() == 20);
}
TEST_CASE("a run pauses although it was not ready in rounds between its claims, because its refusal takes time") {
    ClaimPauses pauses;
    for (const auto now : {0s, 3s}) {
        CHECK(pauses.begin(now).empty());
        pauses.claimed(row("a", 7));
        pauses.claimed(row("b", std::uint64_t(now.count())));
        CHECK(pauses.begin(now + 1s) == (now == 0s ? Ids{} : Ids{"a"}));
    }
    CHECK(pauses.begin(12s) == Ids{"a"});
    CHECK(pauses.begin(13s).empty());
    CHECK(pauses.begin(23s).empty());
    pauses.claimed(row("a", 7));
    CHECK(pauses.begin(42s) == Ids{"a"});
}
TEST_CASE("a run is claimed immediately 10 s after its pause, or when another declaration appears") {
    ClaimPauses pauses;
    const auto claim = [&](Duration now) {
        const bool is_paused = !pauses.begin(now).empty();
        if (!is_paused) pauses.claimed(row("a", 7));
        return !is_paused;
    };
    CHECK(claim(0s));
    CHECK(claim(0s));
    CHECK_FALSE(claim(9s));
    CHECK(claim(21s));
    CHECK(claim(21s));
    CHECK_FALSE(claim(22s));
    pauses.forget();
    CHECK(claim(22s));
    CHECK(claim(22s));
    CHECK_FALSE(claim(22s));
}
