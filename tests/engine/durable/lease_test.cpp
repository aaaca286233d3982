// An engine that shares its store: permitted work under its lease, its runs after the lease, their leaving, and their
// new owners.
#include "engine/core/lease.hpp"
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/once.hpp"
#include "engine/operation.hpp"
#include "engine/store/failing_store.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/hinting_store.hpp"
#include "tests/support/timed.hpp"
#include <thread>
using namespace weft;
using namespace weft::storage;
using namespace dying;
using namespace std::chrono_literals;

namespace {
struct JobEvent : StartEvent {
    int seconds = 0;  // of its first step
};
BOOST_DESCRIBE_STRUCT(JobEvent, (), (seconds))
struct MiddleEvent {};
BOOST_DESCRIBE_STRUCT(MiddleEvent, (), ())
struct AskEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(AskEvent, (), ())
struct TellEvent : Answers<AskEvent> {};
BOOST_DESCRIBE_STRUCT(TellEvent, (), ())
struct EndEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(EndEvent, (), ())
struct Seen {
    int first = 0, second = 0, certain = 0, effects = 0;
    bool waits = false;  // waits until the lease is certain
};
awaitable<MiddleEvent> first(Context&, JobEvent job, Seen& seen) {
    ++seen.first;
    co_await sleep_for(std::chrono::seconds(job.seconds));
    co_return MiddleEvent();
}
EndEvent second(Context&, MiddleEvent, Seen& seen) {
    ++seen.second;
    return {};
}
inline constexpr auto job = workflow("job", step<first>, step<second>);
AskEvent ask(Context&, JobEvent) { return {}; }
EndEvent told(Context&, TellEvent) { return {}; }
inline constexpr auto question = workflow("question", step<ask>, step<told>);

awaitable<bool> pay(Seen& seen) {
    ++seen.effects;
    co_return true;
}
awaitable<EndEvent> pays_late(Context& ctx, JobEvent job, Seen& seen) {
    co_await sleep_for(std::chrono::seconds(job.seconds));
    auto paying = pay(seen);
    co_await ctx.at_most_once("pay", std::move(paying));
    co_return EndEvent();
}
inline constexpr auto payment = workflow("payment", step<pays_late>);
awaitable<EndEvent> records_late(Context& ctx, JobEvent job, Seen& seen) {
    co_await sleep_for(std::chrono::seconds(job.seconds));
    auto paying = pay(seen);
    co_await ctx.once("pay", std::move(paying));
    co_return EndEvent();
}
inline constexpr auto recording = workflow("recording", step<records_late>);
awaitable<EndEvent> asks_a_model(Context& ctx, JobEvent job, Seen& seen) {
    co_await sleep_for(std::chrono::seconds(job.seconds));
    if (seen.waits) co_await until_may_begin();
    ++seen.certain;
    auto operation = ctx.operation("chat", [](OperationDetails&) {});
    ++seen.effects;
    operation.end();
    co_return EndEvent();
}
inline constexpr auto chat = workflow("chat", step<asks_a_model>);

std::int64_t time_of(const weft::testing::ManualClock& clock) { return clock.wall().time_since_epoch().count(); }
/// A loop with a lease of nine seconds, whose heartbeats the test makes.
struct Leased {
    weft::testing::ManualClock& clock;
    Store& store;
    asio::io_context io{1};
    std::shared_ptr<core::Lease> lease;
    Loop loop;
    Leased(weft::testing::ManualClock& c, Store& s, const std::string& owner = "ann")
        : clock(c),
          store(s),
          lease(std::make_shared<core::Lease>(owner, c, 9s)),
          loop(Runtime{io.get_executor(), &c}, {.store = &s, .seed = 1, .lease = lease}) {}
    void run() {
        io.restart();
        while (io.poll() > 0) {}
    }
    void run_for(Duration time) {
        for (; time.count() > 0; time -= 1s) {
            clock.advance(std::min<Duration>(time, 1s));
            run();
        }
    }
    bool heartbeat() {
        const auto holder = lease->holder();
        const auto sent = clock.since_boot();
        bool alive = false;
        store.heartbeat({holder.owner, 9000, ""},
                        [&](std::exception_ptr error, HeartbeatReply reply) { alive = !error && reply.alive; });
        if (alive) lease->renew(holder.number, sent);
        if (alive) core::PrivateAccess::loop(loop).keeper().lease_renewed();
        run();
        return alive;
    }
};
struct Ends : Observer {  // notes the ways in which runs leave memory
    int ended = 0, parked = 0;
    void run_ended(const RunInfo&, RunStatus) noexcept override { ++ended; }
    void run_parked(const RunInfo&) noexcept override { ++parked; }
};
RunRow row_of(Store& store, const std::string& id) {
    RunRow found;
    store.list({.ids = {id}}, [&](std::exception_ptr, std::vector<RunRow> rows) { found = rows.at(0); });
    return found;
}
}

