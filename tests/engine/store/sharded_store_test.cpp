// A store of several databases, here of memory.
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/store/sharded_store.hpp"
#include "tests/engine/store/stores.hpp"
#include <algorithm>
#include <deque>
#include <doctest/doctest.h>

using namespace stores;

namespace {
struct Parts {
    explicit Parts(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            memory.emplace_back([this] { return ++time; });
            memory.back().share();
            all.push_back(&memory.back());
        }
    }
    /// The first ones of the databases as one store.
    std::vector<Store*> first(std::size_t count) { return {all.begin(), all.begin() + std::ptrdiff_t(count)}; }
    std::int64_t time = 1'000'000;
    std::deque<MemoryStore> memory;
    std::vector<Store*> all;
};
/// A further call, not a repetition of an earlier one.
NewRun keyed(const std::string& key) {
    static int calls = 0;
    auto run = run_of("refund:" + key, "");
    run.start_key = key;
    run.ticks = ticks(0, {"call " + std::to_string(++calls)});
    return run;
}
/// An id whose place among so many databases is this one.
std::string id_at(std::size_t place, std::size_t count) {
    for (int i = 0;; ++i)
        if (auto id = "r" + std::to_string(i); ShardedStore::place(id, count) == place) return id;
}
/// An id whose place moves to the new database when a third one comes.
std::string moving_key() {
    for (int i = 0;; ++i) {
        auto key = "k" + std::to_string(i);
        if (ShardedStore::place("refund:" + key, 3) == 2) return key;
    }
}
}

