// Notifications of observers about runs, steps, retries, questions, joins and children.
#include "engine/engine.hpp"
#include "engine/observer.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct Diary : Observer {
    std::vector<std::string> lines;
    std::vector<std::string> ids, parents;
    void note(const Observer::RunInfo& run, std::string text) {
        lines.push_back(std::string(run.workflow) + ": " + std::move(text));
    }
    static std::string text(const StepInfo& s) {
        return std::string(s.name) + "(" + std::string(s.event) +
               (s.events == 1 ? "" : " " + std::to_string(s.events)) + ") " + std::to_string(s.number) + "." +
               std::to_string(s.attempt) + " worker " + std::to_string(s.worker);
    }
    void run_queued(const RunInfo& r) noexcept override { note(r, "queued"); }
    void run_started(const RunInfo& r) noexcept override {
        note(r, "started");
        ids.emplace_back(r.id);
        parents.emplace_back(r.parent);
    }
    void run_idle(const RunInfo& r, std::string_view waits_for) noexcept override {
        note(r, "idle, for " + std::string(waits_for).substr(0, 21));
    }
    void run_ended(const RunInfo& r, RunStatus status) noexcept override { note(r, std::string(metric_word(status))); }
    void step_started(const StepInfo& s) noexcept override { note(s.run, text(s)); }
    void step_ended(const StepInfo& s, bool failed) noexcept override {
        std::string line = "  " + std::string(s.name) + " ->";
        for (auto e : s.emitted) line += " " + std::string(e);
        CHECK(failed == bool(s.error));
        if (failed) line += " failed: " + sentence_of(s.error);
        note(s.run, line);
    }
    void step_retried(const StepInfo& s, std::chrono::nanoseconds wait) noexcept override {
        note(s.run, "  " + std::string(s.name) + " again in " + in_seconds(wait));
    }
    void question_asked(const RunInfo& r, std::string_view q, QuestionId) noexcept override {
        note(r, "asked " + std::string(q));
    }
    void question_answered(const RunInfo& r, std::string_view q, QuestionId) noexcept override {
        note(r, "answered " + std::string(q));
    }
};
using Lines = std::vector<std::string>;

struct GoEvent : StartEvent {};
struct EndEvent : StopEvent {};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
struct LeftEvent {};
struct RightEvent {};
struct FlakyEvent {};

std::vector<std::variant<LeftEvent, FlakyEvent, AskEvent>> split(Context&, GoEvent) {
    return {LeftEvent{}, FlakyEvent{}, AskEvent{}};
}
RightEvent flaky(Context& ctx, FlakyEvent) {
    if (ctx.attempt() == 1) throw std::runtime_error("not yet");
    return {};
}
struct MetEvent {};
struct HeardEvent {};
MetEvent meet(Context&, LeftEvent, RightEvent) { return {}; }
HeardEvent hear(Context&, ReplyEvent) { return {}; }
EndEvent finish(Context&, std::vector<std::variant<MetEvent, HeardEvent>>) { return {}; }
inline constexpr auto all = workflow("all", step<split>, step<flaky>.retry({.attempts = 2, .wait = fixed(3s)}),
                                     step<meet>, step<hear>, step<finish>);
}
TEST_CASE("an observer is notified of every attempt, retry, join, question and end, in order") {
    Diary diary;
    testing::run(all, {}, {.run = {.observer = &diary}}, [](auto& run, const AnyEvent& e) {
        if (e.get_if<AskEvent>()) run.send(ReplyEvent{}, e.question());
    });
    CHECK(diary.lines == Lines{
                             "all: started",
                             "all: split(GoEvent) 1.1 worker 0",
                             "all:   split -> LeftEvent FlakyEvent AskEvent",
                             "all: asked AskEvent",
                             "all: flaky(FlakyEvent) 2.1 worker 0",
                             "all:   flaky -> failed: not yet",
                             "all:   flaky again in 3 s",
                             "all: answered AskEvent",
                             "all: hear(ReplyEvent) 3.1 worker 0",
                             "all:   hear -> HeardEvent",
                             "all: flaky(FlakyEvent) 4.2 worker 0",
                             "all:   flaky -> RightEvent",
                             "all: meet(LeftEvent 2) 5.1 worker 0",
                             "all:   meet -> MetEvent",
                             "all: finish(MetEvent 2) 6.1 worker 0",
                             "all:   finish -> EndEvent",
                             "all: stopped",
                         });
}