TEST_CASE("an engine begins no step in the last third of its lease, and begins it after an answered heartbeat") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen;
    Leased world(clock, store);
    world.heartbeat();
    auto run = world.loop.start(durable<>(job.with(seen)), {.seconds = 7}, {.id = "j"});
    world.run();
    CHECK(seen.first == 1);

    world.run_for(8s);
    CHECK(seen.second == 0);
    CHECK(row_of(store, "j").next_seq == 2);  // the ended step is stored
    CHECK(world.heartbeat());

    CHECK(seen.second == 1);
    CHECK(run.ended());
    run.outcome();
}
TEST_CASE("an engine begins nothing before its first heartbeat is answered") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen;
    Leased world(clock, store);
    world.loop.start(durable<>(job.with(seen)), {.seconds = 1}, {.id = "j"});
    world.run();
    CHECK(seen.first == 0);
    world.heartbeat();
    CHECK(seen.first == 1);
}
TEST_CASE("an engine drops its runs without a call of the store when its lease is over, and another continues them") {
    weft::testing::ManualClock clock;
    MemoryStore memory([&] { return time_of(clock); });
    FailingStore store(memory);
    Seen seen;
    Ends ends;
    Leased world(clock, store);
    world.heartbeat();
    auto run = world.loop.start(durable<>(job.with(seen)), {.seconds = 20}, {.id = "j", .observer = &ends});
    auto idle = world.loop.start(durable<>(question), {}, {.id = "q", .observer = &ends});
    world.run();
    CHECK(idle.idle());
    const auto calls = store.calls();

    world.run_for(8s);
    CHECK_FALSE(run.ended());
    world.run_for(1s);

    CHECK(run.ended());
    CHECK(idle.ended());
    CHECK(ends.parked == 2);
    CHECK(ends.ended == 0);
    CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("the lease of this process has expired"), RunError);
    CHECK_THROWS_WITH_AS(idle.outcome(), doctest::Contains("the run continues there, or when it is resumed"), RunError);
    CHECK(store.calls() == calls);
    CHECK(row_of(memory, "j").status == RunStatus::running);

    clock.advance(1s);
    Leased other(clock, memory, "bob");
    CHECK(other.heartbeat());
    CHECK(row_of(memory, "j").status == RunStatus::ready);
    auto again = resume_on(other.loop, durable<>(job.with(seen)), "j", {.observer = &ends});
    for (int i = 0; i < 10 && !again.ended(); ++i) {
        other.run_for(3s);
        other.heartbeat();
    }
    CHECK(seen.first == 2);
    CHECK(ends.ended == 1);
    again.outcome();
}
TEST_CASE("an engine sends a heartbeat for its next lease as soon as it learns that its lease is lost") {
    weft::testing::ManualClock clock;
    hinting::HintingStore store([&] { return time_of(clock); });
    store.share();
    Engine engine({.store = &store, .clock = &clock});
    while (store.heartbeats < 2) std::this_thread::yield();  // the next one is half a second away
    const auto owner = store.last_owner();
    store.heartbeat({owner, 0, ""}, [](const std::exception_ptr&, const HeartbeatReply&) {});
    const int before = store.heartbeats;

    clock.advance(500ms);  // this heartbeat brings the news
    while (store.heartbeats < before + 2) std::this_thread::yield();

    CHECK(store.last_owner() != owner);
}
TEST_CASE("runs of a former lease number leave memory, although a lease with the next number has begun") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen;
    Leased world(clock, store);
    world.heartbeat();
    auto run = world.loop.start(durable<>(job.with(seen)), {.seconds = 20}, {.id = "j"});
    world.run();

    world.lease->begin_anew(1);
    CHECK(world.heartbeat());
    core::PrivateAccess::loop(world.loop).keeper().drop_lapsed();
    world.run();

    CHECK(run.ended());
    auto next = world.loop.start(durable<>(job.with(seen)), {.seconds = 1}, {.id = "k"});
    world.run_for(2s);
    CHECK(next.ended());
    next.outcome();
    CHECK(row_of(store, "k").status == RunStatus::done);
}
TEST_CASE("an effect neither begins nor is recorded to begin while the lease is in doubt") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen;
    Leased world(clock, store);
    world.heartbeat();
    auto paid = world.loop.start(durable<>(payment.with(seen)), {.seconds = 7}, {.id = "p"});
    auto recorded = world.loop.start(durable<>(recording.with(seen)), {.seconds = 7}, {.id = "r"});
    world.run_for(8s);
    CHECK(seen.effects == 0);
    CHECK(row_of(store, "p").next_seq == 1);

    SUBCASE("an effect begins when a heartbeat is answered in time") {
        CHECK(world.heartbeat());
        CHECK(seen.effects == 2);
        CHECK(paid.ended());
        CHECK(recorded.ended());
    }
    SUBCASE("an effect never begins when heartbeats stay unanswered") {
        world.run_for(2s);
        CHECK(seen.effects == 0);
        CHECK(paid.ended());
        CHECK_THROWS_AS(paid.outcome(), RunError);
        CHECK(row_of(store, "p").next_seq == 1);
    }
}
TEST_CASE("a run leaves memory when its step asks a model while the lease is in doubt") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen;
    Leased world(clock, store);
    world.heartbeat();
    auto run = world.loop.start(durable<>(chat.with(seen)), {.seconds = 7}, {.id = "c"});
    world.run_for(8s);
    CHECK(seen.effects == 0);
    CHECK_THROWS_AS(run.outcome(), RunError);
    CHECK((row_of(store, "c").status == RunStatus::running && row_of(store, "c").next_seq == 1));
}
TEST_CASE("a step that waits for a certain lease asks its model after the next heartbeat") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen{.waits = true};
    Leased world(clock, store);
    world.heartbeat();
    auto run = world.loop.start(durable<>(chat.with(seen)), {.seconds = 7}, {.id = "c"});
    world.run_for(8s);
    CHECK((seen.effects == 0 && !run.ended()));
    world.heartbeat(), world.run_for(1s);
    CHECK((seen.effects == 1 && run.ended()));
}
TEST_CASE("a process suspended for longer than its lease begins no step, in any order of its news:") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen{.waits = true};
    Leased world(clock, store);
    world.heartbeat();
    auto run = world.loop.start(durable<>(chat.with(seen)), {.seconds = 1}, {.id = "c"});
    world.run(), clock.advance(10s);
    SUBCASE("the end of its lease first") { core::PrivateAccess::loop(world.loop).keeper().drop_lapsed(); }
    SUBCASE("the end of its step's wait first") {}
    world.run();
    CHECK((seen.certain == 0 && seen.effects == 0 && run.ended()));
}

