// Several parallel awaitables in one step.
#include "engine/all.hpp"
#include "engine/durable.hpp"
#include "engine/once.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/timed.hpp"
#include <boost/system/system_error.hpp>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(GoEvent, (), (n))
struct EndEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (text))
EndEvent end_of(std::string text) {
    EndEvent end;
    end.text = std::move(text);
    return end;
}
struct Seen {
    std::vector<std::string> all;
    void add(std::string one) { all.push_back(std::move(one)); }
};
awaitable<int> number_after(Duration wait, int n) {
    co_await sleep_for(wait);
    co_return n;
}
awaitable<std::string> text_at_once(std::string text) { co_return text; }
awaitable<void> say_after(Duration wait, Seen& seen, std::string text) {
    try {
        co_await sleep_for(wait);
    } catch (const boost::system::system_error&) {
        seen.add(text + " cancelled");
        throw;
    }
    seen.add(text);
}
awaitable<void> fail_after(Duration wait, std::string why) {
    if (wait.count() > 0) co_await sleep_for(wait);
    throw std::runtime_error(why);
}
awaitable<void> never_give_up(Seen& seen) {
    const struct Left {
        Seen& seen;
        ~Left() { seen.add("left"); }
    } left{seen};
    for (;;) try {
            co_await sleep_for(1h);
        } catch (const boost::system::system_error&) { seen.add("again"); }
}
struct World {
    testing::ManualClock clock;
    MemoryStore store;
    dying::Timed timed{clock, store};
    std::chrono::steady_clock::time_point begin = clock.now();
    auto gone() const { return clock.now() - begin; }
    template <class W> std::string result(const Bound<W>& workflow, const RunOptions& o = {}) {
        auto run = timed.loop.start(workflow, {}, o);
        timed.until([&] { return run.ended(); });
        try {
            return run.outcome().text;
        } catch (const RunError& error) { return std::string("error: ") + error.what(); }
    }
};

awaitable<EndEvent> in_order(Context&, GoEvent) {
    auto slow = number_after(3s, 1);
    auto now = text_at_once("two");
    auto quick = number_after(1s, 3);
    auto [one, two, three] = co_await all(std::move(slow), std::move(now), std::move(quick));
    co_return end_of(std::to_string(one) + two + std::to_string(three));
}
awaitable<EndEvent> of_void(Context&, GoEvent, Seen& seen) {
    auto second = say_after(2s, seen, "second");
    auto first = say_after(1s, seen, "first");
    const auto done = co_await all(std::move(second), std::move(first));
    static_assert(std::is_same_v<decltype(done), const std::tuple<std::monostate, std::monostate>>);
    co_return end_of("done");
}
awaitable<EndEvent> one_fails(Context&, GoEvent go, Seen& seen) {
    auto before = say_after(1h, seen, "before");
    auto failing = fail_after(go.n * 1s, "out of tea");
    auto behind = say_after(1h, seen, "behind");
    try {
        (void)co_await all(std::move(before), std::move(failing), std::move(behind));
    } catch (const std::runtime_error& error) {
        seen.add(error.what());
        throw;
    }
    co_return end_of("never");
}
awaitable<EndEvent> stubborn(Context&, GoEvent, Seen& seen) {
    auto loop = never_give_up(seen);
    auto failing = fail_after(1s, "enough");
    (void)co_await all(std::move(loop), std::move(failing));
    co_return end_of("never");
}
awaitable<EndEvent> within_time(Context&, GoEvent, Seen& seen) {
    auto both = [](Seen& s) -> awaitable<void> {
        auto one = say_after(1h, s, "one");
        auto other = say_after(2h, s, "other");
        (void)co_await all(std::move(one), std::move(other));
    };
    auto work = both(seen);
    try {
        co_await with_timeout(5s, std::move(work));
    } catch (const Error& error) { co_return end_of(std::string(name(error.code()))); }
    co_return end_of("never");
}
awaitable<EndEvent> nothing(Context&, GoEvent) {
    [[maybe_unused]] const std::tuple<> none = co_await all();
    co_return end_of("nothing");
}
inline constexpr auto ordered = workflow("ordered", step<in_order>);
inline constexpr auto voids = workflow("voids", step<of_void>);
inline constexpr auto failing = workflow("failing", step<one_fails>);
inline constexpr auto stubborn_one = workflow("stubborn", step<stubborn>);
inline constexpr auto timed_out = workflow("timed_out", step<within_time>);
inline constexpr auto of_none = workflow("of_none", step<nothing>);
}
TEST_CASE("all() gives the results in the order of the awaitables when they end in another one") {
    World world;
    CHECK(world.result(ordered.with()) == "1two3");
    CHECK(world.gone() == 3s);
    CHECK(world.result(of_none.with()) == "nothing");
}
TEST_CASE("all() gives a tuple of one tuple when its only awaitable gives a tuple") {
    const auto pair = []() -> awaitable<std::pair<int, std::string>> { co_return std::pair(1, "one"); };
    const auto tuple = []() -> awaitable<std::tuple<int>> { co_return std::tuple(2); };
    const auto both = [](auto a, auto b) -> awaitable<int> {
        auto first = a();
        auto second = b();
        std::tuple<std::pair<int, std::string>> one = co_await all(std::move(first));
        std::tuple<std::tuple<int>> two = co_await all(std::move(second));
        co_return std::get<0>(one).first + std::get<0>(std::get<0>(two));
    };

    CHECK(testing::await(both(pair, tuple)) == 3);
}
TEST_CASE("all() ends with the last part when none has a result") {
    World world;
    Seen seen;
    CHECK(world.result(voids.with(seen)) == "done");
    CHECK(seen.all == std::vector<std::string>{"first", "second"});
    CHECK(world.gone() == 2s);
}
TEST_CASE("all() cancels the other parts when one fails later, and throws when they have ended") {
    World world;
    Seen seen;
    auto run = world.timed.loop.start(failing.with(seen), {.n = 1});
    world.timed.until([&] { return run.ended(); });
    CHECK_THROWS_WITH_AS(run.outcome(), doctest::Contains("out of tea"), RunError);
    CHECK(seen.all == std::vector<std::string>{"before cancelled", "behind cancelled", "out of tea"});
    CHECK(world.gone() == 1s);
}
TEST_CASE("all() does not begin the parts after one that fails immediately") {
    World world;
    Seen seen;
    CHECK(world.result(failing.with(seen)).find("out of tea") != std::string::npos);
    CHECK(seen.all == std::vector<std::string>{"before cancelled", "out of tea"});
}
TEST_CASE("a part of all() is destroyed at its next wait when it continues after its cancellation") {
    World world;
    Seen seen;
    CHECK(world.result(stubborn_one.with(seen)).find("enough") != std::string::npos);
    CHECK(seen.all == std::vector<std::string>{"again", "left"});
    CHECK(world.gone() == 1s);
}
TEST_CASE("all() cancels each part when its run is cancelled, times out, or leaves its time limit") {
    World world;
    Seen seen;
    CHECK(world.result(timed_out.with(seen)) == "timed_out");
    CHECK(seen.all == std::vector<std::string>{"one cancelled", "other cancelled"});
    seen.all.clear();
    auto run = world.timed.loop.start(voids.with(seen), {});
    world.timed.run();
    run.cancel();
    world.timed.run();
    CHECK(run.ended());
    CHECK(seen.all == std::vector<std::string>{"second cancelled", "first cancelled"});
    seen.all.clear();
    CHECK(world.result(voids.with(seen), {.timeout = 1500ms}).starts_with("error: "));
    CHECK(seen.all == std::vector<std::string>{"first", "second cancelled"});
}
TEST_CASE("all() leaves nothing behind when its loop is destroyed while it waits") {
    Seen seen;
    {
        World world;
        auto run = world.timed.loop.start(stubborn_one.with(seen), {});
        world.timed.run();
    }
    CHECK(seen.all.back() == "left");
}

