// Work across threads and contexts: cancellation, readers, failures, ids, stores.
#include "engine/core/loop/run_extras.hpp"
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/world.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/bind_executor.hpp>
#include <doctest/doctest.h>
#include <thread>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(GoEvent, (), (n))
struct EndEvent : StopEvent {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(EndEvent, (), (n))
struct AskEvent : InputRequiredEvent {
    std::shared_ptr<int> alive;
    static constexpr std::string_view undescribed_fields[] = {"alive"};
};
BOOST_DESCRIBE_STRUCT(AskEvent, (), ())
struct ReplyEvent : Answers<AskEvent> {
    int n = 0;
};
BOOST_DESCRIBE_STRUCT(ReplyEvent, (), (n))
AskEvent ask(Context&, GoEvent e) { return {{}, std::make_shared<int>(e.n)}; }
EndEvent conclude(Context&, ReplyEvent e) { return {{}, e.n}; }
inline constexpr auto asking = workflow("asking", step<ask>, step<conclude>);
EndEvent at_once(Context& ctx, GoEvent e) {
    ctx.edit<Tally>([&](auto& t) { t.n += e.n; });
    return {{}, e.n};
}
inline constexpr auto quick = workflow("quick", step<at_once>);
EndEvent refuse(Context&, GoEvent) { throw std::runtime_error("no"); }
inline constexpr auto refusing = workflow("refusing", step<refuse>);

awaitable<void> doze(std::atomic<bool>& begun, std::atomic<bool>& cancelled) {
    begun = true;
    try {
        co_await sleep_for(1h);
    } catch (const boost::system::system_error&) { cancelled = true; }
}
template <class R> awaitable<int> count_ends(R run) {
    int ends = 0;
    while (auto event = co_await run.next_event()) ends += event->template get_if<EndEvent>() != nullptr;
    co_return ends;
}
awaitable<void> start_elsewhere(Loop& loop, Loop& other, std::string& told) {
    std::optional<Run<std::remove_const_t<decltype(asking)>>> run;
    const RunOptions options{.id = "A-17"};
    std::thread([&] { run.emplace(loop.start(asking, {.n = 1}, options)); }).join();
    try {
        co_await run->result();
    } catch (const Error& error) { told = error.what(); }
    other.start(asking, {.n = 1}, options);  // throws if the id is still taken
    told += ", and its id is free";
}
}

TEST_SUITE_BEGIN("threads");
TEST_CASE("a cancelled token of one context cancels coroutines spawned on another") {
    Engine engine;
    std::atomic<bool> begun = false, cancelled = false;
    asio::io_context io;
    asio::cancellation_signal signal;
    bool completed = false;
    auto token = asio::bind_cancellation_slot(
        signal.slot(), asio::bind_executor(io.get_executor(), [&](std::exception_ptr) { completed = true; }));
    spawn(engine.first_runtime(), doze(begun, cancelled), std::move(token));
    while (!begun) std::this_thread::yield();
    signal.emit(asio::cancellation_type::terminal);
    io.run();
    CHECK(completed);
    CHECK(cancelled);
    signal.emit(asio::cancellation_type::terminal);  // the operation has ended
}
TEST_CASE("exactly one of several readers on several threads receives the terminal event") {
    Engine engine({.loops = 3});
    for (int i = 0; i < 50; ++i) {
        auto run = engine.start(quick, {.n = i});
        std::atomic<int> ends = 0;
        std::vector<std::jthread> readers;
        for (int t = 0; t < 3; ++t) readers.emplace_back([&] { ends += engine.wait(count_ends(run)); });
        readers.clear();
        CHECK(ends == 1);
    }
}
TEST_CASE("a run gives its id on any thread while it fails") {
    Engine engine;
    for (int i = 0; i < 50; ++i) {
        auto run = engine.start(refusing, {});
        const auto id = run.id();
        CHECK_THROWS_AS(engine.wait(run.result()), RunError);
        CHECK(run.id() == id);
    }
}
TEST_CASE("loops share a store, and the store has the records of every run in order") {
    MemoryStore store;
    Engine engine({.loops = 3, .store = &store});
    const auto stored = durable<>(asking);
    std::vector<decltype(engine.start(stored, {}))> runs;
    for (int i = 0; i < 30; ++i) runs.push_back(engine.start(stored, {}));
    for (auto& run : runs) {
        auto question = engine.wait(run.next_event());
        run.send(ReplyEvent{.n = 1}, question->question());
    }
    for (auto& run : runs) {
        CHECK(engine.wait(run.result()).n == 1);
        std::vector<std::string> kinds;  // load() checks their order
        for (auto& tick : ticks_of(store, run.id())) kinds.push_back(tick["tick"]);
        CHECK(kinds == std::vector<std::string>{"arrived", "finished", "arrived", "finished"});
        CHECK(history_of(store, run.id()).run.status == RunStatus::done);
    }
}

namespace {
struct FragileEvent : StartEvent {
    FragileEvent() = default;
    FragileEvent(const FragileEvent& o) : moves(o.moves + 1), most(o.most) {
        if (moves > most) throw std::runtime_error("broken on the way");
    }
    int moves = 0, most = 0;
};
EndEvent unwrap(Context&, const FragileEvent&) { return {}; }
inline constexpr auto fragile = workflow("fragile", step<unwrap>);
}
TEST_CASE("an exception of a start event on its way to another thread reaches the caller, or fails the run") {
    for (int most = 0; most < 8; ++most) {
        Engine engine;
        FragileEvent event;
        event.most = most;
        std::string how;
        try {
            auto run = engine.start(fragile, event);
            (void)engine.wait(run.result());
            how = "arrived";
        } catch (const RunError& e) { how = e.what(); } catch (const std::runtime_error& e) {
            how = e.what();
        }
        CAPTURE(most);
        CHECK((how == "arrived" || how == "broken on the way" || how == "the run failed: broken on the way"));
        if (most == 7) CHECK(how == "arrived");
    }
}
TEST_CASE("a thread of an engine is not blocked by run()") {
    Engine engine;
    auto inside = []() -> awaitable<void> {
        GoEvent go;
        (void)run(quick, std::move(go));
        co_return;
    };
    CHECK_THROWS_WITH_AS(engine.wait(inside()),
                         "run() was called inside of a step, which it would block: use ctx.run() there", Error);
}
TEST_SUITE_END();

