// Stored runs that undo: wherever their process dies, asleep, parked, with snapshots, in forks and replays.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/fork.hpp"
#include "engine/journal/fold.hpp"
#include "engine/journal/format.hpp"
#include "engine/once.hpp"
#include "engine/replay.hpp"
#include "engine/storage/answer.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/timed.hpp"
#include <nlohmann/json.hpp>
#include <set>
#include <thread>
using namespace weft;
using namespace weft::storage;
using namespace std::chrono_literals;
using dying::Dying;
using dying::Timed;
using testing::ManualClock;

namespace {
struct TravelEvent : StartEvent {
    std::string last = "waits";  // the third booking "waits", "sleeps", "fails" or "asks"
};
BOOST_DESCRIBE_STRUCT(TravelEvent, (), (last))
struct WantedEvent {
    int booking = 0;
    std::string last;
};
BOOST_DESCRIBE_STRUCT(WantedEvent, (), (booking, last))
struct MadeEvent {
    int booking = 0;
    std::string last;
};
BOOST_DESCRIBE_STRUCT(MadeEvent, (), (booking, last))
struct SureEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(SureEvent, (), ())
struct YesEvent : Answers<SureEvent> {};
BOOST_DESCRIBE_STRUCT(YesEvent, (), ())
struct TravelledEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(TravelledEvent, (), ())
struct Wanted {
    std::vector<int> bookings;  // each before it is made
};
BOOST_DESCRIBE_STRUCT(Wanted, (), (bookings))
/// The other side: what was done, by name, under which keys.
struct Office {
    std::map<std::string, std::set<std::string>> done;
    int endings = 0;
    std::chrono::nanoseconds pause{0};
    int failures = 0;  // of the undo step
    bool hangs = false;
};
awaitable<int> act(Office& office, std::string what, std::string key) {
    office.done[what].insert(key);
    co_return 1;
}
WantedEvent begin(Context& ctx, TravelEvent travel) {
    ctx.edit<Wanted>([](Wanted& w) { w.bookings.push_back(1); });
    return {1, travel.last};
}
awaitable<std::variant<MadeEvent, SureEvent>> book(Context& ctx, WantedEvent wanted, Office& office) {
    auto booking = act(office, "book " + std::to_string(wanted.booking), ctx.key());
    co_await ctx.once("book", std::move(booking));
    if (wanted.booking == 3) {
        if (wanted.last == "fails") throw Error(Code::model_refused, "no room");
        if (wanted.last == "asks") co_return SureEvent{};
        if (wanted.last == "sleeps") co_await ctx.sleep(100h);
        else co_await sleep_for(100h);
    }
    co_return MadeEvent{wanted.booking, wanted.last};
}
std::variant<WantedEvent, TravelledEvent> choose(Context& ctx, MadeEvent made) {
    if (made.booking == 3) return TravelledEvent{};
    ctx.edit<Wanted>([&](Wanted& w) { w.bookings.push_back(made.booking + 1); });
    return WantedEvent{made.booking + 1, made.last};
}
MadeEvent confirm(Context&, YesEvent) { return {3, ""}; }
awaitable<void> undo(Context& ctx, RunEndingEvent, Office& office) {
    ++office.endings;
    if (office.failures > 0 && office.failures--) throw std::runtime_error("the line is dead");
    if (office.hangs) co_await sleep_for(100h);
    auto bookings = ctx.get<Wanted>().bookings;
    for (; !bookings.empty(); bookings.pop_back()) {
        const auto name = "undo " + std::to_string(bookings.back());
        auto undoing = act(office, name, ctx.key());
        co_await ctx.once(name, std::move(undoing));
        if (office.pause.count()) co_await ctx.sleep(office.pause);
    }
}
inline constexpr auto travel = workflow("travel", step<begin>, step<book>, step<choose>, step<confirm>,
                                        step<undo>.within(1h));
auto bound_to(Office& office) { return durable<Wanted>(travel.with(office)); }
template <class R> std::string error_of(const R& run) {
    try {
        (void)run.outcome();
    } catch (const RunError& error) { return std::string(name(error.code())) + ": " + error.what(); }
    return "none";
}
/// Each booking was undone under one key.
void check_undone(const Office& office, int bookings = 3) {
    for (int i = 1; i <= bookings; ++i) {
        CAPTURE(i);
        for (const char* what : {"book ", "undo "}) {
            const auto found = office.done.find(what + std::to_string(i));
            CHECK((found != office.done.end() && found->second.size() == 1));
        }
    }
    CHECK(office.done.size() == std::size_t(2 * bookings));
}
std::string undoes_after(Store& store) {
    return journal::fold_course(journal::read_entries(history_of(store, "t"))).undoes_after;
}
bool books_third(const Office& office) { return office.done.contains("book 3"); }
std::string store_outcome(Store& store) { return history_of(store, "t").run.outcome; }
struct CallEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(CallEvent, (), ())
awaitable<TravelledEvent> call(Context& ctx, CallEvent, Office& office) {
    TravelEvent start;
    co_return co_await ctx.run(bound_to(office), std::move(start));
}
inline constexpr auto caller = workflow("caller", step<call>);
auto calling(Office& office) { return durable<Wanted>(caller.with(office)); }
struct Kind {
    const char* last;
    const char* status;
    std::string error;
};
const Kind kinds[] = {{"waits", "cancelled", "cancelled: the run was cancelled"},
                      {"sleeps", "cancelled", "cancelled: the run was cancelled"},
                      {"asks", "cancelled", "cancelled: the run was cancelled"},
                      {"waits", "timed_out", "timed_out: the run has not ended within 7200 s"},
                      {"sleeps", "timed_out", "timed_out: the run has not ended within 7200 s"},
                      {"fails", "failed", "model_refused: step book failed: no room"}};
/// Cancels the run in its third booking, unless a cancellation has been stored.
template <class R>
void drive(Timed& world, R& run, const Kind& kind, const Office& office, Store& store, const Dying* mortal = nullptr) {
    const bool is_cancelled = std::string(kind.status) == "cancelled";
    bool sent = false;
    for (int i = 0; i < 60 && !run.ended(); ++i) {
        world.run();
        if (mortal && mortal->left <= 0) return;  // the dead see no time pass
        if (is_cancelled && !sent && books_third(office) && undoes_after(store).empty()) {
            run.cancel();
            sent = true;
        } else if (!run.ended() && (!is_cancelled || sent || !undoes_after(store).empty())) world.clock.jump();
    }
}
}

