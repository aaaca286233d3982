// Collectors of the first n: a quorum, and the end of the other branches.
#include "engine/core/loop/run_extras.hpp"
#include "engine/durable.hpp"
#include "engine/graph.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct AskAllEvent : StartEvent {
    std::vector<int> minutes;
};
struct ModelEvent {
    int minutes = 0;
};
struct ReplyEvent {
    int minutes = 0;
};
struct VerdictEvent : StopEvent {
    std::vector<int> minutes;
};
struct Counts {
    int begun = 0, ended = 0, cancelled = 0;
};

std::vector<ModelEvent> ask_all(Context&, AskAllEvent e) {
    std::vector<ModelEvent> all;
    for (int m : e.minutes) all.push_back({m});
    return all;
}
awaitable<ReplyEvent> ask(Context& ctx, ModelEvent e, Counts& counts) {
    ++counts.begun;
    try {
        co_await sleep_for(std::chrono::minutes(e.minutes));
    } catch (...) {
        ++counts.cancelled;
        throw;
    }
    ++counts.ended;
    ctx.edit<Tally>([](auto& t) { ++t.n; });
    co_return ReplyEvent{e.minutes};
}
VerdictEvent judge(Context& ctx, std::vector<ReplyEvent> all) {
    VerdictEvent verdict;
    for (auto& r : all) verdict.minutes.push_back(r.minutes);
    CHECK(ctx.get<Tally>().n == int(all.size()));
    return verdict;
}
constexpr auto quorum(int n, unsigned workers = 100) {
    return workflow("quorum", step<ask_all>, step<ask>.workers(workers), step<judge>.first(n));
}
std::vector<int> ask_first(int n, unsigned workers, std::vector<int> minutes, Counts& counts) {
    return testing::run(quorum(n, workers).with(counts), {.minutes = std::move(minutes)}).minutes;
}
}

TEST_CASE("a collector of the first n runs with the first n branches, in fan-out order, and cancels the others") {
    Counts counts;
    CHECK(ask_first(2, 100, {5, 3, 1, 4}, counts) == std::vector{3, 1});
    CHECK(counts.begun == 4);
    CHECK(counts.ended == 2);
    CHECK(counts.cancelled == 2);
}
TEST_CASE("branches waiting for a worker never begin when the first n have come") {
    Counts counts;
    CHECK(ask_first(2, 1, {5, 3, 1, 4}, counts) == std::vector{5, 3});
    CHECK(counts.begun <= 3);  // the third may have begun in the same turn
    CHECK(counts.ended == 2);
}
TEST_CASE("first(n) collects all branches when there are fewer than n, or none") {
    Counts counts;
    CHECK(ask_first(9, 100, {5, 3}, counts) == std::vector{5, 3});
    CHECK(ask_first(1, 100, {}, counts) == std::vector<int>{});
    CHECK(counts.cancelled == 0);
}

