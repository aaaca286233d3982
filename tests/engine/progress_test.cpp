// The progress of a run's fan-outs on its stream, in virtual time, with one branch per minute.
#include "engine/durable.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct PartsEvent : StartEvent {
    std::vector<int> minutes;  // for each part
};
BOOST_DESCRIBE_STRUCT(PartsEvent, (), (minutes))
struct PartEvent {
    int minutes = 0;
};
BOOST_DESCRIBE_STRUCT(PartEvent, (), (minutes))
struct PartDoneEvent {};
BOOST_DESCRIBE_STRUCT(PartDoneEvent, (), ())
struct AllDoneEvent {};
BOOST_DESCRIBE_STRUCT(AllDoneEvent, (), ())
struct EndEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(EndEvent, (), ())

std::vector<PartEvent> divide(Context&, PartsEvent e) {
    std::vector<PartEvent> parts;
    for (int m : e.minutes) parts.push_back({m});
    return parts;
}
awaitable<PartDoneEvent> do_part(Context&, PartEvent e) {
    co_await sleep_for(std::chrono::minutes(e.minutes));
    co_return PartDoneEvent{};
}
AllDoneEvent collect(Context&, std::vector<PartDoneEvent>) { return {}; }
awaitable<EndEvent> tidy_up(Context&, AllDoneEvent) {
    co_await sleep_for(1h);
    co_return EndEvent{};
}
constexpr auto dividing = workflow("dividing", step<divide>, step<do_part>.workers(1000), step<collect>, step<tidy_up>);
constexpr auto choosing = workflow("choosing", step<divide>, step<do_part>.workers(1000), step<collect>.first(1),
                                   step<tidy_up>);

struct BoxEvent {
    std::vector<int> minutes;
};
struct BoxDoneEvent {};
std::vector<BoxEvent> pack(Context&, PartsEvent e) {
    std::vector<BoxEvent> boxes{{e.minutes}, {e.minutes}};
    for (int& m : boxes.back().minutes) m += 10;
    return boxes;
}
std::vector<PartEvent> unpack(Context&, BoxEvent e) {
    std::vector<PartEvent> parts;
    for (int m : e.minutes) parts.push_back({m});
    return parts;
}
BoxDoneEvent close_box(Context&, std::vector<PartDoneEvent>) { return {}; }
AllDoneEvent close_all(Context&, std::vector<BoxDoneEvent>) { return {}; }
constexpr auto nesting = workflow("nesting", step<pack>, step<unpack>, step<do_part>.workers(1000), step<close_box>,
                                  step<close_all>, step<tidy_up>);

using Told = std::vector<std::string>;
Told told_in(const testing::Recorder& seen) {
    Told told;
    for (const auto& each : seen.all<RunProgressEvent>())
        told.push_back(std::to_string(each.settled) + " of " + std::to_string(each.begun));
    return told;
}
template <class W> Told told_by(const W& workflow, std::vector<int> minutes) {
    testing::Recorder seen;
    testing::run(workflow, {.minutes = std::move(minutes)}, {.recorder = &seen, .run = {.tell_progress = true}});
    return told_in(seen);
}
}

TEST_CASE("a run with progress streams the number of settled branches whenever a branch settles") {
    CHECK(told_by(dividing, {3, 1, 2}) == Told{"0 of 3", "1 of 3", "2 of 3", "3 of 3"});
    CHECK(told_by(dividing, {}).empty());

    testing::Recorder seen;
    testing::run(dividing, {.minutes = {1, 2}}, {.recorder = &seen});
    CHECK(seen.names() == std::vector<std::string>{"EndEvent"});
}
TEST_CASE("an outer branch settles when its inner fan-out has, whose branches count too") {
    CHECK(told_by(nesting, {1, 2}) == Told{"0 of 6", "1 of 6", "3 of 6", "4 of 6", "6 of 6"});
}
TEST_CASE("a fan-out's branches are all settled when a collector runs with the first one") {
    CHECK(told_by(choosing, {1, 2, 3}) == Told{"0 of 3", "3 of 3"});
}
TEST_CASE("a run of a thousand branches streams its progress about a hundred times") {
    std::vector<int> minutes;
    for (int i = 1; i <= 1000; ++i) minutes.push_back(i);

    const auto told = told_by(dividing, minutes);

    REQUIRE(told.size() == 101);
    CHECK(told[1] == "10 of 1000");
    CHECK(told.back() == "1000 of 1000");
}
TEST_CASE("a resumed run counts its open branches as begun") {
    testing::ManualClock clock;
    MemoryStore store;
    const auto workflow = durable<>(dividing);
    {
        World first(clock, &store);
        auto run = first.loop.start(workflow, {.minutes = {1, 2, 3}}, {.id = "r"});
        first.turn();
        clock.advance(1min);
        first.turn();
        CHECK_FALSE(run.ended());
    }
    clock.advance(10min);  // the lease is over
    testing::Recorder seen;
    World second(clock, &store);
    auto run = dying::resume_on(second.loop, workflow, "r", {.tell_progress = true});
    second.spawn([](auto run, auto& seen) -> awaitable<void> {
        while (auto event = co_await run.next_event()) seen.add(std::move(*event));
    }(run, seen));
    do second.turn();
    while (!run.ended() && clock.jump());

    CHECK(told_in(seen) == Told{"0 of 2", "1 of 2", "2 of 2"});
}