TEST_CASE("each run is in one database of the store, and all get a share when there are many runs") {
    Parts parts(3);
    ShardedStore store(parts.all);
    for (int i = 0; i < 300; ++i) create(store, run_of("r" + std::to_string(i), ""));

    std::size_t sum = 0;
    for (auto& part : parts.memory) {
        const auto count = list(part).size();
        CHECK(count > 60);
        sum += count;
    }
    CHECK(sum == 300);
    const auto rows = list(store, {.most = 300});
    CHECK(rows.size() == 300);
    CHECK(std::ranges::is_sorted(rows, std::greater<>(), &RunRow::created_at));
    CHECK(list(store, {.most = 7}).front().id == "r299");
    for (int i = 0; i < 300; ++i) CHECK(load(store, "r" + std::to_string(i)).run.id == "r" + std::to_string(i));
    CHECK(claim(store, {.owner = "ann", .most = 250}).size() == 250);
    CHECK(claim(store, {.owner = "ann", .most = 250}).size() == 50);
    CHECK(plan(store, "h1").workflow == "refund");
}
TEST_CASE("an id keeps its place or moves to the new database when a store grows") {
    std::size_t moved = 0;
    for (int i = 0; i < 10'000; ++i) {
        const auto id = "run " + std::to_string(i);
        for (std::size_t size = 1; size < 8; ++size)
            if (const auto before = ShardedStore::place(id, size), after = ShardedStore::place(id, size + 1);
                before != after) {
                CHECK(after == size);
                moved += size == 7;
            }
    }
    CHECK(moved > 1100);
    CHECK(moved < 1400);  // an eighth
    // A change of these places loses the runs of stores that exist.
    CHECK(ShardedStore::place("refund:A-17", 64) == 40);
    CHECK(ShardedStore::place("4f0c", 64) == 32);
}
TEST_CASE("a stored run is found and its key starts no second run when the store has grown") {
    Parts parts(3);
    const auto key = moving_key(), id = "refund:" + key;
    ShardedStore before(parts.first(2));
    create(before, keyed(key));

    ShardedStore store(parts.all, {2, 3});

    CHECK(store.shard_of(id) == 2);
    CHECK(store.may_be_elsewhere(id));
    CHECK(load(store, id).run.start_key == key);
    CHECK_FALSE(create(store, keyed(key)).is_new);
    CHECK(answer_of<std::vector<CreateReply>>([&](auto then) { store.create_all({keyed(key)}, then); }).at(0).id == id);
    CHECK(list(parts.memory[2]).empty());
    CHECK(send(store, id, "m1").is_new);
    CHECK(list(store, {.ids = {id}}).size() == 1);
    CHECK(claim(store, {.owner = "ann", .ids = {id}}).size() == 1);
    CHECK(append(store, batch_of(store, id, {"next"})) == AppendReply::stored);
    auto last = batch_of(store, id, {"end"});
    last.left = left(RunStatus::done);
    append(store, last);
    CHECK(prune(store, {.ids = {id}}) == 1);
    CHECK(create(store, keyed(key)).is_new);
    CHECK(list(parts.memory[2]).size() == 1);
}
TEST_CASE("a call fails only when the database that may have its run does not answer") {
    Parts parts(2);
    FailingStore away(parts.memory[1]);
    ShardedStore store({parts.all[0], &away});
    const auto here = id_at(0, 2), there = id_at(1, 2);
    create(store, run_of(here, "")), create(store, run_of(there, ""));
    away.fail(0, FailingStore::FailureMode::from_now_on);

    CHECK(load(store, here).run.id == here);
    CHECK(send(store, here, "m1").is_new);
    CHECK(list(store, {.ids = {here}}).size() == 1);
    CHECK(refusal([&] { load(store, there); }).code == Code::journal);
    CHECK(refusal([&] { list(store); }).code == Code::journal);
    CHECK(refusal([&] { survey(store); }).code == Code::journal);
}
TEST_CASE("a run is looked for in all its places when one of them does not answer") {
    Parts parts(3);
    FailingStore away(parts.memory[2]);
    const auto key = moving_key(), id = "refund:" + key;
    ShardedStore before(parts.first(2));
    create(before, keyed(key));
    ShardedStore store({parts.all[0], parts.all[1], &away}, {2, 3});
    away.fail(0, FailingStore::FailureMode::from_now_on);

    CHECK(load(store, id).run.id == id);
    CHECK_FALSE(create(store, keyed(key)).is_new);
    for (int i = 0; i < 40; ++i)
        if (const auto other = keyed("other " + std::to_string(i)); store.may_be_elsewhere(other.id))
            CHECK(refusal([&] { create(store, other); }).code == Code::journal);
}
TEST_CASE("a limit of a queue is divided among the databases, and a lower one than their number is refused") {
    Parts parts(3);
    ShardedStore store(parts.all);
    const auto limit = [&](QueueLimits limits) {
        answer_of<bool>([&](auto then) { store.set_limits(std::move(limits), then); });
    };
    for (int i = 0; i < 60; ++i) create(store, run_of("r" + std::to_string(i), ""));

    limit({.queue = "default", .running = 7, .per = {}, .running_per_key = {}, .starts = {}});

    CHECK(claim(store, {.owner = "ann"}).size() == 7);
    const auto flow = survey(store).flows.at(0);
    CHECK(flow.limits.running == 7);
    CHECK(flow.running == 7);
    CHECK(flow.ready == 53);
    const auto refused = refusal(
        [&] { limit({.queue = "default", .running = 2, .per = {}, .running_per_key = {}, .starts = {}}); });
    CHECK(refused.code == Code::usage);
    CHECK(refused.sentence.find("2 runs at once for the queue default cannot be divided among 3") != std::string::npos);
}
TEST_CASE("a survey adds up the databases, and lists a worker once") {
    Parts parts(2);
    ShardedStore store(parts.all);
    for (int i = 0; i < 10; ++i) create(store, run_of("r" + std::to_string(i), ""));
    for (std::size_t i = 0; i < 2; ++i)
        answer_of<HeartbeatReply>([&](auto then) {
            parts.memory[i].heartbeat({owner_in_shard("17", i), 10'000, "{}"}, then);
        });

    const auto found = survey(store);

    CHECK(found.runs.size() == 1);
    CHECK(found.runs.at(0).runs == 10);
    CHECK(found.workers.size() == 1);
    CHECK(found.workers.at(0).id == "17");
}
TEST_CASE("a run whose id does not follow from its key is refused, because another database could have the key") {
    Parts parts(2);
    ShardedStore store(parts.all);
    auto run = run_of("r1", "");
    run.start_key = "A-17";

    CHECK(refusal([&] { create(store, run); }).code == Code::usage);
    CHECK(create(store, keyed("A-17")).is_new);
}
