// The places of databases in a store of several.
#include "engine/store/postgres_shards.hpp"
#include "tests/engine/store/stores.hpp"
#include <doctest/doctest.h>

using namespace stores;

namespace {
using Known = std::optional<ShardPlace>;
using Sizes = std::vector<std::size_t>;
const std::vector<std::string> names{"a", "b", "c"}, all_names{"a", "b", "c", "d", "e", "f", "g"};
Known fresh() { return ShardPlace{}; }
Known with_runs() {
    return ShardPlace{.store = {}, .number = 0, .sizes = {}, .limits = {}, .has_runs = true, .database = {}};
}
Known member(std::size_t number, Sizes sizes, const std::string& store = "s") {
    return ShardPlace{
        .store = store, .number = number, .sizes = std::move(sizes), .limits = {}, .has_runs = true, .database = {}};
}
std::vector<ShardPlace> places(const std::vector<Known>& known) {
    return places_of_shards({names.begin(), names.begin() + std::ptrdiff_t(known.size())}, known, "new");
}
std::string why_not(const std::vector<Known>& known) {
    const auto refused = refusal([&] { places(known); });
    CHECK(refused.code == Code::configuration);
    return refused.sentence;
}
Known limited(Known place, std::optional<std::uint32_t> running, std::optional<std::uint32_t> starts = {}) {
    place->limits.push_back({.queue = "mail", .running = running, .per = "", .running_per_key = {}, .starts = starts});
    return place;
}
using Shares = std::vector<std::optional<std::uint32_t>>;
Shares shares(const std::vector<Known>& known) {
    Shares found;
    for (const auto& place : places(known)) found.push_back(place.limits.at(0).running);
    return found;
}
std::uint32_t sum_of(const std::vector<ShardPlace>& places) {
    std::uint32_t sum = 0;
    for (const auto& place : places) sum += place.limits.at(0).running.value();
    return sum;
}
std::vector<std::string> list_of(std::size_t count) {
    return {all_names.begin(), all_names.begin() + std::ptrdiff_t(count)};
}
/// The growth ends when it has written so many places, the last ones first.
void try_growth(std::uint32_t before, std::uint32_t now, std::uint32_t limit, std::uint32_t written) {
    CAPTURE(before);
    CAPTURE(now);
    CAPTURE(limit);
    CAPTURE(written);
    std::vector<Known> known(now, fresh());
    known[0] = limited(with_runs(), limit);
    if (before > 1)
        std::ranges::copy(places_of_shards(list_of(before), {known.begin(), known.begin() + before}, "s"),
                          known.begin());
    const auto whole = places_of_shards(list_of(now), known, "s");
    CHECK(sum_of(whole) == limit);
    std::copy(whole.end() - written, whole.end(), known.end() - written);

    const auto completed = places_of_shards(list_of(now), known, "other");
    CHECK(sum_of(completed) <= limit);
    CHECK(sum_of(completed) + now > limit);
    for (const auto& place : completed) CHECK(place.limits.at(0).running.value() > 0);
    if (limit <= 2 * now) return;  // the completed limit may be lower by one for each database
    known.push_back(fresh());
    const auto grown = places_of_shards(list_of(now + 1), known, "other");  // on top of an unfinished growth
    CHECK(sum_of(grown) <= limit);
    CHECK(sum_of(grown) + now > limit);
}
bool says(const std::string& sentence, const std::string& part) { return sentence.find(part) != sentence.npos; }
}

