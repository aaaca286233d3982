// The store in memory is the model of the others: the simulation uses it in their place. So equal calls at equal times
// have to give equal answers, equal errors and equal contents.
#include "tests/engine/store/conformance.hpp"
#include "tests/engine/store/random_calls.hpp"
#include <cstdlib>
#include <doctest/doctest.h>

using namespace stores;

namespace {
struct TimedCall {
    std::int64_t at = 0;  // microseconds since 1970
    RandomCall call;
};
/// All stores, with one clock.
struct EqualHouses {
    EqualHouses() {
        for (const std::string kind : {"memory", "SQLite", "PostgreSQL"})
            if (std::ranges::find(kinds, kind) != kinds.end())
                houses.emplace_back(kind, std::make_unique<House>(kind, 0));
    }
    Store& first() { return **houses.front().second; }
    /// Returns a sentence if a store gives another answer than the first one.
    std::string difference(const TimedCall& timed) {
        for (auto& [kind, house] : houses) house->time = timed.at;
        const auto expected = timed.call.ask(first());
        for (std::size_t i = 1; i < houses.size(); ++i)
            if (const auto answer = timed.call.ask(**houses[i].second); answer != expected)
                return houses[i].first + " answers " + answer + ", and memory " + expected;
        return {};
    }
    std::vector<std::pair<std::string, std::unique_ptr<House>>> houses;
};
std::string difference_after(const std::vector<TimedCall>& calls) {
    EqualHouses houses;
    std::string difference;
    for (auto& call : calls)
        if (difference.empty()) difference = houses.difference(call);
    return difference;
}
/// Leaves out calls without which the stores differ, too.
std::vector<TimedCall> shortened(std::vector<TimedCall> calls) {
    for (auto part = calls.size() / 2; part > 0; part /= 2)
        for (std::size_t from = 0; from < calls.size();) {
            auto fewer = calls;
            fewer.erase(fewer.begin() + long(from), fewer.begin() + long(std::min(from + part, calls.size())));
            if (difference_after(fewer).empty()) from += part;
            else calls = std::move(fewer);
        }
    return calls;
}
/// WEFT_RANDOM_CALLS: the number of seeds, for a longer search than that of each test run.
std::uint64_t seeds() {
    const char* given = std::getenv("WEFT_RANDOM_CALLS");
    return given ? std::strtoull(given, nullptr, 10) : 4;
}
}
TEST_CASE("all stores give the same answers when they get the same random calls") {
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        EqualHouses houses;
        RandomCalls random(seed);
        std::vector<TimedCall> calls;
        std::int64_t time = 1'000'000;
        std::string difference;
        for (int i = 0; i < 500 && difference.empty(); ++i) {
            time += 1 + std::int64_t(random.below(3) == 0 ? random.below(1'500'000) : 0);
            for (auto& [kind, house] : houses.houses) house->time = time;
            calls.push_back({time, random.next(houses.first(), time)});
            difference = houses.difference(calls.back());
        }
        if (difference.empty()) continue;
        calls = shortened(std::move(calls));
        std::string history;
        for (auto& [at, call] : calls) history += std::to_string(at) + ' ' + call.what + '\n';
        CAPTURE(seed);
        CAPTURE(history);
        FAIL_CHECK(difference_after(calls));
    }
}
