// An observer is notified of each invocation of a run once, with its number, its event and its attempt.
#include "engine/core/loop/run_extras.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <algorithm>
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;
using Lines = std::vector<std::string>;

namespace {
struct Notes final : Observer {
    Lines lines;
    void step_started(const StepInfo& s) noexcept override { lines.push_back("+" + text(s)); }
    void step_ended(const StepInfo& s, bool failed) noexcept override {
        lines.push_back((failed ? "!" : "-") + text(s));
    }
    static std::string text(const StepInfo& s) {
        return std::to_string(s.number) + " " + std::string(s.name) + "(" + std::string(s.event) + ") " +
               std::to_string(s.attempt);
    }
};
struct GoEvent : StartEvent {
    int n = 0;
};
struct PartEvent {
    int i = 0;
};
struct DoneEvent {};
struct EndEvent : StopEvent {};
std::vector<PartEvent> split(Context&, GoEvent e) {
    std::vector<PartEvent> all;
    for (int i = 0; i < e.n; ++i) all.push_back({i});
    return all;
}
DoneEvent at_once(Context& ctx, PartEvent) {
    if (ctx.attempt() < 3) throw std::runtime_error("not yet");
    return {};
}
awaitable<DoneEvent> later(Context& ctx, PartEvent e) {
    co_await sleep_for(e.i == 0 ? 3s : 1s);
    if (e.i == 1 && ctx.attempt() == 1) throw std::runtime_error("not yet");
    co_return DoneEvent{};
}
EndEvent join(Context&, std::vector<DoneEvent>) { return {}; }
inline constexpr auto quick = workflow("quick", step<split>, step<at_once>.retry({.attempts = 3, .wait = fixed(1s)}),
                                       step<join>);
inline constexpr auto slow = workflow("slow", step<split>, step<later>.retry({.attempts = 2, .wait = fixed(5s)}),
                                      step<join>);
inline constexpr auto hasty = workflow("hasty", step<split>, step<later>.timeout(2s), step<join>);
}

TEST_CASE("an observer is notified of the beginning and the end of every attempt, in order") {
    Notes notes;
    testing::run(quick, {.n = 1}, {.run = {.observer = &notes}});
    CHECK(notes.lines == Lines{"+1 split(GoEvent) 1", "-1 split(GoEvent) 1", "+2 at_once(PartEvent) 1",
                               "!2 at_once(PartEvent) 1", "+3 at_once(PartEvent) 2", "!3 at_once(PartEvent) 2",
                               "+4 at_once(PartEvent) 3", "-4 at_once(PartEvent) 3", "+5 join(DoneEvent) 1",
                               "-5 join(DoneEvent) 1"});
}
TEST_CASE("steps waiting at the same time keep their numbers to the end") {
    Notes notes;
    testing::run(slow, {.n = 3}, {.run = {.observer = &notes}});
    CHECK(notes.lines == Lines{"+1 split(GoEvent) 1", "-1 split(GoEvent) 1", "+2 later(PartEvent) 1",
                               "+3 later(PartEvent) 1", "+4 later(PartEvent) 1", "!3 later(PartEvent) 1",
                               "-4 later(PartEvent) 1", "-2 later(PartEvent) 1", "+5 later(PartEvent) 2",
                               "-5 later(PartEvent) 2", "+6 join(DoneEvent) 1", "-6 join(DoneEvent) 1"});
}
TEST_CASE("an observer is notified of each step that a failure, a timeout or a cancel ends") {
    Notes failing;
    CHECK_THROWS_AS(testing::run(hasty, {.n = 2}, {.run = {.observer = &failing}}), RunError);
    CHECK(failing.lines == Lines{"+1 split(GoEvent) 1", "-1 split(GoEvent) 1", "+2 later(PartEvent) 1",
                                 "+3 later(PartEvent) 1", "!3 later(PartEvent) 1", "!2 later(PartEvent) 1"});
    Notes timing_out;
    CHECK_THROWS_AS(testing::run(slow, {.n = 1}, {.run = {.timeout = 2s, .observer = &timing_out}}), RunError);
    CHECK(timing_out.lines.back() == "!2 later(PartEvent) 1");
    CHECK(timing_out.lines.size() == 4);

    Notes cancelled;
    testing::ManualClock clock;
    World w(clock);
    auto run = w.loop.start(slow, {.n = 2}, {.observer = &cancelled});
    w.turn();
    run.cancel();
    w.turn();
    CHECK(run.ended());
    CHECK(cancelled.lines.size() == 6);
    CHECK(std::count_if(cancelled.lines.begin(), cancelled.lines.end(), [](auto& l) { return l[0] == '!'; }) == 2);
}