namespace {
struct PartEvent {
    int i = 0;
};
struct DoneEvent {};
std::vector<PartEvent> parts(Context&, GoEvent) { return {{3}, {1}, {2}, {1}}; }
awaitable<DoneEvent> work(Context&, PartEvent e) {
    co_await sleep_for(std::chrono::seconds(e.i));
    co_return DoneEvent{};
}
EndEvent done(Context&, std::vector<DoneEvent>) { return {}; }
inline constexpr auto workers = workflow("workers", step<parts>, step<work>.workers(2), step<done>);
}
TEST_CASE("each invocation has its own worker, the lowest free number") {
    struct : Observer {
        std::vector<std::uint32_t> workers;
        void step_started(const StepInfo& s) noexcept override {
            if (s.name == "work") workers.push_back(s.worker);
        }
    } seen;
    testing::run(workers, {}, {.run = {.observer = &seen}});
    CHECK(seen.workers == std::vector<std::uint32_t>{0, 1, 1, 0});
}

namespace {
AskEvent ask(Context&, GoEvent) { return {}; }
EndEvent answered(Context&, ReplyEvent) { return {}; }
inline constexpr auto inner = workflow("inner", step<ask>, step<answered>);
awaitable<EndEvent> call(Context& ctx, GoEvent) {
    GoEvent go;
    co_await ctx.run(inner, std::move(go));
    co_return EndEvent{};
}
inline constexpr auto outer = workflow("outer", step<call>);
}
TEST_CASE("an observer of a run is notified of its children, their parents, and their idleness") {
    Diary diary;
    World w;
    auto run = w.loop.start(outer, {}, {.id = "root", .observer = &diary});
    w.io.run();
    CHECK(run.idle());
    CHECK(diary.parents == Lines{"", "root"});
    CHECK(diary.ids.size() == 2);
    CHECK(diary.ids[1] != "root");
    CHECK(diary.lines == Lines{"outer: started", "outer: call(GoEvent) 1.1 worker 0", "inner: started",
                               "inner: ask(GoEvent) 1.1 worker 0", "inner:   ask -> AskEvent", "inner: asked AskEvent",
                               "inner: idle, for an answer to AskEvent", "outer: idle, for an answer to AskEvent"});
    diary.lines.clear();
    run.cancel();
    w.turn();
    REQUIRE(diary.lines.size() == 3);
    CHECK(diary.lines[0] == "inner: cancelled");
    CHECK(diary.lines[1].starts_with("outer:   call -> failed: Operation canceled"));
    CHECK(diary.lines[2] == "outer: cancelled");
}

namespace {
struct SleepEvent {};
SleepEvent wake_up(Context&, ReplyEvent) { return {}; }
awaitable<EndEvent> sleep_on(Context&, SleepEvent) {
    co_await sleep_for(24h);
    co_return EndEvent{};
}
inline constexpr auto sleeping = workflow("sleeping", step<ask>, step<wake_up>, step<sleep_on>);
}
TEST_CASE("an observer may answer when it is notified of an idle run, and the run is then busy") {
    struct : Observer {
        std::function<void()> answer;
        int heard = 0;
        void run_idle(const RunInfo&, std::string_view) noexcept override {
            if (++heard == 1) answer();
        }
    } eager;
    World w;
    auto run = w.loop.start(sleeping, {}, {.observer = &eager});
    eager.answer = [&] { run.send(ReplyEvent{}); };
    while (w.io.run_one_for(200ms)) {}
    CHECK(eager.heard == 1);
    CHECK_FALSE(run.idle());
    CHECK(run.diagnosis().starts_with("the run is at work: step sleep_on has been running for "));
    eager.answer = nullptr;
}

