// Each kind of wait with each kind of end: waiters are notified, running work ends, and nothing is left.
#include "engine/engine.hpp"
#include "engine/timeout.hpp"
#include "tests/support/limit.hpp"
#include <array>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <doctest/doctest.h>
#include <future>
#include <thread>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {};
struct EndEvent : StopEvent {};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};

struct Witness {
    std::atomic<int> begun = 0;    // waits
    std::atomic<int> frames = 0;   // existing frames of steps
    std::atomic<int> readers = 0;  // existing coroutines
    std::atomic<int> working = 0;  // running blocking work
    std::atomic<int> went_on = 0;  // steps that continued after their wait
    std::atomic<int> told = 0;     // notified readers and threads
    bool clear() const { return frames == 0 && readers == 0 && working == 0 && went_on == 0; }
};
class Here {
public:
    explicit Here(std::atomic<int>& n) : n_(n) { ++n_; }
    Here(const Here& o) : Here(o.n_) {}
    ~Here() { --n_; }

private:
    std::atomic<int>& n_;
};
template <class Condition> bool soon(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + test::limit;
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return condition();
}

// --- waits in a run ---
awaitable<EndEvent> operate(Context&, GoEvent, Witness& w) {
    const Here here(w.frames);
    with_default<asio::steady_timer> never(co_await this_executor(), 1h);
    ++w.begun;
    co_await never.async_wait();
    ++w.went_on;
    co_return EndEvent{};
}
awaitable<EndEvent> block(Context&, GoEvent, Pool& pool, Witness& w) {
    const Here here(w.frames);
    int local = 1;  // the work refers to the frame
    auto work = [&local, &w, captured = Here(w.frames)](std::stop_token stop) {
        w.working += local;
        ++w.begun;
        while (!stop.stop_requested()) std::this_thread::yield();
        w.working -= local;
        if (!stop.stop_requested()) ++w.went_on;
    };
    co_await pool.run(std::move(work));
    co_return EndEvent{};
}
awaitable<EndEvent> nap(Context&, GoEvent, Witness& w) {
    const Here here(w.frames);
    ++w.begun;
    co_await sleep_for(1h);
    ++w.went_on;
    co_return EndEvent{};
}
AskEvent ask(Context&, GoEvent, Witness& w) {
    ++w.begun;
    return {};
}
EndEvent conclude(Context&, ReplyEvent, Witness& w) {
    ++w.went_on;
    return {};
}
inline constexpr auto operating = workflow("operating", step<operate>);
inline constexpr auto blocking = workflow("blocking", step<block>);
inline constexpr auto sleeping = workflow("sleeping", step<nap>);
inline constexpr auto asking = workflow("asking", step<ask>, step<conclude>);
awaitable<EndEvent> call(Context& ctx, GoEvent go, Witness& w) {
    const Here here(w.frames);
    auto end = co_await ctx.run(sleeping.with(w), std::move(go));
    ++w.went_on;
    co_return end;
}
inline constexpr auto calling = workflow("calling", step<call>);

// --- waiters for a run ---
template <class R> awaitable<void> read_result(R run, Witness& w) {
    const Here here(w.readers);
    ++w.begun;
    try {
        (void)co_await run.result();
    } catch (const RunError& e) { w.told += e.code() == Code::cancelled; }
}
template <class R> awaitable<void> read_events(R run, Witness& w) {
    const Here here(w.readers);
    ++w.begun;
    bool cancelled = false;
    while (auto event = co_await run.next_event()) cancelled = event->template get_if<RunCancelledEvent>() != nullptr;
    w.told += cancelled;
}
struct Handle {
    std::function<awaitable<void>()> result, events;
    std::function<void()> cancel;
};
template <class Host, class W> Handle start(Host& host, const Bound<W>& workflow, Witness& w) {
    auto run = host.start(workflow, {});
    return {[run, &w] { return read_result(run, w); }, [run, &w] { return read_events(run, w); },
            [run]() mutable { run.cancel(); }};
}

enum class Row { step, engine_pool, own_pool, reader_here, reader_elsewhere, thread, child, timer, question };
constexpr std::array rows{Row::step,   Row::engine_pool, Row::own_pool, Row::reader_here, Row::reader_elsewhere,
                          Row::thread, Row::child,       Row::timer,    Row::question};
