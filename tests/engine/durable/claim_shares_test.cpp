// An engine's claims in a store of several databases.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/store/sharded_store.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::storage;
using namespace std::chrono_literals;

namespace {
struct LongStartEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(LongStartEvent, (), ())
struct LongStopEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(LongStopEvent, (), ())
awaitable<LongStopEvent> work_for_an_hour(Context&, LongStartEvent) {
    co_await sleep_for(1h);
    co_return LongStopEvent();
}
inline constexpr auto long_work = workflow("long_work", step<work_for_an_hour>);
constexpr std::size_t size = 4, runs = 200;
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("an engine claims so that it has equally many runs of each database when each has enough ready runs") {
    testing::ManualClock clock;
    const auto now = [&] { return clock.wall().time_since_epoch().count(); };
    std::vector<std::unique_ptr<Store>> databases;
    for (std::size_t i = 0; i < size; ++i) {
        auto database = std::make_unique<MemoryStore>(now);
        database->share();
        databases.push_back(std::move(database));
    }
    const auto store = ShardedStore::owning(std::move(databases));
    Engine engine({.store = store.get(), .clock = &clock});
    const auto stored = durable<>(long_work);
    std::vector<std::pair<LongStartEvent, RunOptions>> starts(runs);
    std::vector<std::string> of_first;
    for (const auto& run : engine.enqueue(stored, std::move(starts)))
        if (store->shard_of(run.id) == 0) of_first.push_back(run.id);
    REQUIRE(of_first.size() > 10);
    of_first.resize(10);
    std::vector<std::size_t> counts(size);
    const auto take = [&](const RunRow& row) {
        (void)engine.resume(stored, row.id, {.claimed = RunOptions::Claimed{row.epoch, row.owner}});
        ++counts[store->shard_of(row.id)];
        return true;
    };

    CHECK(engine.claim({.ids = of_first}, take) == 10);
    CHECK(counts == std::vector<std::size_t>{10, 0, 0, 0});
    CHECK(engine.claim({.workflows = {"long_work"}, .most = 30}, take) == 30);
    CHECK(counts == std::vector<std::size_t>{10, 10, 10, 10});
    CHECK(engine.claim({.workflows = {"long_work"}, .most = 6}, take) == 6);
    for (const auto count : counts) CHECK((count == 11 || count == 12));

    CHECK(engine.claim({.workflows = {"long_work"}}, take) == runs - 46);  // also of those that have more than others
}
TEST_SUITE_END();
