// Child runs, and answers to their questions.
#include "engine/core/loop/run_extras.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct InnerGoEvent : StartEvent {
    int n = 0;
};
struct InnerEndEvent : StopEvent {
    int n = 0;
};
struct AskEvent : InputRequiredEvent {
    int n = 0;
};
struct ReplyEvent : Answers<AskEvent> {
    int value = 0;
};
struct NoteEvent {
    std::string text;
};
AskEvent inner_ask(Context& ctx, InnerGoEvent e) {
    ctx.stream(NoteEvent{"inner " + std::to_string(e.n)});
    return {{}, e.n};
}
InnerEndEvent inner_end(Context&, ReplyEvent e) { return {{}, e.value}; }
inline constexpr auto inner = workflow("inner", step<inner_ask>, step<inner_end>);

struct GoEvent : StartEvent {
    int width = 1;
};
struct PartEvent {
    int i = 0;
};
struct DoneEvent {
    int n = 0;
};
struct EndEvent : StopEvent {
    std::vector<int> values;
};
std::vector<PartEvent> split(Context&, GoEvent e) {
    std::vector<PartEvent> all;
    for (int i = 0; i < e.width; ++i) all.push_back({i});
    return all;
}
awaitable<DoneEvent> call_inner(Context& ctx, PartEvent e) {
    InnerGoEvent start{.n = e.i};
    auto end = co_await ctx.run(inner, std::move(start));
    co_return DoneEvent{end.n};
}
EndEvent join(Context&, std::vector<DoneEvent> all) {
    EndEvent end;
    for (auto& d : all) end.values.push_back(d.n);
    return end;
}
inline constexpr auto outer = workflow("outer", step<split>, step<call_inner>.workers(3), step<join>);

struct Seen {
    std::vector<std::string> names;
    std::vector<std::pair<int, QuestionId>> questions;
};
template <class R> awaitable<void> watch(R run, Seen& seen) {
    while (auto event = co_await run.next_event()) {
        seen.names.emplace_back(event->name());
        if (auto* ask = event->template get_if<AskEvent>()) seen.questions.emplace_back(ask->n, event->question());
    }
}
}