template <class Host> Handle start(Host& host, Row row, Pool& pool, Witness& w) {
    switch (row) {
    case Row::step: return start(host, operating.with(w), w);
    case Row::engine_pool:
    case Row::own_pool: return start(host, blocking.with(pool, w), w);
    case Row::child: return start(host, calling.with(w), w);
    case Row::timer: return start(host, sleeping.with(w), w);
    default: return start(host, asking.with(w), w);
    }
}
class Elsewhere {  // a context with its own thread
public:
    void read(awaitable<void> work) { spawn(io_.get_executor(), std::move(work), asio::detached); }
    void run() {
        thread_ = std::jthread([this] { io_.run_for(test::limit); });
    }
    void join() {
        if (thread_.joinable()) thread_.join();
    }

private:
    asio::io_context io_{1};
    std::jthread thread_;
};
// Starts a run and its waiters, which wait or are about to when begin() returns. `waiters` is the number of waiters.
struct Scene {
    Witness w;
    Pool pool;  // a user's pool, which outlives its engine
    Elsewhere elsewhere;
    std::vector<std::jthread> threads;
    Handle handle;
    int waiters = 0;

    template <class Host> void begin(Row row, Host& host, Pool& for_run, const Runtime& here, bool watched = true) {
        handle = start(host, row, for_run, w);
        if (row == Row::reader_elsewhere) {
            elsewhere.read(handle.result());
            elsewhere.read(handle.events());
            elsewhere.run();
            waiters = 2;
        } else if (row == Row::thread) {
            if constexpr (std::is_same_v<Host, Engine>)
                for (auto& work : {handle.result, handle.events})
                    threads.emplace_back([&host, make = work] { host.wait(make()); });
            waiters = 2;
        } else if (row == Row::reader_here) {
            spawn(here, handle.result(), asio::detached);
            spawn(here, handle.events(), asio::detached);
            waiters = 2;
        } else if (watched) {
            spawn(here, handle.result(), asio::detached);
            waiters = 1;
        }
    }
    bool all_wait() const { return w.begun == waiters + 1; }
    void join() {
        elsewhere.join();
        threads.clear();
    }
    void check_told() {
        join();
        CHECK(w.told == waiters);
        CHECK(w.clear());
    }
};
}

TEST_SUITE_BEGIN("threads");
TEST_CASE("an engine ends all its runs when it is destroyed, and notifies all waiters") {
    for (const Row row : rows) {
        CAPTURE(int(row));
        Scene s;
        {
            Engine engine({.loops = 2});
            s.begin(row, engine, row == Row::engine_pool ? engine.pool() : s.pool, engine.first_runtime());
            REQUIRE(soon([&] { return s.all_wait(); }));
        }
        CHECK(s.w.frames == 0);
        CHECK(s.w.working == 0);
        s.check_told();
    }
}
TEST_CASE("a loop ends all its runs when it is destroyed, and notifies all waiters") {
    for (const Row row : rows) {
        // Impossible: an engine's pool and a thread that waits in it need an engine, not a bare loop.
        if (row == Row::engine_pool || row == Row::thread) continue;
        CAPTURE(int(row));
        Scene s;
        asio::io_context io;
        auto loop = std::make_unique<Loop>(io.get_executor(), Loop::Settings{.context = &io});
        s.begin(row, *loop, s.pool, loop->runtime());
        REQUIRE(soon([&] {
            io.poll();
            return s.all_wait();
        }));
        loop.reset();
        CHECK(s.w.frames == 0);
        CHECK(s.w.working == 0);
        if (row != Row::reader_elsewhere) CHECK(s.w.told == s.waiters);  // in the loop's destructor
        io.restart();
        io.poll();
        s.check_told();
    }
}
TEST_CASE("an engine notifies all waiters on a stopped context when the engine is destroyed") {
    for (const Row row : rows) {
        CAPTURE(int(row));
        Scene s;
        asio::io_context io;
        auto engine = std::make_unique<Engine>(io);
        if (row == Row::thread) {  // impossible: the engine has no thread that could run meanwhile
            auto nothing = []() -> awaitable<void> { co_return; };
            CHECK_THROWS_AS(engine->wait(nothing()), Error);
            continue;
        }
        s.begin(row, *engine, row == Row::engine_pool ? engine->pool() : s.pool, engine->first_runtime());
        std::thread runner([&] { io.run(); });
        const bool begun = soon([&] { return s.all_wait(); });
        io.stop();
        runner.join();
        REQUIRE(begun);
        CHECK(s.w.told == 0);
        CHECK(s.w.went_on == 0);
        engine.reset();
        CHECK(s.w.frames == 0);
        CHECK(s.w.working == 0);
        io.restart();
        io.poll();
        s.check_told();
    }
}
TEST_CASE("a cancelled run ends all its parts, and notifies all waiters") {
    for (const Row row : rows) {
        CAPTURE(int(row));
        Scene s;
        Engine engine({.loops = 2});
        s.begin(row, engine, row == Row::engine_pool ? engine.pool() : s.pool, engine.first_runtime());
        REQUIRE(soon([&] { return s.all_wait(); }));
        s.handle.cancel();
        CHECK(soon([&] { return s.w.told == s.waiters && s.w.clear(); }));
        s.check_told();
    }
}
TEST_CASE("a run continues without a handle until its engine is destroyed") {
    for (const Row row : rows) {
        CAPTURE(int(row));
        Scene s;
        {
            Engine engine({.loops = 2});
            s.begin(row, engine, row == Row::engine_pool ? engine.pool() : s.pool, engine.first_runtime(), false);
            s.handle = {};
            REQUIRE(soon([&] { return s.all_wait(); }));
            CHECK(s.w.told == 0);
            const bool has_frame = row == Row::step || row == Row::engine_pool || row == Row::own_pool ||
                                   row == Row::child || row == Row::timer;
            CHECK((s.w.frames > 0) == has_frame);
        }
        s.check_told();
    }
}

