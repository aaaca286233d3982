// Runs that resume from a snapshot end as without one, and do not read the ticks before it.
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/spawn.hpp"
#include "engine/timeout.hpp"
#include "tests/engine/durable/snapshots.hpp"
#include <set>
using namespace weft;
using namespace weft::storage;
using namespace dying;
using namespace snapshots;
using namespace std::chrono_literals;

namespace {
struct TourEvent : StartEvent {
    int rounds = 2;
};
BOOST_DESCRIBE_STRUCT(TourEvent, (), (rounds))
struct RoundEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(RoundEvent, (), (left))
struct LeafEvent {
    int number = 0, left = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(LeafEvent, (), (number, left, text))
struct PickedEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(PickedEvent, (), (left))
struct FoundEvent {
    int left = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(FoundEvent, (), (left, text))
struct WestEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(WestEvent, (), (left))
struct EastEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EastEvent, (), (text))
struct WhereEvent : InputRequiredEvent {
    int left = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(WhereEvent, (), (left, text))
struct ThereEvent : Answers<WhereEvent> {
    int left = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ThereEvent, (), (left, text))
struct TouredEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(TouredEvent, (), (text))
struct Found : Growing<std::string> {};
struct Places {
    std::vector<std::string> names;
};
BOOST_DESCRIBE_STRUCT(Places, (), (names))

RoundEvent set_off(Context&, TourEvent tour) { return {.left = tour.rounds}; }
std::vector<LeafEvent> spread(Context&, RoundEvent round) {
    std::vector<LeafEvent> all;
    for (int i = 0; i < 4; ++i)
        all.push_back({i, round.left, "a leaf with a long text, which moves: " + std::to_string(i)});
    return all;
}
awaitable<FoundEvent> search(Context& ctx, LeafEvent leaf) {  // the second first fails; the last one is too late
    co_await sleep_for(leaf.number == 3 ? 24h : 1h);
    if (leaf.number == 1 && ctx.attempt() == 1) throw std::runtime_error("not yet");
    ctx.edit<Found>([&](auto& found) { found.push_back(leaf.text); });
    FoundEvent found;
    found.left = leaf.left;
    found.text = leaf.text;
    co_return found;
}
PickedEvent pick(Context&, std::vector<FoundEvent> first) {
    return {.left = first.front().left * 10 + int(first.size())};
}
WestEvent west(Context&, PickedEvent picked) { return {.left = picked.left}; }
awaitable<EastEvent> east(Context&, PickedEvent picked) {
    co_await sleep_for(1h);
    EastEvent event;
    event.text = "east " + std::to_string(picked.left);
    co_return event;
}
WhereEvent meet(Context& ctx, WestEvent w, EastEvent e) {
    ctx.edit<Places>([&](auto& places) { places.names.push_back(e.text); });
    return {.left = w.left / 10, .text = e.text};
}
std::variant<RoundEvent, TouredEvent> go_on(Context& ctx, ThereEvent there) {
    if (there.left > 1) return RoundEvent{.left = there.left - 1};
    TouredEvent end;
    end.text = there.text + " " + std::to_string(ctx.get<Found>().size());
    for (auto& name : ctx.get<Places>().names) end.text += ", " + name;
    return end;
}
inline constexpr auto tour = workflow("tour", step<set_off>, step<spread>,
                                      step<search>.workers(2).retry({.attempts = 3, .wait = fixed(30min)}),
                                      step<pick>.first(3), step<west>, step<east>, step<meet>, step<go_on>);

awaitable<void> guide(RunOf<tour> run, std::uint64_t& ticks) {
    while (auto event = co_await run.next_event()) {
        if (auto* resumed = event->get_if<RunResumedEvent>()) ticks = resumed->ticks;
        if (auto* where = event->get_if<WhereEvent>())
            run.send(ThereEvent{.left = where->left, .text = where->text}, event->question());
    }
}
std::uint64_t finish(SnapshotWorld& world, RunOf<tour> run,
                     const Reading& store) {  // the number of ticks at its resume
    std::uint64_t ticks = 0;
    spawn(world.loop.runtime(), guide(run, ticks), [](std::exception_ptr) {});
    for (int i = 0; i < 200 && !run.ended() && store.left > 0; ++i) {
        world.run();
        if (!run.ended() && store.left > 0) world.clock.jump();
    }
    return ticks;
}
const std::string toured = "east 13 6, east 23, east 13";
const auto stored_tour = durable(tour);
}

TEST_CASE("a run with every kind of state ends the same from its last snapshot, and reads no earlier record") {
    std::set<std::uint64_t> begun_from;
    for (long calls = 1;; ++calls) {
        CAPTURE(calls);
        REQUIRE(calls < 200);
        testing::ManualClock clock;
        MemoryStore memory;
        Reading store(memory, calls);
        bool done = false;
        {
            SnapshotWorld world(clock, store, 1);
            auto run = world.loop.start(stored_tour, {}, {.timeout = 1000h, .id = "t"});
            finish(world, run, store);
            done = run.ended();
            if (done) CHECK(run.outcome().text == toured);
        }
        free_all(memory);
        store.left = 1'000'000;
        SnapshotWorld world(clock, store, calls % 2);
        auto run = resume_on(world.loop, stored_tour, "t");
        const auto ticks = finish(world, run, store);
        CHECK(run.outcome().text == toured);
        REQUIRE(store.loaded.size() == 1);
        const auto& read = store.loaded[0];
        const auto from = read.snapshot ? read.snapshot->upto : 0;
        CHECK(read.ticks.size() == read.run.next_seq - from);
        begun_from.insert(from);
        if (!done) CHECK(ticks == read.run.next_seq);
        if (done) break;
    }
    CHECK(begun_from.size() >= 20);
}
TEST_CASE("an unreadable snapshot is skipped, and all records are read") {
    for (auto body : {"", "{}", R"({"state": {"tokens": [{"cell": 7}]}})", "the sum does not fit"}) {
        CAPTURE(body);
        testing::ManualClock clock;
        MemoryStore memory;
        Reading store(memory);
        {
            SnapshotWorld world(clock, store, 0);
            auto run = world.loop.start(stored_tour, {}, {.id = "t"});
            world.run();
            world.clock.jump();
            world.run();
        }
        append_by_hand(memory, [&](Batch& batch) {
            batch.snapshot = Snapshot{.upto = 3, .body = body, .sum = chained_sum(0, 3, body)};
            if (std::string(body).starts_with("the")) ++batch.snapshot->sum;
        });
        SnapshotWorld world(clock, store, 1);
        auto run = resume_on(world.loop, stored_tour, "t");
        finish(world, run, store);
        CHECK(run.outcome().text == toured);
        CHECK(store.loaded.back().ticks.at(0).seq == 0);
        CHECK(store.loaded.size() == (std::string(body).starts_with("the") ? 1 : 2));
    }
}

// --- an attempt's input ---
namespace {
struct LetterEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(LetterEvent, (), (text))
struct BeatEvent {
    int left = 0;
};
BOOST_DESCRIBE_STRUCT(BeatEvent, (), (left))
struct Seen {
    int posted = 0, recorded = 0;
};
BeatEvent first_beat(Context&, TourEvent tour) { return {.left = tour.rounds}; }
LetterEvent write_letter(Context&, TourEvent) { return {.text = "a letter that is longer than a short string"}; }
awaitable<std::variant<BeatEvent, TouredEvent>> beat(Context&, BeatEvent b) {
    co_await sleep_for(1s);
    if (b.left == 0) co_return TouredEvent();
    BeatEvent next;
    next.left = b.left - 1;
    co_return next;
}
awaitable<int> count(Seen& seen) {
    co_await sleep_for(1s);
    co_return ++seen.recorded;
}
template <bool records> awaitable<TouredEvent> post(Context& ctx, LetterEvent letter, Seen& seen) {
    ++seen.posted;
    int number = 0;
    if constexpr (records) {
        auto counting = count(seen);
        number = co_await ctx.once("count", std::move(counting));
    }
    co_await sleep_for(100s);
    TouredEvent end;
    end.text = letter.text + std::to_string(number);
    co_return end;
}
template <bool records> constexpr auto beats() {
    return workflow("beats", step<first_beat>, step<write_letter>, step<beat>, step<post<records>>);
}
/// Stops during the delivery of the letter, resumes, and returns the number of ticks read.
template <bool records> History resume_letter(std::uint32_t every, Seen& seen) {
    testing::ManualClock clock;
    MemoryStore memory;
    Reading store(memory);
    const auto stored = durable<>(beats<records>().with(seen));
    {
        SnapshotWorld world(clock, store, every);
        world.loop.start(stored, {.rounds = 1000}, {.id = "b"});
        for (int i = 0; i < 30; ++i) {
            world.run();
            clock.advance(1s);
        }
        world.run();
    }
    SnapshotWorld world(clock, store, every);
    auto run = resume_on(world.loop, stored, "b");
    for (int i = 0; i < 300 && !run.ended(); ++i) {
        world.run();
        if (!run.ended()) clock.jump();
    }
    CHECK(run.outcome().text == "a letter that is longer than a short string" + std::to_string(int(records)));
    return store.loaded.at(0);
}
}
TEST_CASE("a repeated attempt has its event although the attempt before it had moved from it") {
    Seen seen;
    const auto history = resume_letter<false>(1, seen);
    REQUIRE(history.snapshot);
    CHECK(history.snapshot->upto > 25);
    CHECK(history.snapshot->body.find("a letter that is longer") != std::string::npos);
    CHECK(seen.posted == 2);
}
TEST_CASE("a snapshot is not taken while an attempt has records or began before one was due") {
    Seen seen;
    auto history = resume_letter<true>(1, seen);
    CHECK((!history.snapshot || history.snapshot->upto < 5));
    CHECK(seen.recorded == 1);
    history = resume_letter<false>(8, seen);
    CHECK_FALSE(history.snapshot);
    CHECK(history.ticks.size() > 25);
}

// --- when ---
namespace {
struct Pages : Growing<std::string> {};
BeatEvent write_first(Context&, TourEvent tour) { return {.left = tour.rounds}; }
std::variant<BeatEvent, TouredEvent> write_page(Context& ctx, BeatEvent e) {
    ctx.edit<Pages>([](auto& pages) { pages.push_back(std::string(100, 'p')); });
    if (e.left > 0) return BeatEvent{.left = e.left - 1};
    TouredEvent end;
    end.text = std::to_string(ctx.get<Pages>().size());
    return end;
}
inline constexpr auto book = workflow("book", step<write_first>, step<write_page>);
inline constexpr auto other_book = workflow("book", step<write_page>, step<write_first>);
}
TEST_CASE("snapshots are as rare as requested, and together no longer than the records") {
    testing::ManualClock clock;
    MemoryStore memory;
    Reading store(memory);
    SnapshotWorld world(clock, store, 10);
    auto run = world.loop.start(durable(book), {.rounds = 300}, {.id = "b"});
    world.run();
    CHECK(run.outcome().text == "301");
    std::size_t all = 0, ticks = 0;
    for (auto bytes : store.snapshots) all += bytes;
    memory.load(
        "b",
        [&](std::exception_ptr, History history) {
            for (auto& tick : history.ticks) ticks += tick.body.size();
        },
        0);
    CHECK(store.snapshots.size() > 4);
    CHECK(store.snapshots.size() < 30);  // each has all pages, so that they become ever rarer
    CHECK(all < ticks * 3 / 2);
    Reading other(memory);
    SnapshotWorld none(clock, other, 0);
    none.loop.start(durable(book), {.rounds = 300}, {.id = "c"});
    none.run();
    CHECK(other.snapshots.empty());
}
TEST_CASE("a run is carried from a snapshot to another declaration, and from a snapshot of that one") {
    testing::ManualClock clock;
    MemoryStore memory;
    Reading store(memory);
    {
        store.left = 100;
        SnapshotWorld world(clock, store, 1);
        world.loop.start(durable(book), {.rounds = 300}, {.id = "b"});
        world.run();
    }
    free_all(memory);
    for (long calls : {60, 1, 1'000'000}) {
        store.left = calls;
        SnapshotWorld world(clock, store, 10);
        auto run = resume_on(world.loop, durable(other_book), "b");
        world.run();
        free_all(memory);
        REQUIRE(store.loaded.back().snapshot);
        CHECK(store.loaded.back().ticks.size() < 100);
        if (calls == 1'000'000) CHECK(run.outcome().text == "301");
    }
}
TEST_CASE("a run ends when it reaches its limit of records, and says so in its last one") {
    testing::ManualClock clock;
    MemoryStore memory;
    Reading store(memory);
    {
        SnapshotWorld world(clock, memory, 0);
        world.loop.start(stored_tour, {}, {.id = "t"});
        world.run();
    }
    std::uint64_t sum = 0;
    memory.load(
        "t", [&](std::exception_ptr, History history) { sum = history.ticks.back().sum; }, 0);
    append_by_hand(memory, [&](Batch& batch) {
        const std::string body = R"({"tick":"refused","at":0,"mail":"m"})";
        for (auto seq = batch.seq; seq < 99'998; ++seq) {
            sum = chained_sum(sum, seq, body);
            batch.ticks.push_back({seq, body, sum});
        }
    });
    SnapshotWorld world(clock, memory, 0);
    auto run = resume_on(world.loop, stored_tour, "t");
    finish(world, run, store);
    CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("run t has made 100000 ticks"), RunError);
    memory.list({}, [&](std::exception_ptr, std::vector<RunRow> rows) {
        CHECK(rows.at(0).next_seq == 100'000);
        CHECK(rows.at(0).status == RunStatus::failed);
    });
}
