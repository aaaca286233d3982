// Growing lists, and slots in parallel steps.
#include "engine/durable.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/timeout.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/world.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <random>
using namespace weft;
using namespace std::chrono_literals;

namespace {
template <class T> std::vector<T> items(const Growing<T>& g) { return {g.begin(), g.end()}; }
}

TEST_CASE("a moved-from list is empty and can be used again") {
    Growing<std::string> a;
    a.push_back("one");
    auto b = std::move(a);
    CHECK(a.empty());  // NOLINT(bugprone-use-after-move)
    CHECK(items(a).empty());
    a.push_back("two");
    CHECK(a.back() == "two");
    CHECK(items(b) == std::vector<std::string>{"one"});
}
TEST_CASE("items stay in place, so that a copy may be iterated while the list grows") {
    Growing<std::string> list;
    for (int i = 0; i < 5; ++i) list.push_back("item " + std::to_string(i));
    const auto before = list;
    const auto* first = &list[0];
    std::size_t seen = 0;
    for (auto& item : before) {
        for (int i = 0; i < 300; ++i) list.push_back("more");
        CHECK(item == "item " + std::to_string(seen++));
    }
    CHECK(seen == 5);
    CHECK(&list[0] == first);
    CHECK(list.size() == 1505);
}
TEST_CASE("a growing list behaves like a vector in any sequence of copies, appends and assignments") {
    std::minstd_rand random(7);
    std::vector<Growing<int>> lists(6);
    std::vector<std::vector<int>> expected(6);
    for (int n = 0; n < 4000; ++n) {
        const auto i = random() % 6, j = random() % 6;
        switch (random() % 8) {
        case 0: lists[i] = lists[j], expected[i] = expected[j]; break;
        case 1: {
            auto copy = lists[i];
            lists[j] = std::move(copy);
            expected[j] = expected[i];
            break;
        }
        case 2:
            if (random() % 20 == 0) lists[i] = {}, expected[i] = {};
            break;
        default: lists[i].push_back(n), expected[i].push_back(n);
        }
        REQUIRE(items(lists[i]) == expected[i]);
        REQUIRE(items(lists[j]) == expected[j]);
    }
}
TEST_CASE("iterators are random access iterators") {
    Growing<int> g;
    for (int i = 0; i < 100; ++i) g.push_back(i);
    CHECK(g.end() - g.begin() == 100);
    CHECK(*std::lower_bound(g.begin(), g.end(), 42) == 42);
    CHECK(g.begin()[99] == 99);
    CHECK(*(g.end() - 1) == g.back());
}

