// Engines of several loops, used from several threads.
#include "engine/engine.hpp"
#include "engine/pool.hpp"
#include "engine/spawn.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/timeout.hpp"
#include "tests/support/few_threads.hpp"
#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>
#include <thread>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct History : Growing<std::string> {};
struct GoEvent : StartEvent {
    int width = 0;
};
struct PartEvent {
    int i = 0;
};
struct DoneEvent {
    int i = 0;
};
struct NoteEvent {
    int i = 0;
};
struct EndEvent : StopEvent {
    int sum = 0;
    Growing<std::string> history;
};
std::vector<PartEvent> split(Context&, GoEvent e) {
    std::vector<PartEvent> all;
    for (int i = 0; i < e.width; ++i) all.push_back({i});
    return all;
}
awaitable<DoneEvent> part(Context& ctx, PartEvent e, Pool& pool) {
    ctx.edit<History>([&](auto& h) { h.push_back("part " + std::to_string(e.i)); });
    auto work = [i = e.i](std::stop_token) { return i; };
    auto i = co_await pool.run(std::move(work));
    ctx.stream(NoteEvent{i});
    co_return DoneEvent{i};
}
EndEvent join(Context& ctx, std::vector<DoneEvent> all) {
    EndEvent end;
    for (auto& d : all) end.sum += d.i;
    end.history = ctx.get<History>();
    return end;
}
inline constexpr auto spreading = workflow("spreading", step<split>, step<part>.workers(8), step<join>);

struct AskEvent : InputRequiredEvent {
    int n = 0;
};
struct ReplyEvent : Answers<AskEvent> {
    int n = 0;
};
struct OverEvent : StopEvent {
    int n = 0;
};
AskEvent ask(Context&, GoEvent e) { return {{}, e.width}; }
OverEvent over(Context&, ReplyEvent e) { return {{}, e.n}; }
inline constexpr auto asking = workflow("asking", step<ask>, step<over>);

template <class R> awaitable<int> count_notes(R run) {
    int notes = 0;
    while (auto event = co_await run.next_event()) notes += event->template get_if<NoteEvent>() != nullptr;
    co_return notes;
}
}

