// Idle runs: their awaited answers, readable on any thread and on the stream.
#include "engine/all.hpp"
#include "engine/engine.hpp"
#include "engine/observer.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
#include <functional>
#include <thread>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {
    int depth = 0;
};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {
    bool again = false;
};
struct EndEvent : StopEvent {};
AskEvent ask(Context&, GoEvent) { return {}; }
std::variant<AskEvent, EndEvent> weigh(Context&, ReplyEvent e) {
    if (e.again) return AskEvent{};
    return EndEvent{};
}
inline constexpr auto asking = workflow("asking", step<ask>, step<weigh>);
constexpr auto asks = "the run is idle: it waits for an answer to AskEvent (ReplyEvent, for step weigh)";

awaitable<EndEvent> call(Context& ctx, GoEvent e) {
    if (e.depth > 0) {
        GoEvent deeper{.depth = e.depth - 1};
        co_return co_await ctx.run(asking, std::move(deeper));
    }
    GoEvent go;
    auto work = ctx.run(asking, std::move(go));
    co_return co_await with_timeout(1h, std::move(work));
}
inline constexpr auto calling = workflow("calling", step<call>);

struct PartEvent {
    bool deep = false;
};
struct DoneEvent {};
std::vector<PartEvent> split(Context&, GoEvent) { return {{false}, {true}, {false}, {false}}; }
awaitable<DoneEvent> delegate(Context& ctx, PartEvent part) {
    GoEvent go{.depth = 1};
    if (part.deep) (void)co_await ctx.run(calling, std::move(go));
    else (void)co_await ctx.run(asking, std::move(go));
    co_return DoneEvent{};
}
EndEvent join(Context&, std::vector<DoneEvent>) { return {}; }
inline constexpr auto spreading = workflow("spreading", step<split>, step<delegate>.workers(3), step<join>);

template <class R> awaitable<void> answer_all(R run, int& answered) {
    while (auto event = co_await run.next_event())
        if (event->template get_if<AskEvent>()) {
            ++answered;
            run.send_to_child(ReplyEvent{}, event->question());
        }
}
template <class R> awaitable<void> note_questions(R run, std::vector<QuestionId>& open) {
    while (auto event = co_await run.next_event())
        if (event->template get_if<AskEvent>()) open.push_back(event->question());
}
template <class Condition> bool soon(Condition condition) {
    const auto end = std::chrono::steady_clock::now() + test::limit;
    while (!condition() && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    return condition();
}
}

