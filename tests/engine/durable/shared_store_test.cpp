// Engines with threads that share a store lose leases, claim each other's runs, and leave.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/hinting_store.hpp"
#include <atomic>
#include <doctest/doctest.h>
#include <thread>
using namespace weft;
using namespace weft::storage;
using namespace std::chrono_literals;

namespace {
struct BeginEvent : StartEvent {
    int seconds = 0;
};
BOOST_DESCRIBE_STRUCT(BeginEvent, (), (seconds))
struct OnEvent {};
BOOST_DESCRIBE_STRUCT(OnEvent, (), ())
struct WhatEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(WhatEvent, (), ())
struct ThatEvent : Answers<WhatEvent> {};
BOOST_DESCRIBE_STRUCT(ThatEvent, (), ())
struct DoneEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(DoneEvent, (), ())
struct Count {
    std::atomic<int> begun = 0, done = 0;
};
awaitable<OnEvent> work_long(Context&, BeginEvent begin, Count& count) {
    ++count.begun;
    co_await sleep_for(std::chrono::seconds(begin.seconds));
    co_return OnEvent();
}
DoneEvent finish(Context&, OnEvent, Count& count) {
    ++count.done;
    return {};
}
inline constexpr auto task = workflow("task", step<work_long>, step<finish>);
WhatEvent wonder(Context&, BeginEvent) { return {}; }
DoneEvent learn(Context&, ThatEvent) { return {}; }
inline constexpr auto wondering = workflow("wondering", step<wonder>, step<learn>);

struct OtherEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(OtherEvent, (), ())
DoneEvent do_other_work(Context&, OtherEvent) { return {}; }
inline constexpr auto other_task = workflow("task", step<do_other_work>);

RunRow row_in(Store& store, const std::string& id) {  // empty for a missing run
    const auto rows = answer_of<std::vector<RunRow>>([&](auto then) { store.list({.ids = {id}}, then); });
    return rows.empty() ? RunRow() : rows.front();
}
awaitable<> do_nothing() { co_return; }
template <class Done> void until(Done done) {
    while (!done()) std::this_thread::yield();
}
struct LoadingStore : hinting::HintingStore {
    void load(std::string run, Then<History> then, std::uint64_t from) override {
        ++loads;
        hinting::HintingStore::load(std::move(run), std::move(then), from);
    }
    void claim(ClaimRequest claim, Then<std::vector<RunRow>> then) override {
        if (skips-- > 0) return then({}, {});  // as PostgreSQL skips locked rows
        hinting::HintingStore::claim(std::move(claim), std::move(then));
    }
    std::atomic<int> loads = 0, skips = 0;
};
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("an engine gives up its runs when its store falls silent, and claims again when the store is back") {
    testing::ManualClock clock;
    MemoryStore store([&] { return clock.wall().time_since_epoch().count(); });
    store.share();
    Count count;
    Engine engine({.store = &store, .clock = &clock});
    const auto stored = durable<>(task.with(count));
    auto run = engine.start(stored, {.seconds = 1000}, {.id = "a"});
    until([&] { return count.begun == 1; });

    store.hold();
    clock.advance(10s);
    CHECK_THROWS_WITH_AS(engine.wait(run.result()), doctest::Contains("the lease of this process has expired"),
                         RunError);
    store.flow();
    CHECK(row_in(store, "a").next_seq == 1);

    auto next = engine.start(stored, {.seconds = 0}, {.id = "b"});
    engine.wait(next.result());
    CHECK(count.done == 1);
}
TEST_CASE("processes use the date of their store when their own dates differ by an hour") {
    testing::ManualClock clock, ahead;
    ahead.jump_wall(1h);
    MemoryStore store([&] { return clock.wall().time_since_epoch().count(); });
    store.share();
    const auto stored = durable<>(wondering);
    {
        Engine first({.store = &store, .clock = &clock});
        auto run = first.start(stored, {}, {.timeout = 10min, .id = "a", .detached = true});
        CHECK_THROWS_AS(first.wait(run.result()), RunError);
    }
    const auto deadline = (clock.wall() + 10min).time_since_epoch().count();

    Engine second({.store = &store, .park = true, .clock = &ahead});
    CHECK(second.recover(stored).size() == 1);
    until([&] { return row_in(store, "a").status == RunStatus::waiting || has_ended(row_in(store, "a").status); });

    CHECK(row_in(store, "a").status == RunStatus::waiting);
    CHECK(row_in(store, "a").wake_at == deadline);
}
TEST_CASE("recover() gives the id of each run that it takes, although the engine also claims by itself") {
    testing::ManualClock clock;
    const auto stored = durable<>(wondering);
    for (int i = 0; i < 200; ++i) {
        MemoryStore store([&] { return clock.wall().time_since_epoch().count(); });
        store.share();
        {
            Engine first({.store = &store, .clock = &clock});
            auto run = first.start(stored, {}, {.id = "a", .detached = true});
            CHECK_THROWS_AS(first.wait(run.result()), RunError);
        }
        Engine second({.store = &store, .park = true, .clock = &clock});
        CHECK(second.recover(stored).size() == 1);
    }
}
TEST_CASE("a run refused by an engine is claimed twice, and is then left alone for a while") {
    testing::ManualClock clock;
    MemoryStore store([&] { return clock.wall().time_since_epoch().count(); });
    store.share();
    Count count;
    {
        Engine first({.store = &store, .clock = &clock});
        auto run = first.start(durable<>(task.with(count)), {}, {.id = "a", .detached = true});
        CHECK_THROWS_AS(first.wait(run.result()), RunError);
    }
    const auto before = row_in(store, "a").epoch;
    std::atomic<int> heartbeats = 0;
    const auto tells = [&heartbeats] { return ++heartbeats, "me"; };
    Engine second({.store = &store, .park = true, .tells = tells, .clock = &clock});
    const auto heartbeats_on = [&](int more) {
        until([&, wanted = heartbeats + more] { return heartbeats >= wanted; });
    };

    CHECK(second.recover(durable<>(other_task)).size() == 1);  // its runs begin with another event
    until([&] { return row_in(store, "a").epoch == before + 2; });
    heartbeats_on(3);
    CHECK(row_in(store, "a").epoch == before + 2);
    until([&] { return row_in(store, "a").status == RunStatus::ready; });  // for other engines
    for (int i = 0; i < 2; ++i) {
        clock.advance(5s);
        heartbeats_on(2);
    }
    until([&] { return row_in(store, "a").epoch == before + 3; });
    second.recover(durable<>(task.with(count)));
    until([&] { return count.done == 1; });
}
TEST_CASE("an engine claims nothing before its first heartbeat is answered") {
    testing::ManualClock clock;
    MemoryStore memory([&] { return clock.wall().time_since_epoch().count(); });
    memory.share();
    const auto stored = durable<>(wondering);
    {
        Engine first({.store = &memory, .clock = &clock});
        auto run = first.start(stored, {}, {.id = "a", .detached = true});
        CHECK_THROWS_AS(first.wait(run.result()), RunError);
    }
    FailingStore store(memory);
    store.fail(0, FailingStore::FailureMode::from_now_on);
    Engine engine({.store = &store, .clock = &clock});
    const auto take = [&](const RunRow& row) {
        (void)engine.resume(stored, row.id, {.claimed = RunOptions::Claimed{row.epoch, row.owner}});
        return true;
    };

    std::string told;  // the reason of its refused heartbeats
    const auto claim = [&]() -> std::size_t {
        try {
            return engine.claim({}, take);
        } catch (const Error& error) { told = error.what(); }
        return 0;
    };
    until([&] {
        CHECK(claim() == 0);
        return !told.empty();
    });
    CHECK(told == "the store was told to fail");
    CHECK(row_in(memory, "a").status == RunStatus::ready);
    store.fail_no_more();
    until([&] { return claim() == 1; });
}
TEST_CASE("a former owner changes nothing: another engine takes its runs over, and its own appends are fenced") {
    testing::ManualClock clock;
    MemoryStore memory([&] { return clock.wall().time_since_epoch().count(); });
    memory.share();
    FailingStore of_zombie(memory);
    testing::ManualClock stopped, running;  // each process has its own
    Count count, others;
    Engine zombie({.store = &of_zombie, .clock = &stopped});
    auto run = zombie.start(durable<>(task.with(count)), {.seconds = 5}, {.id = "z"});
    until([&] { return count.begun == 1; });
    zombie.wait(do_nothing());  // now its step waits
    of_zombie.fail(0,
                   FailingStore::FailureMode::from_now_on);  // simulates a stopped process: no call reaches the store
    clock.advance(11s);

    Engine other({.store = &memory, .clock = &running});
    const auto stored = durable<>(task.with(others));
    std::vector<RunOf<task>> taken;
    until([&] {
        other.claim({.workflows = {"task"}}, [&](const RunRow& row) {
            taken.push_back(other.resume(stored, row.id, {.claimed = RunOptions::Claimed{row.epoch, row.owner}}));
            return true;
        });
        return !taken.empty();
    });
    CHECK(row_in(memory, "z").takeovers == 1);
    of_zombie.fail_no_more();
    stopped.advance(5s);  // its step ends by its own clock

    CHECK_THROWS_AS(zombie.wait(run.result()), RunError);
    CHECK(count.done == 0);
    until([&] { return others.begun == 1; });
    other.wait(do_nothing());  // now its step waits
    running.advance(5s);
    other.wait(taken.front().result());
    CHECK(others.done == 1);
    CHECK(row_in(memory, "z").status == RunStatus::done);
}
TEST_CASE("a claimed run is free again when it is not taken, or when taking it throws") {
    MemoryStore store;
    Count count;
    Engine engine({.store = &store});
    const auto stored = durable<>(task.with(count));
    auto run = engine.start(stored, {.seconds = 0}, {.id = "a", .detached = true});
    CHECK_THROWS_AS(engine.wait(run.result()), RunError);

    CHECK(engine.claim({.workflows = {"task"}}, [](const RunRow&) { return false; }) == 0);
    CHECK(row_in(store, "a").status == RunStatus::ready);
    const auto fails = [](const RunRow&) -> bool { throw Error(Code::usage, "not this one"); };
    CHECK_THROWS_WITH_AS(engine.claim({.workflows = {"task"}}, fails), "not this one", Error);
    until([&] { return row_in(store, "a").status == RunStatus::ready; });
    CHECK(count.begun == 0);
}
TEST_CASE("a resumed run continues when its engine has just claimed it for another purpose, and frees it") {
    LoadingStore store;
    Count count;
    Engine engine({.store = &store});
    const auto stored = durable<>(task.with(count));
    auto run = engine.start(stored, {.seconds = 0}, {.id = "a", .detached = true});
    CHECK_THROWS_AS(engine.wait(run.result()), RunError);

    std::optional<RunOf<task>> resumed;
    const auto resume_and_free = [&](const RunRow& row) {
        resumed = engine.resume(stored, row.id);
        until([&] { return store.loads > 0; });  // its own claim has got nothing
        return false;
    };
    CHECK(engine.claim({.workflows = {"task"}}, resume_and_free) == 0);

    CHECK_NOTHROW(engine.wait(resumed->result()));
    CHECK(count.done == 1);
}
TEST_CASE("a resumed run continues when its claim finds nothing, although nobody has the run") {
    LoadingStore store;
    Count count;
    Engine engine({.store = &store});
    const auto stored = durable<>(task.with(count));
    CHECK_THROWS_AS(engine.wait(engine.start(stored, {.seconds = 0}, {.id = "a", .detached = true}).result()),
                    RunError);
    store.skips = 2;

    CHECK_NOTHROW(engine.wait(engine.resume(stored, "a").result()));

    CHECK(store.skips < 0);
    CHECK(count.done == 1);
}
TEST_CASE("a leaving engine gives its runs back, claims none, and ends its lease") {
    testing::ManualClock clock;
    MemoryStore store([&] { return clock.wall().time_since_epoch().count(); });
    store.share();
    Count count;
    {
        Engine engine({.loops = 2, .store = &store, .park = true, .tells = [] { return "me"; }, .clock = &clock});
        const auto stored = durable<>(task.with(count));
        for (auto id : {"a", "b", "c"}) engine.start(stored, {.seconds = 1000}, {.id = id});
        engine.start(durable<>(wondering), {}, {.id = "w"});
        until([&] { return count.begun == 3; });
        until([&] { return row_in(store, "w").status == RunStatus::waiting; });
        until([&] { return !answer_of<Survey>([&](auto then) { store.survey(then); }).workers.empty(); });

        engine.leave_all(1ms);

        for (auto id : {"a", "b", "c"}) CHECK(row_in(store, id).status == RunStatus::ready);
        CHECK(row_in(store, "w").status == RunStatus::waiting);
        CHECK(engine.claim({}, [](const RunRow&) { return true; }) == 0);
    }
    CHECK(answer_of<Survey>([&](auto then) { store.survey(then); }).workers.empty());
    CHECK(row_in(store, "a").takeovers == 0);
}
TEST_CASE("an engine sends a heartbeat immediately only after a hint for one of its runs") {
    using std::chrono::steady_clock;
    hinting::HintingStore store;
    store.share();
    Engine engine({.store = &store});
    const auto until_next_heartbeat = [&](const std::string& hint) {
        const auto begun = steady_clock::now();
        const int before = store.heartbeats;
        if (!hint.empty()) store.hint(hint);
        until([&] { return store.heartbeats > before; });
        return steady_clock::now() - begun;
    };
    auto hinted = steady_clock::duration::max(), unhinted = steady_clock::duration::min();

    for (int i = 0; i < 200 && (hinted > 250ms || unhinted < 250ms); ++i) {  // a slow machine needs more tries
        until_next_heartbeat("");                                            // the next one is half a second away
        unhinted = std::max(unhinted, until_next_heartbeat("somebody else"));
        hinted = std::min(hinted, until_next_heartbeat(store.last_owner()));
    }

    CHECK(hinted < 250ms);
    CHECK(unhinted > 250ms);
}
TEST_CASE("mail already received but not taken is loaded again only when more mail arrives") {
    LoadingStore store;
    store.share();
    Count count;
    Engine engine({.store = &store});
    engine.start(durable<>(task.with(count)), {.seconds = 1000}, {.id = "a"});
    until([&] { return count.begun == 1; });
    const auto send_to_child = [&](const std::string& id) {  // to a child run that does not exist yet
        answer_of<SendReply>([&](auto then) { store.send({"a", id, R"({"run":"0","event":"e","data":{}})"}, then); });
    };
    const auto hear_beat = [&] {  // a second heartbeat implies the answer to the first
        for (const int before = store.heartbeats; store.heartbeats < before + 2;) {
            store.hint(store.last_owner());
            std::this_thread::yield();
        }
    };
    const auto loads_until_delivered = [&] {
        const int at_first = store.loads;
        int before = -1;
        for (int i = 0; i < 20 && store.loads != before; ++i) {
            before = store.loads;
            hear_beat();
        }
        CHECK(store.loads.load() == before);
        return store.loads - at_first;
    };

    CHECK(loads_until_delivered() == 0);
    send_to_child("m1");
    CHECK(loads_until_delivered() > 0);
    CHECK(loads_until_delivered() == 0);
    send_to_child("m2");
    CHECK(loads_until_delivered() > 0);
}
TEST_SUITE_END();
TEST_CASE("a lease of an unusable length is refused") {
    MemoryStore store;
    for (const auto lease : {99ms, 3'600'001ms, 0ms})
        CHECK_THROWS_WITH_AS(Engine({.store = &store, .lease = lease}), doctest::Contains("choose 0.1 s to 1 hour"),
                             Error);
}
