// The places of databases in a store of several.
#include "engine/store/postgres_shards.hpp"
#include "tests/engine/store/stores.hpp"
#include <doctest/doctest.h>

using namespace stores;

namespace {
using Known = std::optional<ShardPlace>;
using Sizes = std::vector<std::size_t>;
const std::vector<std::string> names{"a", "b", "c"};
Known fresh() { return ShardPlace{}; }
Known with_runs() { return ShardPlace{.store = {}, .number = 0, .sizes = {}, .has_runs = true, .database = {}}; }
Known member(std::size_t number, Sizes sizes, const std::string& store = "s") {
    return ShardPlace{.store = store, .number = number, .sizes = std::move(sizes), .has_runs = true, .database = {}};
}
std::vector<ShardPlace> places(const std::vector<Known>& known) {
    return places_of_shards({names.begin(), names.begin() + std::ptrdiff_t(known.size())}, known, "new");
}
std::string why_not(const std::vector<Known>& known) {
    const auto refused = refusal([&] { places(known); });
    CHECK(refused.code == Code::configuration);
    return refused.sentence;
}
bool says(const std::string& sentence, const std::string& part) { return sentence.find(part) != sentence.npos; }
}

TEST_CASE("databases without runs become a store when they are opened together") {
    const auto got = places({fresh(), fresh()});
    CHECK(got[1] == ShardPlace{.store = "new", .number = 1, .sizes = {2}, .has_runs = false, .database = {}});
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
          ShardPlace{.store = "s", .number = 1, .sizes = {2}, .has_runs = false, .database = {}});
    CHECK(says(why_not({member(0, {2}), {}, fresh()}), "b does not answer"));
    CHECK(says(why_not({fresh(), {}}), "b does not answer"));
}
