// Context::sleep in stored runs: one end for all attempts, after a crash anywhere; virtual time, forks and replays.
#include "engine/all.hpp"
#include "engine/fork.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/testing/replays.hpp"
#include "tests/engine/durable/reminder.hpp"
#include "tests/support/dying_store.hpp"
using namespace reminders;
using namespace dying;

TEST_CASE("a sleep of a stored run keeps its end when the process dies at any call of the store") {
    bool died = true;
    for (long calls = 1; died; ++calls) {
        CAPTURE(calls);
        Morning m;
        {
            Dying dying(m.store, calls);
            Shop first(dying, m.clock);
            auto run = first.loop.start(durable(m.workflow), {}, {.key = "r"});
            first.io.poll();
            died = dying.left <= 0;
        }
        free_all(m.store);
        const auto slept = end_of_sleep(m.store, "reminder:r") ? 0h : 10h;
        m.clock.advance(10h);
        Shop second(m.store, m.clock);
        auto run = second.loop.start(durable(m.workflow), {}, {.key = "r"});
        testing::drive(second.io, m.clock);
        REQUIRE(run.ended());
        CHECK(run.outcome().at == microseconds(m.begin + 72h + slept));
    }
}
TEST_CASE("a sleep has the same end in a later attempt, and ends at once if that is past") {
    Morning m;
    Shop office(m.store, m.clock);
    auto run = office.loop.start(durable(m.workflow), {.fails = 1}, {.id = "r"});
    testing::drive(office.io, m.clock);
    REQUIRE(run.ended());
    CHECK(run.outcome().at == microseconds(m.begin + 73h));  // an hour is the wait between the attempts
}
TEST_CASE("a sleeping run ends at once when it is cancelled") {
    Morning m;
    Shop office(m.store, m.clock);
    auto run = office.loop.start(durable(m.workflow), {}, {.id = "r"});
    office.io.poll();
    run.cancel();
    office.poll();
    CHECK(run.ended());
    CHECK(m.clock.wall() == m.begin);
}
TEST_CASE("a sleep follows the wall clock when that jumps") {
    Morning m;
    Shop office(m.store, m.clock);
    auto run = office.loop.start(durable(m.workflow), {}, {.id = "r"});
    office.io.poll();
    m.clock.jump_wall(48h);
    testing::drive(office.io, m.clock);
    REQUIRE(run.ended());
    CHECK(run.outcome().at >= microseconds(m.begin + 72h));
    CHECK(run.outcome().at <= microseconds(m.begin + 74h));
}

TEST_CASE("a fork from a tick after a sleep's begin has the same end, and one from a tick before it has its own") {
    Morning m;
    Shop office(m.store, m.clock);
    auto run = office.loop.start(durable(m.workflow), {}, {.id = "r"});
    testing::drive(office.io, m.clock);
    REQUIRE(run.ended());
    const auto forked = [&](std::uint64_t at) {
        const auto begin = microseconds(m.clock.wall());
        auto fork = resume_on(office.loop, durable(m.workflow), weft::fork(m.store, "r", at));
        office.io.restart();
        testing::drive(office.io, m.clock);
        REQUIRE(fork.ended());
        return microseconds(m.clock.wall()) - begin;
    };
    CHECK(forked(2) == 0);  // ticks: the start event, the note, the sleep's end
    CHECK(forked(1) == std::chrono::microseconds(72h).count());
}
TEST_CASE("a replay does not sleep") {
    Morning m;
    Shop office(m.store, m.clock);
    auto run = office.loop.start(durable(m.workflow), {}, {.id = "r"});
    testing::drive(office.io, m.clock);
    const auto replayed = testing::replays(durable(m.workflow), m.store, "r");
    CHECK(replayed.replayed.steps == 1);
}

namespace {
struct YearEvent : StartEvent {
    std::string how;
};
BOOST_DESCRIBE_STRUCT(YearEvent, (), (how))
struct OverEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(OverEvent, (), ())
awaitable<int> sleep_in_work(Context& ctx) {
    co_await ctx.sleep(1h);
    co_return 1;
}
awaitable<OverEvent> pass(Context& ctx, YearEvent event) {
    if (event.how == "in once") {
        auto work = sleep_in_work(ctx);
        co_await ctx.once("work", std::move(work));
    } else if (event.how == "in all") {
        auto one = sleep_in_work(ctx);
        auto two = sleep_in_work(ctx);
        co_await all(std::move(one), std::move(two));
    } else if (event.how == "for ever") co_await ctx.sleep(std::chrono::nanoseconds::max());
    else if (event.how == "until the past") co_await ctx.sleep_until(WallTime::min());
    else if (event.how == "less than nothing") co_await ctx.sleep(-1h);
    else
        for (int day = 0; day < 365; ++day) co_await ctx.sleep(24h);
    co_return OverEvent{};
}
awaitable<OverEvent> give_up(Context& ctx, YearEvent) {
    auto sleep = ctx.sleep(72h);
    try {
        co_await with_timeout(1h, std::move(sleep));
    } catch (const Error&) {}
    co_await ctx.sleep(2h);
    co_return OverEvent{};
}
inline constexpr auto impatient = workflow("impatient", step<give_up>);
inline constexpr auto year = workflow("year", step<pass>);
inline constexpr auto hurried = workflow("hurried", step<pass>.timeout(10min));
}
TEST_CASE("a year of sleeps passes in virtual time, stored or not") {
    for (const bool is_stored : {false, true}) {
        CAPTURE(is_stored);
        MemoryStore store;
        testing::ManualClock clock;
        const auto begin = clock.wall();
        if (is_stored) testing::run(durable(year), {}, {.clock = &clock, .store = &store});
        else testing::run(year, {}, {.clock = &clock});
        CHECK(clock.wall() - begin == 365 * 24h);
    }
}
TEST_CASE("a sleep is refused in recorded work and among several parts, stored or not") {
    for (const std::string how : {"in once", "in all"}) {
        MemoryStore store;
        const auto sentence = doctest::Contains(how == "in once" ? "ctx.sleep was called in work of ctx.once"
                                                                 : "ctx.sleep");
        CHECK_THROWS_WITH_AS(testing::run(year, {.how = how}), sentence, Error);
        CHECK_THROWS_WITH_AS(testing::run(durable(year), {.how = how}, {.store = &store}), sentence, Error);
    }
}
TEST_CASE("a sleep of no time, or until a time in the past, ends at once; one of 292 years does not overflow") {
    testing::ManualClock clock;
    const auto begin = clock.wall();
    testing::run(year, {.how = "until the past"}, {.clock = &clock});
    testing::run(year, {.how = "less than nothing"}, {.clock = &clock});
    CHECK(clock.wall() == begin);
    CHECK_THROWS_AS(testing::run(year, {.how = "for ever"}, {.clock = &clock, .run = {.timeout = 1h}}), RunError);
    CHECK(clock.wall() - begin == 1h);
}
TEST_CASE("a time limit around a sleep ends it, and the next sleep has an end of its own") {
    Morning m;
    Shop office(m.store, m.clock);
    auto run = office.loop.start(durable(impatient), {}, {.id = "r"});
    testing::drive(office.io, m.clock);
    REQUIRE(run.ended());
    CHECK(m.clock.wall() - m.begin == 1h + 2h);
}
TEST_CASE("a sleep counts in its step's timeout") {
    testing::ManualClock clock;
    const auto begin = clock.wall();
    CHECK_THROWS_WITH_AS(testing::run(hurried, {}, {.clock = &clock}), doctest::Contains("longer than its timeout"),
                         RunError);
    CHECK(clock.wall() - begin == 10min);
}