TEST_CASE("databases without runs become a store when they are opened together") {
    const auto got = places({fresh(), fresh()});
    CHECK(got[1] ==
          ShardPlace{.store = "new", .number = 1, .sizes = {2}, .limits = {}, .has_runs = false, .database = {}});
}
TEST_CASE("a database with runs grows when it is the first one of a new store") {
    CHECK(places({with_runs(), fresh()})[0].sizes == Sizes{1, 2});
    CHECK(says(why_not({fresh(), with_runs()}), "b has runs of its own"));
}
TEST_CASE("the databases of a store keep their places when it is opened again") {
    const auto got = places({member(0, {1, 2}), member(1, {1, 2})});
    CHECK(got[0] == *member(0, {1, 2}));
    CHECK(got[1] == *member(1, {1, 2}));
}
TEST_CASE("a store grows when a database without runs is added at the end") {
    CHECK(places({member(0, {2}), member(1, {2}), fresh()})[0].sizes == Sizes{2, 3});
    CHECK(says(why_not({member(0, {2}), member(1, {2}), with_runs()}), "c has runs of its own"));
}
TEST_CASE("a growth is completed when a process has died during it") {
    // The last database has been written first.
    const auto got = places({member(0, {2}), member(1, {2}), member(2, {2, 3})});
    for (const auto& place : got) CHECK(place.sizes == Sizes{2, 3});
    CHECK(places({with_runs(), member(1, {1, 2})})[0] == *member(0, {1, 2}, "s"));
    CHECK(says(why_not({with_runs(), member(1, {2})}), "a has runs of its own"));  // its runs came later
}
TEST_CASE("a store is refused when the list is not its list") {
    CHECK(says(why_not({member(0, {3}), member(1, {3})}), "it has 3 databases, and 2 were given"));
    CHECK(says(why_not({member(1, {2}), member(0, {2})}), "a is number 2 of the databases of its store"));
    CHECK(says(why_not({member(0, {2}), member(1, {2}, "other")}), "b belongs to another store"));
    auto one = fresh(), same = fresh();
    one->database = same->database = "5 10:00";
    CHECK(says(why_not({one, same}), "b is the same database as a"));
    CHECK(says(refusal([] { places_of_shards({"a", "a"}, {fresh(), fresh()}, "new"); }).sentence, "given twice"));
}
TEST_CASE("a known store is opened, but does not grow, when a database does not answer") {
    CHECK(places({member(0, {2}), {}})[1] ==
          ShardPlace{.store = "s", .number = 1, .sizes = {2}, .limits = {}, .has_runs = false, .database = {}});
    CHECK(says(why_not({member(0, {2}), {}, fresh()}), "b does not answer"));
    CHECK(says(why_not({fresh(), {}}), "b does not answer"));
}
TEST_CASE("the limits of queues are divided among all databases when a store grows") {
    CHECK(shares({limited(with_runs(), 7), fresh()}) == Shares{4, 3});
    CHECK(shares({limited(member(0, {2}), 4), limited(member(1, {2}), 3), fresh()}) == Shares{3, 2, 2});
    CHECK(shares({limited(fresh(), 0), fresh()}) == Shares{0, 0});
    CHECK(shares({limited(fresh(), {}, 5), fresh()}) == Shares{{}, {}});
    CHECK(places({limited(fresh(), {}, 5), fresh()})[0].limits[0].starts == 3U);
    CHECK(shares({limited(member(0, {2}), 4), limited(member(1, {2}), 3)}) == Shares{4, 3});  // does not grow
}
TEST_CASE("a store does not grow when a limit is lower than the number of databases, or the new one has limits") {
    CHECK(says(why_not({limited(with_runs(), 1), fresh()}), "1 runs at once for the queue mail cannot be divided"));
    CHECK(says(why_not({fresh(), limited(fresh(), 9)}), "b has limits of queues of its own"));
}
TEST_CASE("a queue has no higher limit than before when a growth that was cut short is completed") {
    const auto mixed = [](std::uint32_t first, std::uint32_t second) {
        return Shares{shares(
            {limited(member(0, {2}), first), limited(member(1, {2, 3}), second), limited(member(2, {2, 3}), second)})};
    };
    CHECK(mixed(5, 3) == Shares{3, 3, 3});  // 10 divided by 2 and 3
    CHECK(mixed(0, 0) == Shares{0, 0, 0});
    CHECK(mixed(2, 1) == Shares{1, 1, 1});
}
TEST_CASE("the limits of the old databases count when a growth has only written new ones") {
    CHECK(shares({limited(with_runs(), 7), limited(member(1, {1, 2}), 3)}) == Shares{4, 3});
    CHECK(shares({limited(member(0, {2}), 5), limited(member(1, {2}), 5), member(2, {2, 3})}) ==
          Shares{4, 3, 3});  // set
    const auto removed = places({member(0, {2}), member(1, {2}), limited(member(2, {2, 3}), 3)});
    for (const auto& place : removed) CHECK(place.limits.empty());
}
TEST_CASE("each database has a share and none exceeds the limit when a growth is cut short anywhere and completed") {
    for (const auto& [before, now] : {std::pair{1U, 2U}, {1U, 3U}, {1U, 5U}, {2U, 3U}, {2U, 4U}, {3U, 4U}, {3U, 6U}})
        for (std::uint32_t limit = now + 1; limit < 40; ++limit)
            for (std::uint32_t written = 0; written <= now; ++written) try_growth(before, now, limit, written);
}