TEST_CASE("a stored run that is cancelled, late or fails undoes each booking once, wherever its process dies") {
    for (const auto& kind : kinds)
        for (const std::uint32_t snapshot_every : {0u, 1u})
            for (long calls = 1;; ++calls) {
                CAPTURE(kind.last);
                CAPTURE(kind.status);
                CAPTURE(snapshot_every);
                CAPTURE(calls);
                MemoryStore store;
                ManualClock clock;
                Office office{.pause = calls % 2 ? 0s : 10s};
                const auto bound = bound_to(office);
                bool has_ended = false;
                {
                    Dying mortal(store, calls);
                    Timed world(clock, mortal, snapshot_every);
                    auto run = world.loop.start(bound, {.last = kind.last}, {.timeout = 2h, .id = "t"});
                    drive(world, run, kind, office, store, &mortal);
                    has_ended = run.ended();
                }
                dying::free_all(store);
                Timed world(clock, store, snapshot_every);
                auto run = dying::resume_on(world.loop, bound, "t");
                drive(world, run, kind, office, store);
                world.run();
                REQUIRE(run.ended());
                CHECK(error_of(run) == kind.error);
                check_undone(office);
                const auto row = history_of(store, "t").run;
                CHECK(name(row.status) == kind.status);
                if (has_ended) break;
                REQUIRE(calls < 60);
            }
}
TEST_CASE("the journal tells the begin and the reason of an undoing, and its own deadline") {
    MemoryStore store;
    ManualClock clock;
    Office office;
    Timed world(clock, store);
    auto run = world.loop.start(bound_to(office), {}, {.timeout = 3h, .id = "t"});
    world.run();
    run.cancel();
    world.run();
    std::vector<std::string> kinds;
    for (auto& tick : ticks_of(store, "t")) kinds.push_back(tick.at("tick"));
    CHECK(kinds == std::vector<std::string>{"arrived", "finished", "once", "finished", "finished", "once", "finished",
                                            "finished", "once", "ended", "dropped", "once", "once", "once",
                                            "finished"});
    const auto ended = ticks_of(store, "t")[9];
    CHECK(ended.at("cause") == "cancelled");
    CHECK(ended.at("events")[0].at("event") == "RunEndingEvent");
    CHECK(ended.at("events")[0].at("data").dump() == R"({"sentence":"the run was cancelled","status":"cancelled"})");
    CHECK(ended.at("deadline").get<std::int64_t>() - ended.at("at").get<std::int64_t>() == 3'600'000'000);
    CHECK(undoes_after(store) == "cancelled");
    CHECK(store_outcome(store) == R"({"data":{"undo_error":""},"event":"RunCancelledEvent"})");
}
TEST_CASE("the reason why an undoing failed stays in the outcome of a stored run") {
    for (const bool hangs : {false, true})
        for (const bool dies : {false, true}) {
            CAPTURE(hangs);
            CAPTURE(dies);
            MemoryStore store;
            ManualClock clock;
            Office office{.failures = hangs ? 0 : 2, .hangs = hangs};
            const auto bound = bound_to(office);
            if (dies) {
                Dying mortal(store, 12);
                Timed world(clock, mortal);
                auto run = world.loop.start(bound, {.last = "fails"}, {.id = "t"});
                for (int i = 0; i < 5; ++i) world.run();
                dying::free_all(store);
            }
            Timed world(clock, store);
            auto run = dies ? dying::resume_on(world.loop, bound, "t")
                            : world.loop.start(bound, {.last = "fails"}, {.id = "t"});
            world.until([&] { return run.ended(); });
            const std::string why = hangs ? "it took longer than its limit of 3600 s" : "the line is dead";
            const auto error = "model_refused: step book failed: no room; and undoing failed: " + why;
            CHECK(error_of(run) == error);
            Timed later(clock, store);
            auto again = dying::resume_on(later.loop, bound, "t");
            later.until([&] { return again.ended(); });
            CHECK(error_of(again) == error);
        }
}
TEST_CASE("a run that is past its deadline when it is resumed begins no other step, and undoes") {
    MemoryStore store;
    ManualClock clock;
    Office office;
    const auto bound = bound_to(office);
    {
        Timed world(clock, store);
        auto run = world.loop.start(bound, {}, {.timeout = 2h, .id = "t"});
        world.run();
        run.leave();
        world.run();
    }
    clock.advance(5h);
    Timed world(clock, store);
    auto run = dying::resume_on(world.loop, bound, "t");
    world.run();
    REQUIRE(run.ended());
    CHECK(error_of(run) == "timed_out: the run has not ended within 7200 s");
    check_undone(office);
}
TEST_CASE("a cancellation in the mailbox of a run without an owner lets it undo when it is resumed") {
    MemoryStore store;
    ManualClock clock;
    Office office;
    const auto bound = bound_to(office);
    {
        Timed world(clock, store);
        auto run = world.loop.start(bound, {.last = "sleeps"}, {.id = "t"});
        world.run();
        run.leave();
        world.run();
    }
    for (const char* id : {"weft:cancel", "weft:cancel"})
        store.send({.run = "t", .id = id, .body = R"({"cancel":true})"}, [](std::exception_ptr, SendReply) {});
    Timed world(clock, store);
    auto run = dying::resume_on(world.loop, bound, "t");
    world.until([&] { return run.ended(); });
    CHECK(error_of(run) == "cancelled: the run was cancelled");
    check_undone(office);
}
TEST_CASE("a cancelled run whose time has not come ends at once") {
    ManualClock clock;
    MemoryStore store{[&] { return clock.wall().time_since_epoch().count(); }};
    Office office;
    const auto bound = bound_to(office);
    Timed world(clock, store);
    RunOptions options{.id = "t"};
    options.not_before = clock.wall() + 24h;
    auto run = world.loop.start(bound, {}, options);
    world.run();
    run.cancel();
    world.until([&] { return run.ended(); });
    CHECK(office.endings == 0);
    CHECK(error_of(run) == "cancelled: the run was cancelled");
}
TEST_CASE("a stored run with an undo step refuses to be the child of a stored run, in a sentence") {
    MemoryStore store;
    ManualClock clock;
    Office office;
    Timed world(clock, store);
    auto run = world.loop.start(calling(office), {}, {.id = "c"});
    world.run();
    REQUIRE(run.ended());
    CHECK(error_of(run).find("which has an undo step: a stored child run cannot undo") != std::string::npos);
}
TEST_CASE("a fork from a tick of an undoing undoes again, with its own time, and a replay makes its results again") {
    MemoryStore store;
    ManualClock clock;
    Office office;
    const auto bound = bound_to(office);
    Timed world(clock, store);
    auto run = world.loop.start(bound, {}, {.id = "t"});
    world.run();
    run.cancel();
    world.until([&] { return run.ended(); });
    CHECK(replay(bound.definition, history_of(store, "t")).difference.has_value() == false);
    clock.advance(100h);
    fork(store, "t", 9, {.id = "f"});
    office.done.clear();
    auto forked = dying::resume_on(world.loop, bound, "f");
    world.until([&] { return forked.ended(); });
    CHECK(error_of(forked) == "cancelled: the run was cancelled");
    CHECK(office.done.size() == 3);
}
TEST_CASE("an undoing run that sleeps leaves memory, and goes on at its time") {
    MemoryStore store;
    ManualClock clock;
    Office office{.pause = 10min};
    const auto bound = bound_to(office);
    {
        Timed world(clock, store);
        auto run = world.loop.start(bound, {}, {.id = "t"});
        world.run();
        run.cancel();
        world.run();
        CHECK(run.diagnosis().starts_with("the run undoes its work, and then ends as cancelled: step undo sleeps"));
        run.leave();
        world.run();
    }
    CHECK(history_of(store, "t").run.status != RunStatus::cancelled);
    Timed world(clock, store);
    auto run = dying::resume_on(world.loop, bound, "t");
    world.until([&] { return run.ended(); });
    check_undone(office);
    CHECK(error_of(run) == "cancelled: the run was cancelled");
}