// --- leaving ---
TEST_CASE("a draining loop lets steps finish, begins none, and leaves each run in the store") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen;
    Leased world(clock, store);
    world.heartbeat();
    world.loop.start(durable<>(job.with(seen)), {.seconds = 4}, {.id = "j"});
    { auto idle = world.loop.start(durable<>(question), {}, {.id = "q"}); }
    world.run();
    bool drained = false;

    core::PrivateAccess::loop(world.loop).keeper().drain([&] { drained = true; });
    world.run_for(2s);
    CHECK_FALSE(drained);
    CHECK(row_of(store, "q").status == RunStatus::waiting);
    CHECK(row_of(store, "j").status == RunStatus::running);
    world.run_for(2s);

    CHECK(drained);
    CHECK(seen.second == 0);
    CHECK(row_of(store, "j").status == RunStatus::ready);
    CHECK(row_of(store, "j").next_seq == 2);
    CHECK(row_of(store, "j").takeovers == 0);
    Leased other(clock, store, "bob");
    other.heartbeat();
    auto run = resume_on(other.loop, durable<>(job.with(seen)), "j");
    other.run();
    CHECK(run.ended());
    CHECK(seen.first == 1);  // of the ended step
    CHECK(seen.second == 1);
}
TEST_CASE("draining waits for a step that exceeds its time, and does not stop it") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen;
    Leased world(clock, store);
    world.heartbeat();
    auto run = world.loop.start(durable<>(job.with(seen)), {.seconds = 100}, {.id = "j"});
    world.run();
    bool drained = false;
    core::PrivateAccess::loop(world.loop).keeper().drain([&] { drained = true; });
    world.run_for(2s);
    CHECK_FALSE(drained);

    core::PrivateAccess::loop(world.loop).keeper().leave_all();
    world.run();

    CHECK(drained);
    CHECK(row_of(store, "j").status == RunStatus::ready);
    CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("continues when it is resumed"), RunError);
}

// --- detached runs ---
TEST_CASE("a detached run is in its store, free for any claim, and does no work in its process") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen;
    {
        Timed world(clock, store);
        auto run = world.loop.start(durable<>(job.with(seen)), {.seconds = 1},
                                    {.id = "d", .queue = "slow", .priority = 3, .detached = true});
        world.run();
        CHECK(run.ended());
        CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("when a worker claims it"), RunError);
        CHECK_THROWS_WITH_AS(world.loop.start(job.with(seen), {}, {.detached = true}), doctest::Contains("durable()"),
                             Error);
    }
    const auto row = row_of(store, "d");
    CHECK(row.status == RunStatus::ready);
    CHECK(row.epoch == 0);
    CHECK(row.queue == "slow");
    CHECK(row.priority == 3);
    CHECK(row.next_seq == 1);
    CHECK(seen.first == 0);
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable<>(job.with(seen)), "d");
    world.until([&] { return run.ended(); });
    run.outcome();
    CHECK(seen.first == 1);
}
TEST_CASE("a detached run with a known start key leaves that run alone") {
    weft::testing::ManualClock clock;
    MemoryStore store([&] { return time_of(clock); });
    Seen seen;
    for (int i = 0; i < 2; ++i) {
        Timed world(clock, store);
        auto run = world.loop.start(durable<>(job.with(seen)), {.seconds = 1}, {.key = "k", .detached = true});
        world.run();
        CHECK(run.ended());
        CHECK(run.id() == "job:k");
    }
    CHECK(row_of(store, "job:k").next_seq == 1);
    CHECK(row_of(store, "job:k").status == RunStatus::ready);
}
