// The slots of stored runs: a type in memory only is left out, and one that cannot be stored fails the step.
#include "engine/durable.hpp"
#include "engine/fork.hpp"
#include "engine/growing.hpp"
#include "engine/replay.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/timed.hpp"
using namespace weft;
using namespace dying;
using namespace std::chrono_literals;

namespace {
struct FillEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(FillEvent, (), ())
struct FilledEvent {};
BOOST_DESCRIBE_STRUCT(FilledEvent, (), ())
struct ReadEvent : StopEvent {
    int stored = 0, kept = 0;
};
BOOST_DESCRIBE_STRUCT(ReadEvent, (), (stored, kept))

struct StoredNumber {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(StoredNumber, (), (n))
struct KeptNumber {
    int n = 0;
    static constexpr bool memory_only = true;
};
struct PlainNumber {
    int n = 0;
};

FilledEvent fill(Context& ctx, FillEvent) {
    ctx.edit<StoredNumber>([](auto& number) { number.n = 7; });
    ctx.edit<KeptNumber>([](auto& number) { number.n = 8; });
    return {};
}
awaitable<ReadEvent> read(Context& ctx, FilledEvent) {
    co_await sleep_for(1h);
    ReadEvent end;
    end.stored = ctx.get<StoredNumber>().n;
    end.kept = ctx.get<KeptNumber>().n;
    co_return end;
}
ReadEvent edit_plain(Context& ctx, FillEvent) {
    const auto change = [](PlainNumber& number) { number.n = 9; };
    ctx.edit<PlainNumber, decltype((change)), false>(change);  // as in a file without engine/durable.hpp
    return {};
}
namespace coffee {
struct Cups {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(Cups, (), (n))
}
namespace tea {
struct Cups : Growing<int> {};
}
FilledEvent fill_cups(Context& ctx, FillEvent) {
    ctx.edit<coffee::Cups>([](auto& cups) { cups.n = 7; });
    ctx.edit<tea::Cups>([](auto& cups) { cups.push_back(8); });
    return {};
}
awaitable<ReadEvent> read_cups(Context& ctx, FilledEvent) {
    co_await sleep_for(1h);
    ReadEvent end;
    end.stored = ctx.get<coffee::Cups>().n;
    for (const int n : ctx.get<tea::Cups>()) end.kept += n;
    co_return end;
}
inline constexpr auto serving = workflow("serving", step<fill_cups>, step<read_cups>);
inline constexpr auto filling = workflow("filling", step<fill>, step<read>);
inline constexpr auto plain = workflow("plain", step<edit_plain>);

ReadEvent end_of(MemoryStore& store, const auto& stored, bool resumed) {
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = resumed ? resume_on(world.loop, stored, "r") : world.loop.start(stored, {}, {.id = "r"});
    world.until([&] { return run.ended(); });
    return run.outcome();
}
void leave_waiting(MemoryStore& store, const auto& stored) {
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = world.loop.start(stored, {}, {.id = "r"});
    world.run();
    CHECK_FALSE(run.ended());
}
}

TEST_CASE("a slot in memory only is not stored, and stays until the process of its run ends") {
    MemoryStore store;
    const auto end = end_of(store, durable(filling), false);
    CHECK(end.stored == 7);
    CHECK(end.kept == 8);
    CHECK(ticks_of(store, "r").at(1).at("slots").dump() == R"({"stored_number":{"n":7}})");
}
TEST_CASE("a slot in memory only reads as its default when its run resumes") {
    MemoryStore store;
    leave_waiting(store, durable(filling));
    const auto end = end_of(store, durable(filling), true);
    CHECK(end.stored == 7);
    CHECK(end.kept == 0);
}
TEST_CASE("an edit fails its step when no description stores the slot of a durable run") {
    MemoryStore store;
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = world.loop.start(durable(plain), {}, {.id = "r"});
    world.until([&] { return run.ended(); });
    CHECK_THROWS_WITH(run.outcome(), doctest::Contains("PlainNumber has no JSON form: describe it with"));
}
TEST_CASE("two slot types with one name are both restored when a run resumes") {
    MemoryStore store;
    leave_waiting(store, durable(serving));
    const auto tick = ticks_of(store, "r").at(1);
    REQUIRE(tick.at("slots").size() == 1);
    CHECK(tick.at("slots").begin().key().ends_with("{anonymous}::coffee::cups"));
    REQUIRE(tick.at("appended").size() == 1);
    CHECK(tick.at("appended").begin().key().ends_with("{anonymous}::tea::cups"));
    const auto end = end_of(store, durable(serving), true);
    CHECK(end.stored == 7);
    CHECK(end.kept == 8);
    CHECK_FALSE(replay(durable(serving), history_of(store, "r")).difference);
}
TEST_CASE("a slot type keeps its bare stored name when durable<...> lists it and another type has the name") {
    MemoryStore store;
    leave_waiting(store, durable<coffee::Cups>(serving));
    CHECK(ticks_of(store, "r").at(1).at("slots").dump() == R"({"cups":{"n":7}})");
    const auto end = end_of(store, durable<coffee::Cups>(serving), true);
    CHECK(end.stored == 7);
    CHECK(end.kept == 8);
}
TEST_CASE("a slot is restored and replayed when its stored name has a namespace that it does not need any more") {
    MemoryStore store;
    leave_waiting(store, durable(serving));
    const auto listed = durable<coffee::Cups>(serving);
    CHECK_FALSE(replay(listed, history_of(store, "r")).difference);
    CHECK(end_of(store, listed, true).stored == 7);
}
TEST_CASE("a slot is refused when no type has the namespace of its stored name") {
    MemoryStore store;
    leave_waiting(store, durable(filling));
    const auto id = fork(store, "r", 1, {.id = "f", .slots = {{"old::stored_number", R"({"n":9})"}}});
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = resume_on(world.loop, durable(filling), id);
    world.until([&] { return run.ended(); });
    CHECK_THROWS_WITH(run.outcome(), doctest::Contains("has a slot old::stored_number, which no step stores"));
}
TEST_CASE("a fork takes a slot only by the name under which the run stores it") {
    const auto check = [](const std::string& name) {
        check_slots(*durable(filling).definition, {{name, R"({"n":1})"}});
    };
    CHECK_NOTHROW(check("stored_number"));
    for (const auto* name : {"::stored_number", "old::stored_number"})
        CHECK_THROWS_WITH_AS(check(name), doctest::Contains(("has no slot " + std::string(name)).c_str()), Error);
}
TEST_CASE("a slot is refused when its stored name lacks a namespace that it needs") {
    MemoryStore store;
    const auto check = [](const std::string& name) {
        check_slots(*durable(serving).definition, {{name, R"({"n":1})"}});
    };
    CHECK_THROWS_WITH_AS(check("cups"), doctest::Contains("two types of slots are stored under the name cups: rename"),
                         Error);
    CHECK_THROWS_WITH_AS(check("milk::cups"), doctest::Contains("has no slot milk::cups"), Error);
    leave_waiting(store, durable(serving));
    CHECK_NOTHROW(check(ticks_of(store, "r").at(1).at("slots").begin().key()));
}