TEST_SUITE_BEGIN("threads");
TEST_CASE("runs of several loops share a definition, a pool and nothing else") {
    Engine engine({.loops = 3});
    auto bound = spreading.with(engine.pool());
    std::vector<decltype(engine.start(bound, {}))> runs;
    for (int i = 0; i < 60; ++i) runs.push_back(engine.start(bound, {.width = 10}));
    for (auto& run : runs) {
        auto end = engine.wait(run.result());
        CHECK(end.sum == 45);
        CHECK(end.history.size() == 10);
        CHECK(engine.wait(count_notes(run)) == 10);
    }
}
TEST_CASE("start, send and cancel work from any thread") {
    Engine engine({.loops = 2});
    auto bound = asking.with();
    std::atomic<int> sum = 0, cancelled = 0;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 40; ++i) {
                auto run = engine.start(bound, {.width = i});
                if (i % 4 == t) run.cancel();
                else {
                    auto event = engine.wait(run.next_event());
                    run.send(ReplyEvent{.n = 1}, event->question());
                }
                try {
                    sum += engine.wait(run.result()).n;
                } catch (const RunError& e) { cancelled += e.code() == Code::cancelled; }
            }
        });
    threads.clear();
    CHECK(sum == 90);
    CHECK(cancelled == 30);
}
TEST_CASE("a pool used by several engines in turn returns each engine's work to that engine") {
    Pool pool;
    for (int i = 0; i < 300; ++i) {
        Engine engine;
        auto work = [i](std::stop_token) { return i; };
        CHECK(engine.wait(pool.run(std::move(work))) == i);
    }
}
TEST_CASE("an engine ends its runs when it is destroyed") {
    std::optional<RunOf<asking>> left;
    {
        Engine engine({.loops = 2});
        left = engine.start(asking, {});
        (void)engine.start(asking, {}, {.timeout = 1h});
        (void)engine.wait(left->next_event());
    }
    left->cancel();
    left->send(ReplyEvent{});
    CHECK_THROWS_WITH_AS(left->outcome(), "the run was cancelled", RunError);
}
TEST_CASE("a result may be awaited on another loop than the run's, and that wait may be cancelled") {
    Engine engine({.loops = 1});
    asio::io_context io;
    auto run = engine.start(asking, {});
    auto impatient = [](auto r) -> awaitable<std::string> {
        auto wait = r.result();
        try {
            (void)co_await with_timeout(5ms, std::move(wait));
        } catch (const Error& e) { co_return std::string(name(e.code())); }
        co_return "answered";
    };
    std::string how;
    spawn(io.get_executor(), impatient(run), [&](std::exception_ptr, std::string s) { how = s; });
    io.run();
    CHECK(how == "timed_out");
    (void)engine.wait(run.next_event());  // until the run has asked
    run.send(ReplyEvent{.n = 3});
    CHECK(engine.wait(run.result()).n == 3);
}
TEST_SUITE_END();
namespace {
std::size_t workers_of(MemoryStore& store) {
    std::size_t workers = 0;
    store.survey([&](std::exception_ptr, const storage::Survey& survey) { workers = survey.workers.size(); });
    return workers;
}
awaitable<int> twice(Pool& pool, int n) {
    auto work = [n](std::stop_token) { return 2 * n; };
    auto value = co_await pool.run(std::move(work));
    co_return value;
}
/// Whether an act is refused for want of threads, in a sentence with the cure.
template <class Act> test::Attempt attempt(Act act) {
    try {
        act();
        return test::Attempt::begun;
    } catch (const Error& error) {
        const bool has_cure = std::string_view(error.what()).find("ulimit -u") != std::string_view::npos;
        return has_cure && error.code() == Code::configuration ? test::Attempt::refused : test::Attempt::wrong;
    }
}
}
TEST_CASE("an engine is refused in a sentence when the system starts none of its threads, or only some") {
    const auto tried = test::with_ever_more_threads(
        [] {
            static MemoryStore store;
            store.share();
            const auto seen = attempt([] {
                const Engine engine({.loops = 4, .store = &store, .tells = [] { return std::string("{}"); }});
                if (workers_of(store) != 1) throw Error(Code::journal, "the engine is not listed");
            });
            return workers_of(store) == 0 ? seen : test::Attempt::wrong;
        },
        5);

    if (tried == test::FewThreads::no_limit) MESSAGE(test::no_limit_of_threads);
    else CHECK(tried == test::FewThreads::begun);
}
TEST_CASE("a pool works with fewer threads when the system starts only some, and is refused when it starts none") {
    const auto tried = test::with_ever_more_threads(
        [] {
            return attempt([] {
                Pool pool(1000);
                asio::io_context io;
                const Runtime runtime{io.get_executor()};
                std::optional<int> seen;
                spawn(runtime, twice(pool, 21), [&](std::exception_ptr, int value) { seen = value; });
                io.run();
                if (seen != 42) throw Error(Code::journal, "the pool does not work");
            });
        },
        1);

    if (tried == test::FewThreads::no_limit) MESSAGE(test::no_limit_of_threads);
    else CHECK(tried == test::FewThreads::begun);
}

TEST_CASE("an id belongs to one live run of an engine at a time, and is free when that has ended") {
    Engine engine({.loops = 2});
    const RunOptions order{.id = "order 7"};
    auto first = engine.start(asking, {.width = 1}, order);
    for (int i = 0; i < 2; ++i)  // on each loop
        CHECK_THROWS_WITH_AS(engine.start(asking, {}, order),
                             "a run was started with the id 'order 7' while another run with that id is unfinished: "
                             "use an id again only when its run has ended",
                             Error);
    CHECK(Engine().start(asking, {}, order).id() == "order 7");  // in another engine
    first.cancel();
    CHECK_THROWS_AS(engine.wait(first.result()), RunError);
    auto second = engine.start(asking, {.width = 2}, order);
    CHECK(second.id() == "order 7");
}
TEST_CASE("an engine runs on a context of the user, which ends when no work is left") {
    asio::io_context io;
    Engine engine(io);
    auto run = engine.start(asking, {.width = 1});
    io.run();
    run.send(ReplyEvent{.n = 2});
    io.restart();
    io.run();
    CHECK(run.outcome().n == 2);
    CHECK_THROWS_AS(engine.wait(run.result()), Error);
}
TEST_CASE("run ids are given, or derived from the seed; the same seed gives the same ids") {
    const auto id_of = [](std::uint64_t seed) {
        Engine engine({.seed = seed});
        return engine.start(asking, {}).id();
    };
    CHECK(id_of(1) == id_of(1));
    CHECK(id_of(1) != id_of(2));
    Engine engine;
    CHECK(engine.start(asking, {}, {.id = "mine"}).id() == "mine");
    CHECK(engine.start(asking, {}).id() != engine.start(asking, {}).id());
}
TEST_CASE("wait() on a loop of the engine is refused") {
    Engine engine;
    auto inside = [](Engine& e) -> awaitable<void> {
        auto nothing = []() -> awaitable<void> { co_return; };
        e.wait(nothing());
        co_return;
    };
    CHECK_THROWS_AS(engine.wait(inside(engine)), Error);
}