namespace {
template <class R> awaitable<int> wait_and_tidy_up(R run, asio::any_io_executor executor, std::atomic<bool>& begun) {
    begun = true;
    try {
        (void)co_await run.result();
    } catch (const RunError&) {}
    for (int turns = 0; turns < 5; ++turns) co_await asio::post(executor, asio::deferred);
    co_return 7;
}
}
TEST_CASE("a waiting thread gets the value that its coroutine returns after the engine has cancelled the run") {
    for (const unsigned loops : {1u, 2u}) {
        Witness w;
        std::atomic<bool> begun = false;
        std::future<int> waiting;
        {
            Engine engine({.loops = loops});
            engine.start(asking.with(w), {});
            auto run = engine.start(asking.with(w), {});  // on the other loop, if there is one
            waiting = std::async(std::launch::async, [&] {
                return engine.wait(wait_and_tidy_up(run, engine.first_runtime().executor, begun));
            });
            REQUIRE(soon([&] { return begun.load(); }));
        }
        CHECK(waiting.get() == 7);
    }
}

namespace {
template <class R> awaitable<void> poll(R run, std::atomic<int>& given_up) {
    for (bool more = true; more;) try {
            auto wait = run.next_event();
            auto event = co_await with_timeout(20us, std::move(wait));
            more = event.has_value();
        } catch (const Error&) { ++given_up; }
}
}
TEST_CASE("readers that begin, read and stop on another thread are notified of the engine's end") {
    for (int k = 0; k < 20; ++k) {
        Witness w;
        asio::io_context io;
        std::atomic<int> given_up = 0, ended = 0;
        std::jthread thread;
        {
            Engine engine({.loops = 2});
            for (int i = 0; i < 8; ++i)
                spawn(io.get_executor(), poll(engine.start(asking.with(w), {}), given_up),
                      [&](std::exception_ptr) { ++ended; });
            thread = std::jthread([&] { io.run_for(test::limit); });
            CHECK(soon([&] { return given_up > k; }));
        }
        thread.join();
        CHECK(ended == 8);
    }
}
TEST_CASE("an event waits for the next reader when a reader on another thread has not taken it in time") {
    Witness w;
    asio::io_context io;
    Engine engine;
    auto run = engine.start(asking.with(w), {});
    bool asked = false;
    const auto read = [](auto r, bool& asked) -> awaitable<void> {
        while (!asked) try {
                auto wait = r.next_event();
                auto event = co_await with_timeout(1us, std::move(wait));
                asked = event && event->template get_if<AskEvent>();
            } catch (const Error&) {}
    };
    spawn(io.get_executor(), read(run, asked), asio::detached);
    io.run_for(test::limit);
    CHECK(asked);
}
TEST_CASE("a coroutine on a destroyed context waits for its blocking work, and notifies waiters elsewhere") {
    Witness w;
    Pool pool;
    asio::io_context elsewhere;
    std::exception_ptr error;
    {
        asio::io_context io;
        const auto hold = [](Pool& p, Witness& w) -> awaitable<void> {
            Context ctx;
            GoEvent go;
            (void)co_await block(ctx, std::move(go), p, w);
        };
        spawn(io.get_executor(), hold(pool, w),
              asio::bind_executor(elsewhere.get_executor(), [&](std::exception_ptr e) { error = e; }));
        REQUIRE(soon([&] {
            io.poll();
            return w.begun == 1;
        }));
    }
    CHECK(w.clear());
    elsewhere.run();
    REQUIRE(error);
    CHECK_THROWS_AS(std::rethrow_exception(error), boost::system::system_error);
}
TEST_SUITE_END();