namespace {
struct GoEvent : StartEvent {
    int width = 2;
};
BOOST_DESCRIBE_STRUCT(GoEvent, (), (width))
struct PartEvent {
    int i = 0;
};
BOOST_DESCRIBE_STRUCT(PartEvent, (), (i))
struct DoneEvent {};
BOOST_DESCRIBE_STRUCT(DoneEvent, (), ())
struct EndEvent : StopEvent {
    std::vector<int> items;
    int tokens = 0;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (items, tokens))
struct Log : Growing<int> {};
struct Counted : Growing<int> {
    static constexpr bool memory_only = true;
    int tokens = 0;
};
struct Total {
    static constexpr bool memory_only = true;
    int n = 0;
    static Total merge(const Total& original, const Total& committed, const Total& edited) {
        return {committed.n + edited.n - original.n};
    }
};
std::vector<PartEvent> split(Context&, GoEvent e) {
    std::vector<PartEvent> all;
    for (int i = 0; i < e.width; ++i) all.push_back({i});
    return all;
}
awaitable<DoneEvent> count(Context& ctx, PartEvent e) {
    ctx.edit<Counted>([&](auto& c) {
        c.tokens += 10 + e.i;
        c.push_back(e.i);
    });
    co_await sleep_for(1ms);
    co_return DoneEvent{};
}
awaitable<DoneEvent> replace(Context& ctx, PartEvent e) {
    ctx.edit<Log>([&](auto& log) {
        if (e.i == 1) static_cast<Growing<int>&>(log) = Growing<int>();
        log.push_back(e.i);
    });
    co_await sleep_for(1ms);
    co_return DoneEvent{};
}
awaitable<DoneEvent> add(Context& ctx, PartEvent e) {
    ctx.edit<Total>([&](auto& t) { t.n += e.i; });
    co_await sleep_for(1ms);
    ctx.edit<Total>([&](auto& t) { t.n += 100; });
    co_return DoneEvent{};
}
EndEvent report(Context& ctx, std::vector<DoneEvent>) { return {{}, items(ctx.get<Log>()), ctx.get<Total>().n}; }
inline constexpr auto counted = workflow("counted", step<split>, step<count>, step<report>);
inline constexpr auto replaced = workflow("replaced", step<split>, step<replace>, step<report>);
inline constexpr auto added = workflow("added", step<split>, step<add>.workers(50), step<report>);

Code code_of_run(const auto& w, int width) {
    try {
        (void)run(w, {.width = width});
        return Code::usage;
    } catch (const RunError& e) {
        CHECK(std::string(e.what()).find("have both changed") != std::string::npos);
        return e.code();
    }
}
}
TEST_CASE("a list beside other members does not merge: parallel edits conflict, none is lost") {
    CHECK(run(counted, {.width = 1}).items.empty());
    CHECK(code_of_run(counted, 2) == Code::edit_conflict);
}
TEST_CASE("a replaced list conflicts when another step has appended to it") {
    CHECK(run(replaced, {.width = 1}).items == std::vector{0});
    CHECK(code_of_run(replaced, 2) == Code::edit_conflict);
}
TEST_CASE("a slot with its own merge keeps the edits of all parallel steps") {
    CHECK(run(added, {.width = 50}).tokens == 50 * 49 / 2 + 50 * 100);
}

namespace {
struct Bomb {
    int armed = 0;
    Bomb() = default;
    explicit Bomb(int a) : armed(a) {}
    Bomb(const Bomb& o) : armed(o.armed) { burn(); }
    Bomb(Bomb&& o) noexcept(false) : armed(o.armed) { burn(); }
    void burn() const {
        if (armed && --fuse == 0) throw std::runtime_error("a copy failed");
    }
    static inline int fuse = 1000;
};
BOOST_DESCRIBE_STRUCT(Bomb, (), (armed))
struct Bombs : Growing<Bomb> {};
awaitable<DoneEvent> arm(Context& ctx, PartEvent e) {
    ctx.edit<Bombs>([&](auto& b) { b.emplace_back(1); });
    ctx.edit<Log>([&](auto& l) { l.push_back(e.i); });
    co_await sleep_for(1ms);
    co_return DoneEvent{};
}
EndEvent explode(Context& ctx, std::vector<DoneEvent>) { return {{}, items(ctx.get<Log>()), 0}; }
inline constexpr auto bombs = workflow("bombs", step<split>, step<arm>, step<explode>);
}
TEST_CASE("a failing commit leaves no part of itself in the run and in its store") {
    MemoryStore store;
    World w(&store);
    Bomb::fuse = 1;  // the first copy or move, in the merge
    auto run = w.loop.start(durable<Bombs, Log>(bombs), {.width = 2});
    w.io.run();
    Bomb::fuse = 1000;
    CHECK_THROWS_WITH_AS(run.outcome(), "step arm failed: a copy failed", RunError);
    auto* log = core::PrivateAccess::run_of(run).slots.find(&core::slot_type<Log>);
    REQUIRE(log);
    CHECK(static_cast<Log*>(log->value())->size() == 1);
    int appends = 0;
    for (auto& tick : ticks_of(store, run.id())) appends += tick.contains("appended");
    CHECK(appends == 1);
    CHECK(history_of(store, run.id()).run.status == RunStatus::failed);
}