TEST_CASE("children stream through their parent, and their questions are answered through it") {
    World w;
    Seen seen;
    auto run = w.loop.start(outer, {.width = 3});
    w.spawn(watch(run, seen));
    w.io.run();
    REQUIRE(seen.questions.size() == 3);
    CHECK(!run.ended());
    for (auto i : {2, 0, 1}) {
        auto [n, id] = seen.questions[std::size_t(i)];
        run.send_to_child(ReplyEvent{.value = n * 10}, id);
    }
    w.turn();
    CHECK(run.outcome().values == std::vector{0, 10, 20});
    CHECK(std::count(seen.names.begin(), seen.names.end(), "NoteEvent") == 3);
    CHECK(seen.names.back() == "EndEvent");
}
TEST_CASE("an answer without a matching question is reported, and the run continues") {
    World w;
    Seen seen;
    auto run = w.loop.start(inner, {.n = 1});
    run.send(ReplyEvent{.value = 5});  // too early: no question is open
    w.spawn(watch(run, seen));
    w.io.run();
    CHECK(seen.names == std::vector<std::string>{"UnhandledEvent", "NoteEvent", "AskEvent"});
    run.send(ReplyEvent{.value = 6}, QuestionId(12345));
    run.send_to_child(NoteEvent{"what?"}, QuestionId(std::uint64_t{1} << 63));
    w.turn();
    CHECK(std::count(seen.names.begin(), seen.names.end(), "UnhandledEvent") == 3);
    run.send(ReplyEvent{.value = 7});
    w.turn();
    CHECK(run.outcome().n == 7);
}
TEST_CASE("an event that answers no question reaches neither a child nor the run, and is reported") {
    World w;
    Seen seen;
    auto run = w.loop.start(outer, {.width = 1});
    w.spawn(watch(run, seen));
    w.io.run();
    REQUIRE(seen.questions.size() == 1);
    run.send_to_child(InnerEndEvent{.n = 666}, seen.questions[0].second);
    run.send_to_child(InnerGoEvent{.n = 666}, seen.questions[0].second);
    run.send_to_child(EndEvent{.values = {666}}, QuestionId::none);
    w.turn();
    CHECK(!run.ended());
    CHECK(std::count(seen.names.begin(), seen.names.end(), "UnhandledEvent") == 3);
    run.send_to_child(ReplyEvent{.value = 1}, seen.questions[0].second);
    w.turn();
    CHECK(run.outcome().values == std::vector{1});
}
TEST_CASE("a child's question is answered once: another answer is reported, even in the same turn") {
    World w;
    Seen seen;
    auto run = w.loop.start(outer, {.width = 2});
    w.spawn(watch(run, seen));
    w.io.run();
    REQUIRE(seen.questions.size() == 2);
    const auto question = seen.questions[0].second;
    run.send_to_child(ReplyEvent{.value = 1}, question);
    run.send_to_child(ReplyEvent{.value = 2}, question);
    w.turn();
    run.send_to_child(ReplyEvent{.value = 3}, question);
    w.turn();
    CHECK(std::count(seen.names.begin(), seen.names.end(), "UnhandledEvent") == 2);
    run.send_to_child(ReplyEvent{.value = 4}, seen.questions[1].second);
    w.turn();
    std::vector values{1, 4};
    if (seen.questions[0].first == 1) std::swap(values[0], values[1]);
    CHECK(run.outcome().values == values);
}
TEST_CASE("a parent keeps only those questions of its children that are open") {
    World w;
    Seen seen;
    auto run = w.loop.start(outer, {.width = 3});
    w.spawn(watch(run, seen));
    w.io.run();
    const auto open = [&] {
        const auto& all = core::PrivateAccess::run_of(run).extras->foreign;
        int n = 0;
        for (core::Handle h = 0; h < all.size(); ++h) n += all[h].run != nullptr;
        return n;
    };
    CHECK(open() == 3);
    run.send_to_child(ReplyEvent{}, seen.questions[1].second);
    CHECK(open() == 2);
    run.cancel();
    w.turn();
    CHECK(open() == 0);
}
TEST_CASE("a parent ends its children when it is cancelled or times out, and waits for their end") {
    for (bool by_timeout : {false, true}) {
        testing::ManualClock clock;
        World w(clock);
        auto run = w.loop.start(outer, {.width = 2}, {.timeout = 1min});
        w.io.run();
        if (by_timeout) clock.advance(1min);
        else run.cancel();
        w.turn();
        CHECK(run.ended());
        CHECK_THROWS_AS(run.outcome(), RunError);
        CHECK(!clock.jump());
    }
}
namespace {
struct Alive {  // the number of frames of children
    int now = 0, most = 0;
};
struct Guest {
    Alive& alive;
    explicit Guest(Alive& a) : alive(a) { alive.most = std::max(alive.most, ++alive.now); }
    Guest(const Guest&) = delete;
    ~Guest() { --alive.now; }
};
struct SlowGoEvent : StartEvent {};
struct SlowEndEvent : StopEvent {};
awaitable<SlowEndEvent> linger(Context&, SlowGoEvent, Alive& alive) {
    const Guest guest(alive);
    try {
        co_await sleep_for(1h);
    } catch (const std::exception&) {}
    co_return SlowEndEvent{};
}
inline constexpr auto lingering = workflow("lingering", step<linger>);
awaitable<DoneEvent> call_lingering(Context& ctx, PartEvent, Alive& alive) {
    SlowGoEvent start;
    auto child = lingering.with(alive);
    (void)co_await ctx.run(std::move(child), std::move(start));
    co_return DoneEvent{};
}
inline constexpr auto household = workflow("household", step<split>, step<call_lingering>.workers(3), step<join>);
}
TEST_CASE("a parent leaves nothing of its children behind when it has ended") {
    for (bool by_timeout : {false, true}) {
        Alive alive;
        testing::ManualClock clock;
        World w(clock);
        auto run = w.loop.start(household.with(alive), {.width = 3}, {.timeout = 1min});
        std::optional<int> left;
        const auto wait = [](auto run, Alive& alive, std::optional<int>& left) -> awaitable<void> {
            try {
                (void)co_await run.result();
            } catch (const RunError&) { left = alive.now; }
        };
        w.spawn(wait(run, alive, left));
        w.turn();
        CHECK(alive.now == 3);
        if (by_timeout) clock.advance(1min);
        else run.cancel();
        w.turn();
        REQUIRE(left);
        CHECK(*left == 0);
        CHECK(alive.most == 3);
    }
}
namespace {
awaitable<DoneEvent> call_in_time(Context& ctx, PartEvent, Alive& alive) {
    SlowGoEvent start;
    auto child = lingering.with(alive);
    auto work = ctx.run(std::move(child), std::move(start));
    try {
        (void)co_await with_timeout(2s, std::move(work));
    } catch (const Error& e) { co_return DoneEvent{e.code() == Code::timed_out ? alive.now : -1}; }
    co_return DoneEvent{-2};
}
inline constexpr auto punctual = workflow("punctual", step<split>, step<call_in_time>, step<join>);
}
TEST_CASE("a timeout around a child ends the child, and is reported as a timeout") {
    Alive alive;
    CHECK(testing::run(punctual.with(alive), {.width = 2}).values == std::vector{0, 0});
    CHECK(alive.most == 2);
    CHECK(alive.now == 0);
}
TEST_CASE("a step with a child can be tested alone") {
    Context ctx;
    auto step = [](Context& c) -> awaitable<int> {
        InnerGoEvent start{.n = 4};
        auto end = co_await c.run(inner.with(), std::move(start));
        co_return end.n;
    };
    CHECK_THROWS_AS(testing::await(step(ctx)), Error);  // the child asks, and gets no answer
}
TEST_CASE("an idle run names the events that its steps wait for, and a timed out one its busy steps") {
    testing::ManualClock clock;
    World w(clock);
    auto run = w.loop.start(inner, {});
    w.io.run();
    CHECK(run.diagnosis() == "the run is idle: it waits for an answer to AskEvent (ReplyEvent, for step inner_end)");

    auto busy = w.loop.start(outer, {.width = 1}, {.timeout = 2s});
    std::optional<AnyEvent> last;
    auto read = [](auto r, std::optional<AnyEvent>& out) -> awaitable<void> {
        while (auto e = co_await r.next_event()) out = std::move(e);
    };
    w.spawn(read(busy, last));
    w.turn();
    clock.advance(2s);
    w.turn();
    auto* timed_out = last->get_if<RunTimedOutEvent>();
    REQUIRE(timed_out);
    CHECK(timed_out->active_steps == std::vector<std::string>{"call_inner"});
    CHECK(timed_out->timeout == 2.0);
}