TEST_CASE("a parent is idle when all its steps wait for idle children, and says what these wait for") {
    World w;
    auto run = w.loop.start(spreading, {});
    CHECK(!run.idle());
    w.io.run();
    CHECK(run.idle());  // although a fourth part waits for a worker
    const auto open = run.diagnosis();
    CHECK(open.starts_with("the run is idle: it waits for an answer to AskEvent (ReplyEvent, for step weigh)"));
    CHECK(open.find("in workflow asking") != std::string::npos);
    int answered = 0;
    w.spawn(answer_all(run, answered));
    w.turn();
    CHECK(answered == 4);
    CHECK(run.ended());
    CHECK(!run.idle());
    CHECK(run.diagnosis() == "the run has ended");
}
namespace {
struct Called {  // a run whose child has asked its first question
    std::vector<QuestionId> questions;
    World w;
    RunOf<calling> run;
    explicit Called(const RunOptions& options = {}) : run(w.loop.start(calling, {.depth = 1}, options)) {
        w.spawn(note_questions(run, questions));
        w.io.run();
        REQUIRE(questions.size() == 1);
    }
    void answer(ReplyEvent reply, QuestionId question) {
        run.send_to_child(std::move(reply), question);
        w.turn();
    }
};
}
TEST_CASE("a parent is idle each time that its child waits again") {
    Called c;
    auto& questions = c.questions;
    auto& run = c.run;
    for (std::size_t asked = 1; asked <= 3; ++asked) {
        REQUIRE(questions.size() == asked);
        CHECK(run.idle());
        run.send_to_child(ReplyEvent{.again = asked < 3}, questions.back());
        CHECK(!run.idle());
        c.w.turn();
    }
    CHECK(run.ended());
}
TEST_CASE("an id of an answered or unknown question of a child addresses no other question") {
    Called c;
    auto& questions = c.questions;
    auto& run = c.run;
    c.answer({.again = true}, questions[0]);
    REQUIRE(questions.size() == 2);
    const auto id = std::uint64_t(questions[1]);
    for (const auto wrong : {std::uint64_t(questions[0]), id ^ (std::uint64_t{1} << 40), id + 1, id | 0xffff'ffff}) {
        c.answer({}, QuestionId(wrong));
        CHECK(run.idle());
    }
    c.answer({}, questions[1]);
    CHECK(run.ended());
}
TEST_CASE("an observer's answer to a child's question is too late while another answer closes the question") {
    struct Eager : Observer {
        std::function<void()> answer;
        void question_answered(const RunInfo&, std::string_view, QuestionId) noexcept override {
            if (const auto now = std::exchange(answer, nullptr)) now();
        }
    } eager;
    Called c({.observer = &eager});
    auto& questions = c.questions;
    auto& run = c.run;
    eager.answer = [&c] { c.run.send_to_child(ReplyEvent{}, c.questions[0]); };
    c.answer({.again = true}, questions[0]);
    CHECK(questions.size() == 2);
    CHECK(run.idle());
}
TEST_CASE("a parent waiting for a child within a timeout is not idle") {
    World w;
    auto timed = w.loop.start(calling, {.depth = 0});
    auto plain = w.loop.start(calling, {.depth = 1});
    w.io.poll();
    CHECK(!timed.idle());
    CHECK(plain.idle());
}
namespace {
awaitable<void> ask_one(Context& ctx) {
    GoEvent go;
    (void)co_await ctx.run(asking, std::move(go));
}
awaitable<void> ask_two(Context& ctx) {
    auto one = ask_one(ctx), two = ask_one(ctx);
    (void)co_await all(std::move(one), std::move(two));
}
awaitable<void> an_hour() { co_await sleep_for(1h); }
awaitable<EndEvent> ask_several(Context& ctx, GoEvent) {
    auto one = ask_one(ctx), two = ask_two(ctx), pause = an_hour();
    (void)co_await all(std::move(one), std::move(two), std::move(pause));
    co_return EndEvent{};
}
inline constexpr auto several = workflow("several", step<ask_several>);
}
TEST_CASE("a parent is idle when each open part of its all() waits for an idle child") {
    testing::ManualClock clock;
    World w(clock);
    auto run = w.loop.start(several, {}, {.tell_idle = true});
    std::vector<std::string> names;
    std::vector<QuestionId> questions;
    auto read = [&]() -> awaitable<void> {
        while (auto event = co_await run.next_event()) {
            names.emplace_back(event->name());
            if (event->get_if<AskEvent>()) questions.push_back(event->question());
        }
    };
    w.spawn(read());
    w.turn();
    CHECK(questions.size() == 3);
    CHECK(!run.idle());  // the run waits for a time
    clock.advance(1h);
    w.turn();
    CHECK(run.idle());
    for (const auto question : questions) {
        CHECK(run.idle());
        run.send_to_child(ReplyEvent{}, question);
        w.turn();
    }
    CHECK(run.ended());
    CHECK(names == std::vector<std::string>{"AskEvent", "AskEvent", "AskEvent", "RunIdleEvent", "RunIdleEvent",
                                            "RunIdleEvent", "EndEvent"});
}
TEST_CASE("a parent waits for nothing of a cancelled all()") {
    testing::ManualClock clock;
    World w(clock);
    auto run = w.loop.start(several, {});
    w.turn();
    run.cancel();
    w.turn();
    CHECK(run.ended());
}
TEST_CASE("run() names the child's question for which it would wait for ever") {
    std::string why;
    try {
        (void)run(calling, {.depth = 1});
    } catch (const RunError& e) {
        CHECK(e.code() == Code::idle);
        why = e.what();
    }
    CHECK(why == std::string(asks) + " in workflow asking");
}
TEST_CASE("a run with tell_idle streams an event each time that it becomes idle, with the awaited answers") {
    testing::Recorder seen;
    int rounds = 0;
    testing::run(asking, {}, {.recorder = &seen, .run = {.tell_idle = true}}, [&](auto& run, const AnyEvent& e) {
        if (e.get_if<RunIdleEvent>()) run.send(ReplyEvent{.again = ++rounds < 3});
    });
    CHECK(seen.names() == std::vector<std::string>{"AskEvent", "RunIdleEvent", "AskEvent", "RunIdleEvent", "AskEvent",
                                                   "RunIdleEvent", "EndEvent"});
    CHECK(seen.all<RunIdleEvent>()[0].waits_for == "an answer to AskEvent (ReplyEvent, for step weigh)");
    std::vector<std::string> names;  // outlives the loop, whose destructor resumes the reader
    World w;
    auto run = w.loop.start(asking, {});
    w.spawn(record(run, names));
    w.io.run();
    CHECK(names == std::vector<std::string>{"AskEvent"});  // only on request
}

TEST_SUITE_BEGIN("threads");
TEST_CASE("any thread may read whether a run is idle, what it waits for, and whether it has ended") {
    Engine engine({.loops = 2});
    auto run = engine.start(asking, {});
    REQUIRE(soon([&] { return run.idle(); }));
    CHECK(run.diagnosis() == asks);
    CHECK(!run.ended());
    CHECK_THROWS_WITH_AS(run.outcome(), asks, RunError);
    run.send(ReplyEvent{});
    REQUIRE(soon([&] { return run.ended(); }));
    CHECK(!run.idle());
    CHECK(run.diagnosis() == "the run has ended");
    (void)run.outcome();
}
TEST_CASE("a run's state is readable when its loop has stopped") {
    asio::io_context io;
    Engine engine(io);
    auto idle = engine.start(spreading, {});
    io.poll();
    auto begun = engine.start(asking, {});  // no thread runs the context
    std::jthread([&] {
        CHECK(idle.idle());
        CHECK(idle.diagnosis().starts_with(asks));
        CHECK(!begun.idle());
        CHECK(begun.diagnosis().find("its loop does not answer") != std::string::npos);
        CHECK(!begun.ended());
    });
}
TEST_CASE("a run's state may be read while it alternates between idle and busy, also on its loop") {
    Engine engine({.loops = 2});
    auto a = engine.start(spreading, {}), b = engine.start(spreading, {});
    std::atomic<bool> over = false;
    const auto look = [](auto r, std::atomic<bool>& over) -> awaitable<void> {
        while (!over && !r.ended()) {
            (void)r.diagnosis();
            (void)r.idle();
            co_await sleep_for(1us);
        }
    };
    asio::io_context io;
    std::vector<std::jthread> threads;
    for (auto& run : {a, b})
        threads.emplace_back([&, run] { engine.wait(look(run, over)); });  // one of them from elsewhere
    threads.emplace_back([&] {
        while (!over) (void)a.diagnosis(), (void)b.diagnosis();
    });
    int answered = 0;
    const auto answer = [](auto r, int& answered) -> awaitable<void> {
        while (auto event = co_await r.next_event())
            if (event->template get_if<AskEvent>())
                r.send_to_child(ReplyEvent{.again = ++answered % 50 != 0}, event->question());
    };
    spawn(io.get_executor(), answer(a, answered), [](std::exception_ptr) {});
    spawn(io.get_executor(), answer(b, answered), [](std::exception_ptr) {});
    io.run_for(test::limit);
    CHECK(a.ended());
    CHECK(b.ended());
    over = true;
}
TEST_SUITE_END();

namespace {
struct DozeEvent {};
DozeEvent nod(Context&, ReplyEvent) { return {}; }
awaitable<EndEvent> doze(Context&, DozeEvent) {
    co_await sleep_for(1h);
    co_return EndEvent{};
}
inline constexpr auto dozing = workflow("dozing", step<ask>, step<nod>, step<doze>);
awaitable<EndEvent> call_dozing(Context& ctx, GoEvent) {
    GoEvent go;
    co_return co_await ctx.run(dozing, std::move(go));
}
inline constexpr auto calling_dozing = workflow("calling_dozing", step<call_dozing>);
}
TEST_CASE("a parent is busy again when its child is busy, also when the child waits for a time") {
    int answered = 0;
    testing::ManualClock clock;
    World w(clock);
    auto run = w.loop.start(calling_dozing, {});
    w.io.run();
    CHECK(run.idle());
    w.spawn(answer_all(run, answered));
    w.turn();
    CHECK(answered == 1);
    CHECK_FALSE(run.idle());
    clock.advance(2h);
    w.turn();
    CHECK(run.ended());
}