namespace {
// Branches of every kind: they ask, are retried, fan out, wait for a worker, run, and end in joins.
struct MixEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(MixEvent, (), (n))
struct QuickEvent {
    int i = 0;
};
BOOST_DESCRIBE_STRUCT(QuickEvent, (), (i))
struct AskUserEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(AskUserEvent, (), ())
struct UserEvent : Answers<AskUserEvent> {};
BOOST_DESCRIBE_STRUCT(UserEvent, (), ())
struct FlakyEvent {};
BOOST_DESCRIBE_STRUCT(FlakyEvent, (), ())
struct NestEvent {
    int depth = 0;
};
BOOST_DESCRIBE_STRUCT(NestEvent, (), (depth))
struct LeafEvent {
    int depth = 0;
};
BOOST_DESCRIBE_STRUCT(LeafEvent, (), (depth))
struct LeftEvent {
    std::shared_ptr<int> kept = std::make_shared<int>(1);
    static constexpr std::string_view undescribed_fields[] = {"kept"};
};
BOOST_DESCRIBE_STRUCT(LeftEvent, (), ())
struct RightEvent {};
BOOST_DESCRIBE_STRUCT(RightEvent, (), ())
struct PartEvent {
    int i = 0;
};
BOOST_DESCRIBE_STRUCT(PartEvent, (), (i))
struct WidthEvent : StopEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(WidthEvent, (), (n))
using Mix = std::variant<QuickEvent, AskUserEvent, FlakyEvent, NestEvent, LeftEvent, PartEvent>;
std::vector<Mix> mix(Context&, MixEvent e) {
    std::vector<Mix> all{AskUserEvent{}, FlakyEvent{}, NestEvent{3}, LeftEvent{}, NestEvent{1}, AskUserEvent{}};
    for (int i = 0; i < e.n; ++i) all.emplace_back(QuickEvent{i});
    return all;
}
awaitable<PartEvent> quick(Context&, QuickEvent e) {
    co_await sleep_for(std::chrono::minutes(1 + e.i));
    co_return PartEvent{e.i};
}
PartEvent heard(Context&, UserEvent) { return {-1}; }
PartEvent flaky(Context&, FlakyEvent) { throw std::runtime_error("again"); }
std::vector<std::variant<LeafEvent, NestEvent>> nest(Context&, NestEvent e) {
    std::vector<std::variant<LeafEvent, NestEvent>> all{LeafEvent{0}, LeafEvent{1}, LeafEvent{2}};
    if (e.depth) all.emplace_back(NestEvent{e.depth - 1});
    return all;
}
struct LeafDoneEvent {};
BOOST_DESCRIBE_STRUCT(LeafDoneEvent, (), ())
awaitable<LeafDoneEvent> leaf(Context&, LeafEvent e) {
    if (e.depth) co_await sleep_for(24h);
    co_return LeafDoneEvent{};
}
PartEvent leaves(Context&, std::vector<LeafDoneEvent>) { return {-2}; }
PartEvent meet(Context&, LeftEvent, RightEvent) { return {-3}; }
RightEvent never(Context&, UserEvent) { return {}; }
WidthEvent width(Context&, std::vector<PartEvent> all) { return {{}, int(all.size())}; }
inline constexpr auto mixing = workflow("mixing", step<mix>, step<quick>.workers(2), step<heard>,
                                        step<flaky>.retry({.attempts = 200}), step<nest>, step<leaf>.workers(2),
                                        step<leaves>, step<meet>, step<never>, step<width>.first(3));
}
TEST_CASE("the first n branches end the other branches in any state, and the store has the same outcome") {
    testing::ManualClock clock;
    MemoryStore store;
    asio::io_context io(1);
    Loop loop(Runtime{io.get_executor(), &clock}, {.store = &store, .seed = 7});
    std::vector<std::string> seen;
    auto run = loop.start(durable<>(mixing), {.n = 5});
    spawn(io.get_executor(), record(run, seen), asio::detached);
    do {
        io.restart();
        io.run();
    } while (!run.ended() && clock.jump());
    REQUIRE(run.ended());
    CHECK(run.outcome().n == 3);
    CHECK(history_of(store, run.id()).run.outcome == R"({"data":{"n":3},"event":"WidthEvent"})");
    CHECK(clock.now().time_since_epoch() < 25h);  // no wait for the leaves
    CHECK_FALSE(clock.jump());                    // no timer of a cancelled retry is left
    CHECK(seen.back() == "WidthEvent");
}

namespace {
struct MoreEvent {};
struct AgainEvent {
    int n = 0;
};
struct RoundEvent {
    int n = 0;
};
MoreEvent begin_rounds(Context&, MixEvent) { return {}; }
struct TryEvent {
    int i = 0;
};
BOOST_DESCRIBE_STRUCT(TryEvent, (), (i))
struct DoneEvent {
    int i = 0;
};
BOOST_DESCRIBE_STRUCT(DoneEvent, (), (i))
std::vector<TryEvent> round(Context& ctx, MoreEvent) {
    ctx.edit<Tally>([](auto& t) { ++t.n; });
    return {{1}, {2}, {3}};
}
awaitable<DoneEvent> attempt(Context&, TryEvent e) {
    if (e.i > 1) co_await sleep_for(1h);
    co_return DoneEvent{e.i};
}
std::variant<MoreEvent, WidthEvent> next_round(Context& ctx, std::vector<DoneEvent> all) {
    CHECK(all.size() == 1);
    if (ctx.get<Tally>().n < 100) return MoreEvent{};
    return WidthEvent{{}, ctx.get<Tally>().n};
}
inline constexpr auto rounds = workflow("rounds", step<begin_rounds>, step<round>, step<attempt>.workers(3),
                                        step<next_round>.first(1));
}
TEST_CASE("workers of cancelled branches are free for the next round, and no late event of them arrives") {
    testing::ManualClock clock;
    const auto before = clock.now();
    CHECK(testing::run(rounds, {}, {.clock = &clock}).n == 100);
    CHECK(clock.now() == before);
}

