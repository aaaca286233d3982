// The slots of stored runs: a type in memory only is left out, and one that cannot be stored fails the step.
#include "engine/durable.hpp"
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
inline constexpr auto filling = workflow("filling", step<fill>, step<read>);
inline constexpr auto plain = workflow("plain", step<edit_plain>);

ReadEvent end_of(MemoryStore& store, bool resumed) {
    testing::ManualClock clock;
    Timed world(clock, store);
    auto run = resumed ? resume_on(world.loop, durable(filling), "r")
                       : world.loop.start(durable(filling), {}, {.id = "r"});
    world.until([&] { return run.ended(); });
    return run.outcome();
}
}

TEST_CASE("a slot in memory only is not stored, and stays until the process of its run ends") {
    MemoryStore store;
    const auto end = end_of(store, false);
    CHECK(end.stored == 7);
    CHECK(end.kept == 8);
    CHECK(ticks_of(store, "r").at(1).at("slots").dump() == R"({"stored_number":{"n":7}})");
}
TEST_CASE("a slot in memory only reads as its default when its run resumes") {
    MemoryStore store;
    {
        testing::ManualClock clock;
        Timed world(clock, store);
        auto run = world.loop.start(durable(filling), {}, {.id = "r"});
        world.run();
        CHECK_FALSE(run.ended());
    }
    const auto end = end_of(store, true);
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
