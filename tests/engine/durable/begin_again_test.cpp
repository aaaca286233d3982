// A run begins again: with defaults, under its id, with a short journal, and whatever dies or fails meanwhile.
#include "engine/engine.hpp"
#include "engine/fork.hpp"
#include "engine/replay.hpp"
#include "engine/storage/answer.hpp"
#include "engine/timeout.hpp"
#include "tests/engine/durable/poller.hpp"
#include <thread>
using namespace polls;
using namespace weft::storage;
using dying::Dying;
using dying::Timed;
using testing::ManualClock;

namespace {
using Names = std::vector<std::string>;
std::vector<std::string> kinds_of(Store& store, const std::string& id) {
    std::vector<std::string> kinds;
    for (auto& tick : ticks_of(store, id)) kinds.push_back(tick.at("tick"));
    return kinds;
}
}

TEST_CASE("a step that begins its run again can be tested without a run") {
    Context ctx;
    Probe probe;
    CHECK_FALSE(decide(ctx, {.round = 4, .most = 9}, probe));
    REQUIRE(ctx.next_start<PollEvent>());
    CHECK(ctx.next_start<PollEvent>()->round == 5);
    ctx.begin_again(PollEvent{.round = 6});
    CHECK(ctx.next_start<PollEvent>()->round == 6);
    struct OtherEvent : StartEvent {};
    CHECK_FALSE(ctx.next_start<OtherEvent>());
    CHECK_FALSE(Context().next_start<PollEvent>());
}
TEST_CASE("a run begins again with default slots and without the result of its step") {
    for (const bool is_stored : {false, true}) {
        CAPTURE(is_stored);
        Probe probe;
        MemoryStore store;
        testing::Recorder seen;
        const auto bound = poller.with(probe);
        const testing::Setup setup{.recorder = &seen, .store = &store, .run = {.id = "p"}};
        const auto polled = is_stored ? testing::run(durable<Looks>(bound), {}, setup) : testing::run(bound, {}, setup);
        CHECK(polled.rounds == 3);
        CHECK(polled.looks == 1);
        CHECK(probe.looked == std::vector<int>{0, 1, 2, 3});
        CHECK(seen.names() == Names{"RunBegunAgainEvent", "RunBegunAgainEvent", "RunBegunAgainEvent", "PolledEvent"});
        check_keys(probe, 3);
    }
}
TEST_CASE("the journal has the last round only, whose ticks have the next numbers") {
    Probe probe;
    MemoryStore store;
    RunOptions options{.id = "p"};
    options.values.text = "{\"tenant\":7}";
    options.queue = "slow";
    options.priority = 3;
    testing::run(durable<Looks>(poller.with(probe)), {}, {.store = &store, .run = options});
    const auto history = history_of(store, "p");
    CHECK(kinds_of(store, "p") == Names{"arrived", "once", "finished", "finished"});
    CHECK(history.ticks.front().seq == 9);
    CHECK(history.run.next_seq == 13);
    CHECK(history.run.status == RunStatus::done);
    CHECK(history.run.queue == "slow");
    CHECK(history.run.priority == 3);
    CHECK(history.run.epoch == 1);
    const auto first = ticks_of(store, "p").front();
    CHECK(first.at("values") == nlohmann::json::parse(R"({"tenant":7})"));
    CHECK(first.at("events")[0].at("data").at("round") == 3);
    CHECK_FALSE(first.contains("slots"));
}
TEST_CASE("a failed attempt begins nothing again") {
    Probe probe{.fails = 1};
    MemoryStore store;
    const auto polled = testing::run(durable<Looks>(poller.with(probe)), {.most = 1}, {.store = &store});
    CHECK(polled.rounds == 1);
    CHECK(probe.looked == std::vector<int>{0, 1});
    Probe always{.fails = 2};
    CHECK_THROWS_WITH_AS(testing::run(poller.with(always), {.most = 1}), doctest::Contains("not yet"), RunError);
}
TEST_CASE("a run that dies after any call of its store begins each round once, and loses none") {
    for (long calls = 1;; ++calls) {
        CAPTURE(calls);
        MemoryStore store;
        ManualClock clock;
        Probe probe;
        const auto bound = durable<Looks>(poller.with(probe));
        bool has_ended = false;
        {
            Dying mortal(store, calls);
            Timed world(clock, mortal);
            auto run = world.loop.start(bound, {.most = 2}, {.id = "p"});
            for (int i = 0; i < 20; ++i) world.run();
            has_ended = run.ended();
        }
        dying::free_all(store);
        Timed world(clock, store);
        auto run = dying::resume_on(world.loop, bound, "p");
        world.until([&] { return run.ended(); });
        CHECK(run.outcome().rounds == 2);
        CHECK(run.outcome().looks == 1);
        check_keys(probe, 2);
        CHECK(kinds_of(store, "p") == Names{"arrived", "once", "finished", "finished"});
        if (has_ended) break;
        CHECK(calls < 20);
    }
}
TEST_CASE("a run survives any one failure of its store while it begins again") {
    for (const auto how : {FailingStore::FailureMode::not_stored, FailingStore::FailureMode::stored})
        for (std::size_t n = 1;; ++n) {
            CAPTURE(n);
            MemoryStore memory;
            FailingStore store(memory);
            store.fail(n, how);
            ManualClock clock;
            Probe probe;
            Timed world(clock, store);
            auto run = world.loop.start(durable<Looks>(poller.with(probe)), {.most = 2}, {.id = "p"});
            world.until([&] { return run.ended(); });
            CHECK(run.outcome().rounds == 2);
            CHECK(probe.looked == std::vector<int>{0, 1, 2});
            CHECK(kinds_of(memory, "p") == Names{"arrived", "once", "finished", "finished"});
            if (store.failures() == 0) break;
        }
}
TEST_CASE("a run whose owner was replaced begins nothing again") {
    MemoryStore memory;
    FailingStore store(memory);
    ManualClock clock;
    Probe probe{.pause = 1h};
    Timed world(clock, store);
    auto run = world.loop.start(durable<Looks>(poller.with(probe)), {.most = 2}, {.id = "p"});
    world.run();
    dying::free_all(memory);
    Probe other;
    Timed next(clock, memory);
    auto successor = dying::resume_on(next.loop, durable<Looks>(poller.with(other)), "p");
    next.until([&] { return successor.ended(); });
    world.until([&] { return run.ended(); });
    CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("another process has taken over the run"), RunError);
    CHECK(successor.outcome().rounds == 2);
    CHECK(other.looked == std::vector<int>{1, 2});
}
TEST_CASE("a run with snapshots begins again, and resumes from any tick") {
    for (const std::uint32_t every : {1u, 2u, 3u})
        for (long calls = 1; calls < 14; ++calls) {
            CAPTURE(every);
            CAPTURE(calls);
            MemoryStore store;
            ManualClock clock;
            Probe probe;
            const auto bound = durable<Looks>(poller.with(probe));
            {
                Dying mortal(store, calls);
                Timed world(clock, mortal, every);
                auto run = world.loop.start(bound, {.most = 2}, {.id = "p"});
                for (int i = 0; i < 20; ++i) world.run();
            }
            dying::free_all(store);
            Timed world(clock, store, every);
            auto run = dying::resume_on(world.loop, bound, "p");
            world.until([&] { return run.ended(); });
            CHECK(run.outcome().rounds == 2);
            check_keys(probe, 2);
        }
}
TEST_CASE("the timeout of a run counts from its first start") {
    for (const bool is_stored : {false, true}) {
        CAPTURE(is_stored);
        Probe probe{.pause = 20min};
        MemoryStore store;
        ManualClock clock;
        const auto begin = clock.now();
        const auto bound = poller.with(probe);
        const testing::Setup setup{.clock = &clock, .store = &store, .run = {.timeout = 70min, .id = "p"}};
        const auto run = [&] {
            is_stored ? testing::run(durable<Looks>(bound), {.most = 99}, setup)
                      : testing::run(bound, {.most = 99}, setup);
        };
        CHECK_THROWS_WITH_AS(run(), "the run has not ended within 4200 s", RunError);
        CHECK(clock.now() - begin == 70min);
        CHECK(probe.looked == std::vector<int>{0, 1, 2, 3});
    }
}
TEST_CASE("a run keeps its first deadline when it begins again after it has been out of memory") {
    Probe probe{.pause = 20min};
    MemoryStore store;
    ManualClock clock;
    const auto begin = clock.now();
    const auto bound = durable<Looks>(poller.with(probe));
    {
        Timed world(clock, store);
        auto run = world.loop.start(bound, {.most = 99}, {.timeout = 70min, .id = "p"});
        world.until([&] { return probe.looked.size() == 2; });
    }
    Timed world(clock, store);
    auto run = dying::resume_on(world.loop, bound, "p");
    world.until([&] { return run.ended(); });
    CHECK_THROWS_WITH_AS(run.outcome(), "the run has not ended within 4200 s", RunError);
    CHECK(clock.now() - begin == 70min);
}
TEST_CASE("a run that sleeps for a day in each round runs for ten years with a journal of one round") {
    Probe probe{.pause = 24h};
    MemoryStore store;
    ManualClock clock;
    const auto begin = clock.wall();
    const auto polled = testing::run(durable<Looks>(poller.with(probe)), {.most = 3652},
                                     {.clock = &clock, .store = &store, .run = {.id = "p"}, .at_most = 10min});
    CHECK(polled.rounds == 3652);
    CHECK(clock.wall() - begin == 3653 * 24h);
    CHECK(probe.looked.size() == 3653);
    CHECK(history_of(store, "p").ticks.size() == 5);
}
TEST_CASE("the most ticks of a journal count from its first one") {
    Probe probe;
    MemoryStore store, other;
    const auto bound = durable<Looks>(poller.with(probe));
    testing::run(bound, {}, {.store = &store, .run = {.id = "p"}});
    const auto start = history_of(store, "p").ticks.front().body;
    const auto first = 3 * core::most_ticks;  // as after many rounds
    NewRun run;
    run.id = "p";
    run.plan = storage::answer_of<StoredPlan>(
        [&](auto then) { store.plan(bound.definition->durable->hash, std::move(then)); });
    run.ticks.push_back({first, start, chained_sum(0, first, start)});
    storage::answer_of<CreateReply>([&](auto then) { other.create(std::move(run), std::move(then)); });
    ManualClock clock;
    Timed world(clock, other, 2);
    auto resumed = dying::resume_on(world.loop, bound, "p");
    world.until([&] { return resumed.ended(); });
    CHECK(resumed.outcome().rounds == 3);
    CHECK(history_of(other, "p").run.next_seq == first + 4);
}
TEST_CASE("a fork and a replay of a run that has begun again have its last round") {
    Probe probe;
    MemoryStore store;
    const auto bound = durable<Looks>(poller.with(probe));
    testing::run(bound, {}, {.store = &store, .run = {.id = "p"}});

    CHECK(replay(bound.definition, history_of(store, "p")).steps == 2);
    CHECK_THROWS_WITH_AS(fork(store, "p", 2, {}), "run p has the ticks 9 to 12, and none with the number 2", Error);
    const auto forked = fork(store, "p", 10, {.id = "f"});
    CHECK(history_of(store, "f").ticks.front().seq == 9);
    ManualClock clock;
    Timed world(clock, store);
    auto run = dying::resume_on(world.loop, bound, forked);
    world.until([&] { return run.ended(); });
    CHECK(run.outcome().rounds == 3);
    CHECK(probe.looked == std::vector<int>{0, 1, 2, 3});
}
TEST_CASE("a replay reports a step that begins the run again now") {
    Probe probe;
    MemoryStore store;
    const auto bound = durable<Looks>(poller.with(probe));
    testing::run(bound, {.most = 0}, {.store = &store, .run = {.id = "p"}});
    Probe endless{.is_endless = true};
    const auto replayed = replay(durable<Looks>(poller.with(endless)).definition, history_of(store, "p"));
    REQUIRE(replayed.difference);
    CHECK(replayed.difference->sentence() == "step decide has another result at tick 3: it begins the run again");
}
namespace {
awaitable<std::optional<PolledEvent>> delegate(Context& ctx, PollEvent poll, Probe& probe) {
    PollEvent one;
    one.most = 0;
    co_await ctx.run(durable<Looks>(poller.with(probe)), std::move(one));
    if (poll.round == poll.most) co_return PolledEvent{.rounds = poll.round};
    ++poll.round;
    ctx.begin_again(std::move(poll));
    co_return std::nullopt;
}
inline constexpr auto delegating = workflow("delegating", step<delegate>);
/// Sends a cancellation when the run begins again.
struct Meddling : Dying {
    bool is_before;
    Meddling(Store& store, long calls, bool before) : Dying(store, calls), is_before(before) {}
    void append(Batch batch, Then<AppendReply> then) override {
        const Mail mail{.run = batch.run, .id = "c", .body = R"({"cancel":true})"};
        const bool meddles = batch.begins_again;
        const auto meddle = [&] {
            to.send(mail, [](std::exception_ptr error, SendReply reply) {
                CHECK_FALSE(error);
                CHECK(reply.status == RunStatus::running);
            });
        };
        if (meddles && is_before) meddle();
        Dying::append(std::move(batch), std::move(then));
        if (meddles && !is_before) meddle();
    }
};
}
TEST_CASE("the children of two rounds have different keys") {
    Probe probe{.pause = 1h};
    MemoryStore store;
    ManualClock clock;
    const auto bound = durable<>(delegating.with(probe));
    for (const bool is_resumed : {false, true}) {
        CAPTURE(is_resumed);
        const auto id = is_resumed ? "resumed" : "whole";
        probe.keys.clear();
        {
            Timed world(clock, store);
            auto run = world.loop.start(bound, {.most = 2}, {.id = id});
            world.until([&] { return is_resumed ? probe.keys[0].size() == 2 : run.ended(); });
        }
        if (is_resumed) {
            Timed world(clock, store);
            auto run = dying::resume_on(world.loop, bound, id);
            world.until([&] { return run.ended(); });
        }
        CHECK(probe.keys[0].size() == 3);
        CHECK(history_of(store, id).run.status == RunStatus::done);
    }
}
TEST_CASE("a cancellation that comes while a run begins again is not lost") {
    for (const bool is_before : {false, true})
        for (long calls = 4; calls < 8; ++calls) {
            CAPTURE(is_before);
            CAPTURE(calls);
            MemoryStore store;
            ManualClock clock;
            Probe probe;
            const auto bound = durable<Looks>(poller.with(probe));
            {
                Meddling mortal(store, calls, is_before);
                Timed world(clock, mortal);
                auto run = world.loop.start(bound, {.most = 1}, {.id = "p"});
                for (int i = 0; i < 20; ++i) world.run();
            }
            dying::free_all(store);
            if (history_of(store, "p").run.status == RunStatus::done) continue;
            Timed world(clock, store);
            auto run = dying::resume_on(world.loop, bound, "p");
            world.until([&] { return run.ended(); });
            CHECK(history_of(store, "p").run.status == RunStatus::cancelled);
        }
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("a run without a handle begins again each time it returns to memory") {
    Probe probe{.pause = 1h};
    ManualClock clock;
    MemoryStore store([&] { return clock.wall().time_since_epoch().count(); });
    const auto bound = durable<Looks>(poller.with(probe));
    {
        Engine engine({.store = &store, .park = true, .clock = &clock});
        engine.recover(bound);
        (void)engine.start(bound, {.most = 5}, {.id = "p"});
        for (auto status = RunStatus::running; status != RunStatus::done; std::this_thread::yield()) {
            store.list({.ids = {"p"}}, [&](std::exception_ptr, std::vector<RunRow> rows) {
                if (!rows.empty()) status = rows[0].status;
            });
            if (status == RunStatus::waiting) clock.advance(1h);
        }
    }
    CHECK(probe.looked == std::vector<int>{0, 1, 2, 3, 4, 5});
    check_keys(probe, 5);
}
TEST_SUITE_END();