namespace {
struct BoldEvent : StopEvent {};
awaitable<DoneEvent> stubborn(Context&, TryEvent e) {
    if (e.i == 1) co_return DoneEvent{1};
    try {
        co_await sleep_for(1h);
    } catch (const std::exception&) {}
    co_return DoneEvent{e.i};  // ignores its cancellation
}
std::vector<TryEvent> spread(Context&, MixEvent) { return {{1}, {2}, {3}}; }
struct PauseEvent {};
BOOST_DESCRIBE_STRUCT(PauseEvent, (), ())
PauseEvent pause(Context&, std::vector<DoneEvent> all) {
    CHECK(all.size() == 1);
    return {};
}
awaitable<WidthEvent> rest(Context&, PauseEvent) {
    co_await sleep_for(2h);
    co_return WidthEvent{};
}
inline constexpr auto stubborn_ones = workflow("stubborn_ones", step<spread>, step<stubborn>, step<pause>.first(1),
                                               step<rest>);

std::vector<TryEvent> spread_sync(Context&, MixEvent) { return {{1}, {2}, {3}, {4}}; }
DoneEvent at_once(Context&, TryEvent e, Tally& calls) {
    ++calls.n;
    return {e.i};
}
WidthEvent count(Context&, std::vector<DoneEvent> all) { return {{}, int(all.size())}; }
constexpr auto direct = workflow("direct", step<spread_sync>, step<at_once>.workers(1), step<count>.first(2));
std::vector<DoneEvent> all_done(Context&, MixEvent) { return {{1}, {2}, {3}, {4}}; }
constexpr auto straight = workflow("straight", step<all_done>, step<count>.first(3));
}
TEST_CASE("a cancelled branch's late result is dropped") {
    testing::Recorder seen;
    CHECK_NOTHROW(testing::run(stubborn_ones, {}, {.recorder = &seen}));
    CHECK(seen.names() == std::vector<std::string>{"WidthEvent"});
}
TEST_CASE("a step without waits is not called for superfluous branches") {
    Tally calls;
    CHECK(run(direct.with(calls), {}).n == 2);
    CHECK(calls.n == 2);
}
TEST_CASE("branches leading directly to the collector are cut to the first n") { CHECK(run(straight, {}).n == 3); }

namespace {
struct LongEvent {
    std::string text;
};
struct Reader {  // reads the event in its destructor
    const std::string& text;
    std::string& seen;
    ~Reader() { seen += text; }
};
std::vector<std::variant<TryEvent, LongEvent>> long_ones(Context&, MixEvent) {
    return {TryEvent{1}, LongEvent{"a text that is too long to stand in its string"}};
}
awaitable<DoneEvent> first_done(Context&, TryEvent) {
    co_await sleep_for(1s);  // the other steps begin meanwhile
    co_return DoneEvent{1};
}
awaitable<DoneEvent> obstinate(Context&, const LongEvent& e, std::string& seen) {
    const Reader reader{e.text, seen};
    try {
        co_await sleep_for(1h);
    } catch (const std::exception&) {}
    co_await sleep_for(1h);  // is stopped here
    co_return DoneEvent{};
}
inline constexpr auto obstinate_ones = workflow("obstinate_ones", step<long_ones>, step<first_done>, step<obstinate>,
                                                step<pause>.first(1), step<rest>);
}
TEST_CASE("a step stopped at its second wait still has the event that it took by reference") {
    std::string seen;
    testing::run(obstinate_ones.with(seen), {});
    CHECK(seen == "a text that is too long to stand in its string");
}