namespace {
awaitable<EndEvent> call_asking(Context& ctx, GoEvent e) { co_return co_await ctx.run(asking, std::move(e)); }
inline constexpr auto calling = workflow("calling", step<call_asking>);
}
TEST_CASE("a loop frees its children's unanswered questions when it is destroyed") {
    std::weak_ptr<int> alive;
    {
        std::optional<World> w;
        w.emplace();
        auto run = w->loop.start(calling, {.n = 1});
        auto look = [](auto r, std::weak_ptr<int>& alive) -> awaitable<void> {
            auto event = co_await r.next_event();
            alive = event->template get_if<AskEvent>()->alive;
        };
        auto reader = w->loop.start(calling, {.n = 2});  // one question read, one not
        w->spawn(look(reader, alive));
        w->io.run();
        w.reset();
        CHECK(run.ended());
        CHECK_THROWS_AS(run.outcome(), RunError);
    }
    CHECK(alive.expired());
}
TEST_CASE("an exception at the begin of an operation reaches the awaiting coroutine, and the loop continues") {
    World w;
    std::string how;
    auto body = [](std::string& how) -> awaitable<void> {
        auto begin = [](auto) { throw std::runtime_error("cannot begin"); };
        auto operation = asio::async_initiate<const asio::deferred_t&, void(std::exception_ptr)>(begin, asio::deferred);
        try {
            co_await std::move(operation);
        } catch (const std::runtime_error& e) { how = e.what(); }
        co_await sleep_for(1ns);
        how += ", and on";
    };
    w.spawn(body(how));
    w.io.run();
    CHECK(how == "cannot begin, and on");
}
TEST_CASE("an early answer leaves the other questions their ids") {
    MemoryStore store;
    World w(&store);
    auto run = w.loop.start(durable<>(asking), {.n = 1});
    store.hold();
    w.turn();  // has asked; without its stored tick the question is not streamed
    run.send(ReplyEvent{.n = 2});
    store.release();
    w.turn();
    store.release();
    w.turn();
    store.release();
    w.turn();
    QuestionId id = QuestionId::none;
    auto look = [](auto r, QuestionId& id) -> awaitable<void> {
        auto event = co_await r.next_event();
        id = event->question();
    };
    w.spawn(look(run, id));
    w.turn();
    CHECK(id == core::question_id(core::Handle(std::uint64_t(id)),
                                  0));  // the run's first question, whose token another one has now
    CHECK(run.outcome().n == 2);
}
TEST_CASE("a context destroys coroutines that wait by a manual clock when it is destroyed") {
    testing::ManualClock clock;
    auto alive = std::make_shared<int>(1);
    std::weak_ptr<int> watch = alive;
    {
        asio::io_context io;
        auto wait = [](std::shared_ptr<int>) -> awaitable<void> { co_await sleep_for(1h); };
        for (int i = 0; i < 40; ++i) spawn(Runtime{io.get_executor(), &clock}, wait(alive), asio::detached);
        alive.reset();
        io.poll();
        CHECK(!watch.expired());
    }
    CHECK(watch.expired());
    clock.advance(2h);  // no alarm is left
    CHECK(!clock.jump());
}
TEST_CASE("a thread that waits for a run learns that the loop was destroyed before the run began") {
    asio::io_context io(1);
    const Loop::Settings settings{.context = &io, .ids = std::make_shared<core::RunIds>()};
    Loop other(io.get_executor(), settings);
    std::optional<Loop> loop(std::in_place, io.get_executor(), settings);
    std::string told;
    spawn(io.get_executor(), start_elsewhere(*loop, other, told), asio::detached);
    io.run_one();  // it waits for the run, which has only been posted
    loop.reset();
    io.run();
    CHECK(told == "the run was cancelled, and its id is free");
}
TEST_CASE("a run forgets a waiting reader when the reader's context is destroyed") {
    asio::io_context home;
    Engine engine(home);
    auto run = engine.start(asking, {});
    {
        asio::io_context away;
        spawn(away.get_executor(), count_ends(run), asio::detached);
        for (int i = 0; i < 4; ++i)  // it reads the question, and waits for the next event
            for (auto* context : {&away, &home}) context->restart(), context->poll();
    }
    run.send(ReplyEvent{.n = 3});
    home.restart();
    home.run();
    CHECK(run.outcome().n == 3);
}
TEST_CASE("a run refuses an invalid timeout and a moved-from workflow") {
    World w;
    CHECK_THROWS_WITH_AS(w.loop.start(quick, {}, {.timeout = -1s}),
                         "a run was given a timeout of -1 s: a timeout must be longer than 0 s; omit it for none",
                         Error);
    auto bound = quick.with();
    auto taken = std::move(bound);
    // NOLINTNEXTLINE(bugprone-use-after-move)
    CHECK_THROWS_WITH_AS(w.loop.start(bound, {}),
                         "a workflow was started after a move: start the object it was moved to", Error);
    auto run = w.loop.start(taken, {.n = 4});
    w.io.run();
    CHECK(run.outcome().n == 4);
}
