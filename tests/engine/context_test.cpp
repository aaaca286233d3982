#include "engine/asio.hpp"
#include "engine/durable.hpp"
#include "engine/loop.hpp"
#include "engine/store/memory_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/world.hpp"
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <doctest/doctest.h>
#include <random>
using namespace weft;

namespace {
struct Notes : Growing<std::string> {};
struct GoEvent : StartEvent {
    bool tally;
    int width;
};
struct PartEvent {
    int i;
    bool tally;
};
struct DoneEvent {
    int seen;
};
struct EndEvent : StopEvent {
    std::string notes;
    int tally;
    int seen;
};

std::vector<PartEvent> split(Context& ctx, GoEvent e) {
    ctx.edit<Notes>([](auto& n) { n.push_back("split"); });
    std::vector<PartEvent> all;
    for (int i = 0; i < e.width; ++i) all.push_back({i, e.tally});
    return all;
}
awaitable<DoneEvent> part(Context& ctx, PartEvent e, asio::io_context& io) {
    ctx.edit<Notes>([&](auto& n) { n.push_back("a" + std::to_string(e.i)); });
    if (e.tally) ctx.edit<Tally>([](auto& t) { ++t.n; });
    for (int i = e.i; i < 3; ++i) co_await asio::post(io, asio::deferred);  // so that later branches finish first
    ctx.edit<Notes>([&](auto& n) { n.push_back("b" + std::to_string(e.i)); });
    co_return DoneEvent{int(ctx.get<Notes>().size())};
}
EndEvent join(Context& ctx, std::vector<DoneEvent> all) {
    std::string text;
    for (auto& n : ctx.get<Notes>()) text += n + " ";
    return {{}, text, ctx.get<Tally>().n, all.front().seen};
}
inline constexpr auto notes = workflow("notes", step<split>, step<part>, step<join>);
}

TEST_CASE("a unit test makes a context without a run") {
    Context ctx;
    CHECK(ctx.get<Tally>().n == 0);
    ctx.edit<Tally>([](auto& t) { t.n = 3; });
    ctx.stream(DoneEvent{1});
    CHECK(ctx.get<Tally>().n == 3);
    auto next = split(ctx, {.tally = false, .width = 2});
    CHECK(next.size() == 2);
    CHECK(ctx.get<Notes>().back() == "split");
}
TEST_CASE("parallel steps see committed edits and their own; a growing list merges in the order of commits") {
    World w;
    auto run = w.loop.start(notes.with(w.io), {.tally = false, .width = 3});
    w.io.run();
    CHECK(run.outcome().notes == "split a2 b2 a1 b1 a0 b0 ");
    CHECK(run.outcome().seen == 3);
}
TEST_CASE("parallel edits of a slot are refused, not lost, unless it is a growing list") {
    World w;
    auto one = w.loop.start(notes.with(w.io), {.tally = true, .width = 1});
    auto two = w.loop.start(notes.with(w.io), {.tally = true, .width = 2});
    w.io.run();
    CHECK(one.outcome().tally == 1);
    try {
        (void)two.outcome();
        FAIL("no conflict");
    } catch (const RunError& e) { CHECK(e.code() == Code::edit_conflict); }
}
namespace {
struct Fragile {  // merges, so that each edit makes two copies of it; some copy throws
    static constexpr bool memory_only = true;
    static inline int alive = 0, copies_left = 0;
    int n = 0;
    Fragile() { ++alive; }
    Fragile(const Fragile& o) : n(o.n) {
        if (copies_left-- == 0) throw std::runtime_error("no copy");
        ++alive;
    }
    Fragile& operator=(const Fragile&) = default;
    ~Fragile() { --alive; }
    static Fragile merge(const Fragile&, const Fragile& committed, Fragile&) { return committed; }
};
std::vector<PartEvent> make_fragile(Context& ctx, GoEvent e) {
    Fragile::copies_left = 100;
    ctx.edit<Fragile>([](auto& f) { f.n = 7; });
    return {{e.width, false}};
}
EndEvent copy_fragile(Context& ctx, PartEvent e) {
    Fragile::copies_left = e.i;
    std::string how = "copied";
    try {
        ctx.edit<Fragile>([](auto& f) { f.n = 8; });
    } catch (const std::runtime_error& error) { how = error.what(); }
    Fragile::copies_left = 100;
    return {{}, how, ctx.get<Fragile>().n, 0};
}
inline constexpr auto copying = workflow("copying", step<make_fragile>, step<copy_fragile>);
}
TEST_CASE("a slot stays as it was when its copy throws, and no part of the copy is left") {
    for (int copies : {0, 1, 2}) {
        const auto end = run(copying, {.tally = false, .width = copies});
        CHECK(end.notes == (copies < 2 ? "no copy" : "copied"));
        CHECK(end.tally == (copies < 2 ? 7 : 8));
        CHECK(Fragile::alive == 0);
    }
}
TEST_CASE("a copy of a growing list keeps its items") {
    Growing<int> a;
    a.push_back(1);
    auto b = a;
    b.push_back(2);
    auto c = a;
    c.push_back(3);  // a fork: b holds the end
    CHECK(std::vector(a.begin(), a.end()) == std::vector{1});
    CHECK(std::vector(b.begin(), b.end()) == std::vector{1, 2});
    CHECK(std::vector(c.begin(), c.end()) == std::vector{1, 3});
    b = {};
    a.push_back(4);
    CHECK(std::vector(a.begin(), a.end()) == std::vector{1, 4});
}