namespace {
using Answer = std::function<void()>;
std::vector<std::variant<AskUserEvent, TryEvent>> ask_or_try(Context&, MixEvent) {
    return {AskUserEvent{}, TryEvent{1}};
}
DoneEvent answer_oneself(Context&, TryEvent, Answer& answer, Tally& failing) {
    answer();  // ends this step's own branch
    if (failing.n) throw std::runtime_error("late");
    return {8};
}
PauseEvent pause_once(Context&, std::vector<std::variant<UserEvent, DoneEvent>> all) {
    CHECK(all.size() == 1);
    CHECK(std::holds_alternative<UserEvent>(all.at(0)));
    return {};
}
awaitable<WidthEvent> rest_and_count(Context& ctx, PauseEvent) {
    ctx.edit<Tally>([](auto& t) { ++t.n; });
    co_await sleep_for(2h);
    co_return WidthEvent{{}, ctx.get<Tally>().n};
}
inline constexpr auto talking_to_oneself = workflow("talking_to_oneself", step<ask_or_try>, step<answer_oneself>,
                                                    step<pause_once>.first(1), step<rest_and_count>);
}
TEST_CASE("a step has no result and no failure when its own branch is cancelled while it runs") {
    for (int fails : {0, 1}) {
        testing::ManualClock clock;
        MemoryStore store;
        asio::io_context io(1);
        Loop loop(Runtime{io.get_executor(), &clock}, {.store = &store});
        Answer answer;
        Tally failing{fails};
        auto run = loop.start(durable<Tally>(talking_to_oneself.with(answer, failing)), {});
        answer = [&] { run.send(UserEvent{}); };
        do {
            io.restart();
            io.run();
        } while (!run.ended() && clock.jump());
        CHECK(run.outcome().n == 1);
        CHECK(history_of(store, run.id()).run.status == RunStatus::done);
        answer = nullptr;
    }
}
TEST_CASE("a collector of the first n is drawn with its number") {
    const auto g = graph_of(quorum(2));
    CHECK(mermaid(g).find("==>|first 2|") != std::string::npos);
    CHECK(dot(g).find("label=\"first 2\"") != std::string::npos);
    CHECK(graph_json(g).find("\"first\": 2") != std::string::npos);
}

namespace {
using Kept = std::shared_ptr<int>;
struct KeptEvent {
    Kept kept;
};
std::vector<KeptEvent> keep_four(Context&, MixEvent, Kept& kept) { return {{kept}, {kept}, {kept}, {kept}}; }
awaitable<DoneEvent> hold(Context&, KeptEvent) {
    co_await sleep_for(1s);
    co_return DoneEvent{};
}
awaitable<WidthEvent> look(Context&, PauseEvent, Kept& kept) {
    co_await sleep_for(1s);
    co_return WidthEvent{{}, int(kept.use_count())};
}
inline constexpr auto keeping = workflow("keeping", step<keep_four>, step<hold>.workers(1), step<pause>.first(1),
                                         step<look>);
}
TEST_CASE("the events of superfluous branches are freed immediately, not at the end of the run") {
    auto kept = std::make_shared<int>(1);
    CHECK(testing::run(keeping.with(kept), {}).n == 1);
}
TEST_CASE("a quorum of zero is refused at run time too") {
    const int none = 0;
    CHECK_THROWS_WITH_AS((void)step<judge>.first(none),
                         "a collector continues with the first one or more branches: first(n) needs n of at least 1",
                         Error);
}

namespace {
std::vector<std::variant<TryEvent, FlakyEvent>> try_and_fail(Context&, MixEvent) { return {TryEvent{2}, FlakyEvent{}}; }
DoneEvent fails(Context&, FlakyEvent) { throw std::runtime_error("again"); }
AskUserEvent ask_at_last(Context&, std::vector<DoneEvent>) { return {}; }
WidthEvent told(Context&, UserEvent) { return {}; }
inline constexpr auto asking_at_last = workflow("asking_at_last", step<try_and_fail>, step<attempt>,
                                                step<fails>.retry({.attempts = 2, .wait = fixed(24h)}),
                                                step<ask_at_last>.first(1), step<told>);
}
TEST_CASE("a superfluous branch in its wait for a retry does not keep the run busy") {
    testing::ManualClock clock;
    World w(clock);
    auto run = w.loop.start(asking_at_last, {});
    w.io.run();
    CHECK_FALSE(run.idle());
    clock.advance(1h);
    w.turn();
    CHECK(run.idle());
    CHECK_FALSE(clock.jump());
    run.send(UserEvent{});
    w.turn();
    CHECK(run.ended());
}