namespace {
EndEvent answer(Context&, GoEvent go) { return end_of(std::to_string(go.n)); }
inline constexpr auto child = workflow("child", step<answer>);
awaitable<EndEvent> record_each(Context& ctx, GoEvent) {
    auto one = number_after(1s, 1);
    auto recording = ctx.once("one", std::move(one));
    auto two = number_after(1s, 2);
    (void)co_await all(std::move(recording), std::move(two));
    co_return end_of("never");
}
awaitable<int> sum_of_both() {
    auto one = number_after(2s, 1);
    auto two = number_after(1s, 2);
    auto [a, b] = co_await all(std::move(one), std::move(two));
    co_return a + b;
}
awaitable<EndEvent> record_whole(Context& ctx, GoEvent) {
    auto both = sum_of_both();
    const int sum = co_await ctx.once("both", std::move(both));
    co_return end_of(std::to_string(sum));
}
awaitable<EndEvent> run_two(Context& ctx, GoEvent) {
    GoEvent first{.n = 4}, second{.n = 5};
    auto one = ctx.run(child, first);
    auto two = ctx.run(child, second);
    auto [a, b] = co_await all(std::move(one), std::move(two));
    co_return end_of(a.text + b.text);
}
awaitable<EndEvent> run_two_stored(Context& ctx, GoEvent) {
    GoEvent first{.n = 4}, second{.n = 5};
    auto one = ctx.run(durable<>(child), first);
    auto two = ctx.run(durable<>(child), second);
    (void)co_await all(std::move(one), std::move(two));
    co_return end_of("never");
}
inline constexpr auto each_recorded = workflow("each_recorded", step<record_each>);
inline constexpr auto whole_recorded = workflow("whole_recorded", step<record_whole>);
inline constexpr auto two_children = workflow("two_children", step<run_two>);
inline constexpr auto two_stored = workflow("two_stored", step<run_two_stored>);
}
TEST_CASE("all() refuses parts that a durable run would know by their order, and records the whole") {
    World world;
    CHECK(world.result(each_recorded.with()).find("ctx.once was called in a part of all()") != std::string::npos);
    CHECK(world.result(durable<>(each_recorded)).find("ctx.once was called in a part of all()") != std::string::npos);
    CHECK(world.result(durable<>(whole_recorded)) == "3");
    CHECK(world.result(two_children.with()) == "45");
    CHECK(world.result(durable<>(two_stored)).find("ctx.run of a durable workflow") != std::string::npos);
}