namespace {
struct NewsEvent {
    int number = 0;
};
EndEvent tell(Context& ctx, GoEvent) {
    ctx.stream(NewsEvent{1});
    return {};
}
inline constexpr auto teller = workflow("teller", step<tell>);
awaitable<EndEvent> tell_twice(Context& ctx, GoEvent go) {
    co_await ctx.run(teller, std::move(go));
    ctx.stream(NewsEvent{2});
    co_return EndEvent{};
}
inline constexpr auto parent = workflow("parent", step<tell_twice>);
struct Hearer : Observer {  // of streamed events and ends
    Lines lines;
    void event_streamed(const RunInfo& run, const AnyEvent& event) noexcept override {
        const auto* news = event.get_if<NewsEvent>();
        lines.push_back(std::string(run.workflow) + ": " + std::string(event.name()) +
                        (news ? " " + std::to_string(news->number) : ""));
    }
    void run_ended(const RunInfo& run, RunStatus status) noexcept override {
        lines.push_back(std::string(run.workflow) + ": " + std::string(metric_word(status)));
    }
};
}
TEST_CASE("an observer gets each streamed event of a run or its child once, and the last one before the end") {
    Hearer hearer;
    testing::Recorder seen;
    testing::run(parent, {}, {.recorder = &seen, .run = {.observer = &hearer}});
    CHECK(hearer.lines == Lines{"teller: NewsEvent 1", "teller: EndEvent", "teller: stopped", "parent: NewsEvent 2",
                                "parent: EndEvent", "parent: stopped"});
    CHECK(seen.all<NewsEvent>().size() == 2);  // the observer has removed no event
}
TEST_CASE("an observer gets a run's end as its last event, also when the run waits for an answer") {
    Hearer hearer;
    World w;
    auto run = w.loop.start(inner, {}, {.observer = &hearer});
    w.turn();
    run.cancel();
    w.turn();
    CHECK(hearer.lines == Lines{"inner: AskEvent", "inner: RunCancelledEvent", "inner: cancelled"});
}
TEST_CASE("an observer's events during the end of a run do not reach the stream") {
    struct : Observer {
        std::function<void()> end;
        void event_streamed(const RunInfo&, const AnyEvent& event) noexcept override {
            if (event.get_if<AskEvent>()) end();
        }
    } ends;
    World w;
    auto run = w.loop.start(inner, {}, {.observer = &ends});
    ends.end = [&] { run.cancel(); };
    w.turn();
    Lines read;
    w.spawn(record(run, read));
    w.turn();
    CHECK(read == Lines{"RunCancelledEvent"});
    ends.end = nullptr;
}

TEST_SUITE("threads") {
    TEST_CASE("an observer of an engine gets all runs of all loops, and an end for each start, also at destruction") {
        struct Count : Observer {
            std::atomic<int> runs = 0, ended_runs = 0, steps = 0, ended_steps = 0;
            void run_started(const RunInfo&) noexcept override { ++runs; }
            void run_ended(const RunInfo&, RunStatus) noexcept override { ++ended_runs; }
            void step_started(const StepInfo&) noexcept override { ++steps; }
            void step_ended(const StepInfo&, bool) noexcept override { ++ended_steps; }
        } count;
        {
            Engine engine({.loops = 2, .observer = &count});
            for (int i = 0; i < 100; ++i) {
                (void)engine.start(outer, {});
                (void)engine.start(workers, {});
            }
            while (count.steps < 100) std::this_thread::yield();
        }
        CHECK(count.runs > 0);
        CHECK(count.runs == count.ended_runs);
        CHECK(count.steps == count.ended_steps);
    }
}
TEST_CASE("each status has its own word for metrics") {
    CHECK(metric_word(RunStatus::running) == "none");
    CHECK(metric_word(RunStatus::done) == "stopped");
    CHECK(metric_word(RunStatus::failed) == "failed");
    CHECK(metric_word(RunStatus::timed_out) == "timed_out");
    CHECK(metric_word(RunStatus::cancelled) == "cancelled");
}

namespace {
awaitable<EndEvent> doze(Context& ctx, GoEvent) {
    co_await ctx.sleep(72h);
    co_return EndEvent{};
}
inline constexpr auto dozing = workflow("dozing", step<doze>);
}
TEST_CASE("an observer is notified of a sleep and of its end") {
    struct : Observer {
        std::vector<std::string> steps;
        std::vector<WallTime> ends;
        void step_sleeps(const StepInfo& s, WallTime until) noexcept override {
            steps.push_back(std::string(s.name) + " " + std::to_string(s.number));
            ends.push_back(until);
        }
    } seen;
    const auto begin = testing::ManualClock().wall();
    testing::run(dozing, {}, {.run = {.observer = &seen}});
    CHECK(seen.steps == std::vector<std::string>{"doze 1"});
    CHECK(seen.ends == std::vector{begin + 72h});
}