namespace {
struct LeftEvent : StopEvent {
    std::optional<std::chrono::steady_clock::time_point> deadline;
};
struct LookEvent : StartEvent {
    bool deeper = false;
};
LeftEvent look(Context& ctx, InnerGoEvent) { return {{}, ctx.deadline()}; }
inline constexpr auto looker = workflow("looker", step<look>);
awaitable<LeftEvent> look_from_child(Context& ctx, LookEvent e) {
    LeftEvent left;
    left.deadline = ctx.deadline();
    if (!e.deeper) co_return left;
    auto found = co_await ctx.run(looker, InnerGoEvent());
    co_return found;
}
inline constexpr auto looking = workflow("looking", step<look_from_child>);
}
TEST_CASE("a step reads its run's deadline, and a child's step also the parent's") {
    testing::ManualClock clock;
    World world(clock);
    for (const bool deeper : {false, true}) {
        auto with = world.loop.start(looking, {.deeper = deeper}, {.timeout = 5s});
        auto without = world.loop.start(looking, {.deeper = deeper});
        const auto begun = clock.now();
        world.turn();
        CHECK(with.outcome().deadline == begun + 5s);
        CHECK_FALSE(without.outcome().deadline.has_value());
    }
    CHECK_FALSE(Context().deadline().has_value());
}