// --- the store -------------------------------------------------------------------------------------------------------
namespace {
// A tree of random width and depth, so that groups nest, are empty, and end in any order.
struct SeedEvent : StartEvent {
    unsigned seed;
};
BOOST_DESCRIBE_STRUCT(SeedEvent, (), (seed))
struct RowEvent {
    unsigned seed;
};
BOOST_DESCRIBE_STRUCT(RowEvent, (), (seed))
struct ItemEvent {
    unsigned seed;
};
BOOST_DESCRIBE_STRUCT(ItemEvent, (), (seed))
struct LeafEvent {
    int n;
};
BOOST_DESCRIBE_STRUCT(LeafEvent, (), (n))
struct RowSumEvent {
    int n;
};
BOOST_DESCRIBE_STRUCT(RowSumEvent, (), (n))
struct TotalEvent : StopEvent {
    int n;
};
BOOST_DESCRIBE_STRUCT(TotalEvent, (), (n))
std::vector<RowEvent> plant(Context&, SeedEvent s) {
    std::vector<RowEvent> v;
    for (unsigned i = 0; i < s.seed % 5; ++i) v.push_back({s.seed * 31 + i});
    return v;
}
awaitable<std::vector<ItemEvent>> row(Context&, RowEvent r, asio::io_context& io) {
    std::minstd_rand random(r.seed + 1);
    for (unsigned hops = random() % 3; hops > 0; --hops) co_await asio::post(io, asio::deferred);
    std::vector<ItemEvent> items;
    for (unsigned i = random() % 6; i > 0; --i) items.push_back({unsigned(random())});
    co_return items;
}
awaitable<std::optional<LeafEvent>> item(Context& ctx, ItemEvent i, asio::io_context& io) {
    for (unsigned hops = i.seed % 4; hops > 0; --hops) co_await asio::post(io, asio::deferred);
    ctx.edit<Notes>([](auto& n) { n.push_back("item"); });
    if (i.seed % 5 == 0) co_return std::nullopt;
    co_return LeafEvent{1};
}
RowSumEvent sum_row(Context&, std::vector<LeafEvent> leaves) { return {int(leaves.size())}; }
TotalEvent total(Context&, std::vector<RowSumEvent> rows) {
    int n = 0;
    for (auto& r : rows) n += r.n;
    return {{}, n * 100 + int(rows.size())};
}
inline constexpr auto forest = workflow("forest", step<plant>, step<row>.workers(2), step<item>.workers(3),
                                        step<sum_row>, step<total>);
}
TEST_CASE("the fold of the records is the live state, after every record") {  // which this build of the engine checks
    MemoryStore store;
    World w(&store);
    const auto stored = durable<Notes>(forest.with(w.io));
    std::vector<decltype(w.loop.start(stored, {}))> runs;
    for (unsigned seed = 0; seed < 60; ++seed) runs.push_back(w.loop.start(stored, {.seed = seed}));
    w.io.run();
    std::size_t ticks = 0;
    for (unsigned seed = 0; seed < 60; ++seed) {
        CHECK(runs[seed].outcome().n % 100 == int(seed % 5));
        CHECK(core::PrivateAccess::run_of(runs[seed]).state.live == 0);
        const auto history = history_of(store, runs[seed].id());
        CHECK(nlohmann::json::parse(history.run.outcome)["data"]["n"] == runs[seed].outcome().n);
        ticks += history.ticks.size();
    }
    CHECK(ticks > 500);
}
