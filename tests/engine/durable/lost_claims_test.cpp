// The answer to a claim is lost, so the store has given runs to an engine that does not know them.
#include "engine/core/run_log.hpp"
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/observer.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/manual_clock.hpp"
#include <atomic>
#include <doctest/doctest.h>
#include <thread>
using namespace weft;
using namespace weft::storage;

namespace {
struct LostStartEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(LostStartEvent, (), ())
struct LostQuestionEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(LostQuestionEvent, (), ())
struct LostAnswerEvent : Answers<LostQuestionEvent> {};
BOOST_DESCRIBE_STRUCT(LostAnswerEvent, (), ())
struct LostStopEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(LostStopEvent, (), ())
LostQuestionEvent ask_lost(Context&, LostStartEvent) { return {}; }
LostStopEvent end_lost(Context&, LostAnswerEvent) { return {}; }
inline constexpr auto asking = workflow("asking", step<ask_lost>, step<end_lost>);

struct LosesAnswer : MemoryStore {
    using MemoryStore::MemoryStore;
    void heartbeat(Heartbeat sign, Then<HeartbeatReply> then) override {
        ++heartbeats;
        ++beats;
        MemoryStore::heartbeat(std::move(sign), std::move(then));
    }
    void list(Filter filter, Then<std::vector<RunRow>> then) override {
        if (!filter.owner.empty()) heartbeats = 0, ++looks;
        MemoryStore::list(std::move(filter), std::move(then));
    }
    void claim(ClaimRequest claim, Then<std::vector<RunRow>> then) override {
        const auto lost = [then](std::exception_ptr, const std::vector<RunRow>&) {
            then(std::make_exception_ptr(Error(Code::journal, "no answer")), {});
        };
        if (loses.exchange(false)) MemoryStore::claim(std::move(claim), lost);
        else MemoryStore::claim(std::move(claim), std::move(then));
    }
    std::atomic<bool> loses = false;
    std::atomic<int> heartbeats = 0;  // since an engine has looked for runs that it does not know
    std::atomic<int> beats = 0, looks = 0;
};
/// Keeps a loop from executing a run of which it has just heard.
struct DelaysStart : Observer {
    void run_started(const RunInfo&) noexcept override { may_go_on.wait(false); }
    void go_on() {
        may_go_on = true;
        may_go_on.notify_all();
    }
    std::atomic<bool> may_go_on = false;
};
struct LostClaims {
    LostClaims() {
        store.share();
        Engine first({.store = &store, .clock = &clock});
        auto run = first.start(stored, {}, {.id = "a", .detached = true});
        CHECK_THROWS_AS(first.wait(run.result()), RunError);
    }
    RunRow row() {
        return answer_of<std::vector<RunRow>>([&](auto then) { store.list({.ids = {"a"}}, then); }).at(0);
    }
    void wait_until_ready() {
        while (row().status != RunStatus::ready) std::this_thread::yield();
    }
    testing::ManualClock clock;
    LosesAnswer store{[this] { return clock.wall().time_since_epoch().count(); }};
    const decltype(durable<>(asking)) stored = durable<>(asking);
};
}

TEST_CASE("runs of a claim with a lost answer are free again at the next heartbeat") {
    LostClaims world;
    for (const bool recovers : {false, true}) {
        CAPTURE(recovers);
        Engine engine({.store = &world.store, .clock = &world.clock});
        world.store.loses = true;
        if (recovers) CHECK_THROWS_WITH_AS(engine.recover(world.stored), "no answer", Error);
        else CHECK_THROWS_WITH_AS(engine.claim({}, [](const RunRow&) { return true; }), "no answer", Error);

        world.wait_until_ready();
    }
}
TEST_CASE("an engine stops its look for the runs of a lost claim when they are free again") {
    LostClaims world;
    Engine engine({.store = &world.store, .clock = &world.clock});
    world.store.loses = true;
    CHECK_THROWS_AS(engine.claim({}, [](const RunRow&) { return true; }), Error);
    world.wait_until_ready();
    const int looks = world.store.looks;

    for (int beats = world.store.beats, end = beats + 10; world.store.beats < end; std::this_thread::yield())
        world.clock.advance(std::chrono::seconds(1));

    CHECK(world.store.looks <= looks + 1);  // one may have begun before the run was free
}
TEST_CASE("a run of a claim with a lost answer is free again although the engine still has it by a former claim") {
    for (const bool leaves_meanwhile : {false, true}) {
        CAPTURE(leaves_meanwhile);
        LostClaims world;
        DelaysStart observer;
        Engine engine({.store = &world.store, .clock = &world.clock, .observer = &observer});
        answer_of<HeartbeatReply>([&](auto then) { world.store.heartbeat({.id = "former"}, then); });
        const auto rows = answer_of<std::vector<RunRow>>(
            [&](auto then) { world.store.claim({.owner = "former", .ids = {"a"}}, then); });
        REQUIRE(rows.size() == 1);
        if (!leaves_meanwhile) observer.go_on();
        auto run = engine.resume(world.stored, "a", {.claimed = RunOptions::Claimed{rows[0].epoch, rows[0].owner}});
        answer_of<AppendReply>(
            [&](auto then) { world.store.append(core::given_back("a", rows[0].epoch, rows[0].next_seq), then); });

        world.store.heartbeats = -1000;
        world.store.loses = true;
        CHECK_THROWS_WITH_AS(engine.claim({}, [](const RunRow&) { return true; }), "no answer", Error);
        if (leaves_meanwhile) {  // after the engine has found the run in memory, and before it looks at its epoch
            while (world.store.heartbeats <= 0) std::this_thread::yield();
            observer.go_on();
        }

        world.wait_until_ready();
        CHECK(world.row().epoch == rows[0].epoch + 1);
        CHECK_THROWS_AS(engine.wait(run.result()), RunError);
    }
}
