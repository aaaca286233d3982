// Engine::enqueue of many runs: whole thousands, each key once, also after a failure or a death at any call.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/failing_store.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include <set>
using namespace weft;
using namespace dying;
using storage::RunRow;

namespace {
struct ParcelEvent : StartEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(ParcelEvent, (), (number))
struct DeliveredEvent : StopEvent {
    int number = 0;
};
BOOST_DESCRIBE_STRUCT(DeliveredEvent, (), (number))
DeliveredEvent deliver(Context&, ParcelEvent parcel) { return {.number = parcel.number}; }
inline constexpr auto parcels = workflow("parcels", step<deliver>);
const Bound<std::remove_cvref_t<decltype(parcels)>> parcel_service(parcels);

using Parcels = std::vector<std::pair<ParcelEvent, RunOptions>>;
Parcels some(int count) {
    Parcels all;
    for (int i = 0; i < count; ++i) {
        ParcelEvent parcel;
        parcel.number = i;
        all.push_back({parcel, {.key = std::to_string(i)}});
    }
    return all;
}
std::vector<RunRow> rows(Store& store) {
    std::vector<RunRow> found;
    store.list({.most = 100'000}, [&](std::exception_ptr, std::vector<RunRow> all) { found = std::move(all); });
    return found;
}
long added(const std::vector<EnqueuedRun>& runs) {
    return std::count_if(runs.begin(), runs.end(), [](auto& run) { return run.is_new; });
}
}

TEST_CASE("many runs are enqueued in their order, and executed by whoever claims them") {
    MemoryStore store;
    Engine engine({.store = &store});
    auto starts = some(3);
    starts[1].second = {.values = {R"({"tenant":"a"})"}, .queue = "slow", .priority = 5};

    const auto runs = engine.enqueue(durable(parcel_service), starts);

    REQUIRE(runs.size() == 3);
    CHECK(runs[0].id == "parcels:0");
    CHECK(added(runs) == 3);
    CHECK(rows(store).size() == 3);
    CHECK(ticks_of(store, runs[1].id).at(0).at("values") == nlohmann::json{{"tenant", "a"}});
    for (auto& row : rows(store)) CHECK(row.queue == (row.id == runs[1].id ? "slow" : "default"));
    CHECK(engine.recover(durable(parcel_service)).size() == 3);
    for (std::size_t i = 0; i < runs.size(); ++i)
        CHECK(engine.wait(engine.resume(durable(parcel_service), runs[i].id).result()).number == int(i));
}
TEST_CASE("a second call with the same keys enqueues nothing") {
    MemoryStore store;
    Engine engine({.store = &store});
    CHECK(added(engine.enqueue(durable(parcel_service), some(30))) == 30);
    CHECK(added(engine.enqueue(durable(parcel_service), some(40))) == 10);
    CHECK(added(engine.enqueue(durable(parcel_service), some(40))) == 0);
    CHECK(engine.enqueue(durable(parcel_service), Parcels()).empty());
    CHECK(rows(store).size() == 40);
}
TEST_CASE("many large runs are stored in parts of some megabytes") {
    struct CountingStore : MemoryStore {
        void create_all(std::vector<storage::NewRun> runs, Then<std::vector<storage::CreateReply>> then) override {
            parts.push_back(runs.size());
            MemoryStore::create_all(std::move(runs), std::move(then));
        }
        std::vector<std::size_t> parts;
    } store;
    Engine engine({.store = &store});
    auto starts = some(10);
    for (auto& [parcel, options] : starts) options.stored = std::string(4 << 20, 'x');

    CHECK(added(engine.enqueue(durable(parcel_service), starts)) == 10);

    CHECK(store.parts == std::vector<std::size_t>{4, 4, 2});
}
TEST_CASE("runs without keys are different runs") {
    MemoryStore store;
    Engine engine({.store = &store});
    std::set<std::string> ids;
    for (int call = 0; call < 3; ++call)
        for (auto& run : engine.enqueue(durable(parcel_service), Parcels(5))) ids.insert(run.id);
    CHECK(ids.size() == 15);
}
TEST_CASE("a failing call leaves whole thousands, and a repetition adds the others once, wherever it failed") {
    for (const auto how : {FailingStore::FailureMode::not_stored, FailingStore::FailureMode::stored})
        for (std::size_t n = 0; n < 3; ++n) {
            CAPTURE(n);
            MemoryStore store;
            FailingStore failing(store);
            Engine engine({.store = &failing});
            while (failing.calls() == 0) std::this_thread::yield();  // the first heartbeat
            failing.fail(n, how);
            try {
                engine.enqueue(durable(parcel_service), some(2100));
            } catch (const Error& error) { CHECK(error.code() == Code::journal); }
            const auto before = rows(store).size();
            CHECK((before % 1000 == 0 || before == 2100));
            failing.fail_no_more();
            CHECK(added(engine.enqueue(durable(parcel_service), some(2100))) == long(2100 - before));
            CHECK(rows(store).size() == 2100);
        }
}
TEST_CASE("a start that cannot be stored is refused, and nothing of its thousand is stored") {
    MemoryStore store;
    Engine engine({.store = &store});
    auto starts = some(3);
    starts[2].second.key = std::string(201, 'x');
    CHECK_THROWS_WITH_AS(engine.enqueue(durable(parcel_service), starts), doctest::Contains("a key has at most 200"),
                         Error);
    CHECK(rows(store).empty());
    Engine without;
    CHECK_THROWS_WITH_AS(without.enqueue(durable(parcel_service), some(1)), doctest::Contains("without a store"),
                         Error);
    CHECK_THROWS_AS(engine.enqueue(parcel_service, some(1)), Error);
}
