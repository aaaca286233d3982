// RunOptions::debounce: the last start of a burst is executed, once.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/testing/manual_clock.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
using namespace weft;
using namespace dying;
using storage::RunRow;
using namespace std::chrono_literals;

namespace {
struct SyncEvent : StartEvent {
    int change = 0;
};
BOOST_DESCRIBE_STRUCT(SyncEvent, (), (change))
struct SyncedEvent : StopEvent {
    int change = 0;
};
BOOST_DESCRIBE_STRUCT(SyncedEvent, (), (change))
SyncedEvent synchronize(Context&, SyncEvent sync) { return {.change = sync.change}; }
inline constexpr auto syncing = workflow("syncing", step<synchronize>);
const Bound<std::remove_cvref_t<decltype(syncing)>> syncs(syncing);

struct Branch {
    testing::ManualClock clock;
    MemoryStore store{[this] { return clock.wall().time_since_epoch().count(); }};
    Engine engine{{.store = &store, .clock = &clock}};
    RunOptions in(std::chrono::microseconds wait) const {
        return {.not_before = clock.wall() + wait, .debounce = "customer 7"};
    }
    std::string start(int change, const RunOptions& options) {
        SyncEvent sync;
        sync.change = change;
        return engine.enqueue(durable(syncs), sync, options);
    }
    std::vector<RunRow> rows() {
        std::vector<RunRow> found;
        store.list({}, [&](std::exception_ptr, std::vector<RunRow> all) { found = std::move(all); });
        return found;
    }
    std::string refused(const RunOptions& options) {
        try {
            start(1, options);
        } catch (const Error& error) {
            CHECK(error.code() == Code::usage);
            return error.what();
        }
        return "nothing was refused";
    }
};
}

TEST_CASE("the last start of a burst is executed at its time, and the next burst has a run of its own") {
    Branch branch;
    const auto first = branch.start(1, branch.in(1h));
    branch.clock.advance(30min);
    auto last = branch.in(1h);
    last.values = {R"({"tenant":"a"})"};
    last.queue = "slow";
    CHECK(branch.start(2, last) == first);
    CHECK(branch.rows().at(0).wake_at == last.not_before->time_since_epoch().count());
    CHECK(branch.rows().at(0).queue == "slow");
    CHECK(ticks_of(branch.store, first).at(0).at("values") == nlohmann::json{{"tenant", "a"}});

    branch.clock.advance(1h);
    const auto run = branch.engine.resume(durable(syncs), first);
    CHECK(branch.engine.wait(run.result()).change == 2);

    CHECK(branch.start(3, branch.in(1h)) != first);
    CHECK(branch.rows().size() == 2);
}
TEST_CASE("a run is due now when the time of its debounced start is past, however long ago") {
    Branch branch;
    auto options = branch.in(1h);
    options.not_before = WallTime::min();

    branch.start(1, options);

    CHECK(branch.rows().at(0).wake_at == branch.clock.wall().time_since_epoch().count());
}
TEST_CASE("a run begins at its longest time when starts with its debounce key go on for a year") {
    Branch branch;
    std::size_t runs = 0;
    for (int day = 0; day < 360; ++day) {
        auto options = branch.in(36h);
        options.debounce_longest = 24h * 30;
        const auto id = branch.start(day, options);
        branch.clock.advance(24h);
        const auto row = branch.rows().at(0);
        if (row.id != id || *row.wake_at > branch.clock.wall().time_since_epoch().count()) continue;
        ++runs;
        const auto run = branch.engine.resume(durable(syncs), id);
        CHECK(branch.engine.wait(run.result()).change == day);
    }
    CHECK(runs == 12);
    CHECK(branch.rows().size() == 12);
}
TEST_CASE("enqueue tells which runs are new when some starts of a range have debounce keys") {
    Branch branch;
    std::vector<std::pair<SyncEvent, RunOptions>> starts;
    for (int i = 0; i < 6; ++i) {
        SyncEvent sync;
        sync.change = i;
        starts.emplace_back(sync, i % 2 ? branch.in(1h) : RunOptions());
    }

    const auto runs = branch.engine.enqueue(durable(syncs), starts);

    REQUIRE(runs.size() == 6);
    CHECK(runs[1].is_new);
    CHECK_FALSE(runs[3].is_new);
    CHECK(runs[5].id == runs[1].id);
    CHECK(branch.rows().size() == 4);
    CHECK(ticks_of(branch.store, runs[1].id).at(0).at("events").at(0).at("data").at("change") == 5);
}
TEST_CASE("a debounced start whose answer is lost succeeds when it is repeated") {
    struct LosingStore : MemoryStore {
        using MemoryStore::MemoryStore;
        bool loses = false, stores = false;
        void create(storage::NewRun run, Then<storage::CreateReply> then) override {
            if (!loses) return MemoryStore::create(std::move(run), std::move(then));
            if (stores) MemoryStore::create(std::move(run), [](std::exception_ptr, storage::CreateReply) {});
            then(std::make_exception_ptr(Error(Code::journal, "the answer is lost")), {});
        }
    };
    for (const bool stores : {false, true}) {
        testing::ManualClock clock;
        LosingStore store([&] { return clock.wall().time_since_epoch().count(); });
        Engine engine({.store = &store, .clock = &clock});
        const auto start = [&](int change) {
            SyncEvent sync;
            sync.change = change;
            return engine.enqueue(durable(syncs), sync, {.not_before = clock.wall() + 1h, .debounce = "a"});
        };
        const auto first = start(1);
        store.loses = true, store.stores = stores;
        CHECK_THROWS_WITH_AS(start(2), "the answer is lost", Error);
        store.loses = false;
        CHECK(start(2) == first);
        CHECK(ticks_of(store, first).at(0).at("events").at(0).at("data").at("change") == 2);
    }
}
TEST_CASE("an engine refuses a debounce key when the run has no time, an id or a key, or waits too long") {
    Branch branch;
    const auto spoilt = [&](const std::function<void(RunOptions&)>& spoil) {
        auto options = branch.in(1h);
        spoil(options);
        return branch.refused(options);
    };
    const std::string sense =
        "a run with the debounce key 'customer 7' is detached, has a time, and takes no id, key or "
        "fork, because later starts replace it until its time";
    CHECK(spoilt([](auto& o) { o.not_before.reset(); }) == sense);
    CHECK(spoilt([](auto& o) { o.id = "r1"; }) == sense);
    CHECK(spoilt([](auto& o) { o.key = "k"; }) == sense);
    CHECK(spoilt([](auto& o) {
              o.debounce.clear(), o.debounce_longest = 1h;
          }).ends_with("has no effect without debounce: give both, or leave it out"));
    for (const auto longest : {std::chrono::microseconds(0), std::chrono::microseconds(24h * 367)})
        CHECK(spoilt([&](auto& o) { o.debounce_longest = longest; }).ends_with("more than 0 s and at most 366 days"));
    CHECK(spoilt([&](auto& o) { *o.not_before += 24h * 367; }).ends_with("at most 366 days"));
    CHECK_THROWS_WITH_AS(branch.engine.start(durable(syncs), SyncEvent(), branch.in(1h)),
                         doctest::Contains("is detached"), Error);
    CHECK(branch.rows().empty());
}
