// Failure handlers, their failures, and the data of the failures.
#include "engine/graph.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {
    std::string text;
};
struct LeftEvent {
    std::string text;
};
struct RightEvent {
    std::string text;
};
struct DoneEvent {
    std::string text;
};
struct EndEvent : StopEvent {
    std::vector<std::string> texts;
};
struct Refusal : Error {
    Refusal() : Error(Code::model_refused, "the model has refused") {}
};

std::vector<std::variant<LeftEvent, RightEvent>> split(Context&, GoEvent e) {
    return {LeftEvent{e.text + " left"}, RightEvent{e.text + " right"}};
}
DoneEvent go_left(Context&, LeftEvent e) {
    e.text = "spoilt";  // the handler gets the step's unchanged input
    throw Refusal();
}
DoneEvent go_right(Context&, RightEvent) { throw std::runtime_error("no way"); }
EndEvent collect(Context&, std::vector<DoneEvent> all) {
    EndEvent end;
    for (auto& d : all) end.texts.push_back(d.text);
    return end;
}

DoneEvent left_again(Context&, FailedEvent<LeftEvent> failed) {
    return {failed.event.text + ": " + failed.error + " (" + failed.code + ")"};
}
DoneEvent anything(Context&, StepFailedEvent failed) {
    CHECK_THROWS_WITH_AS(std::rethrow_exception(failed.cause), failed.error.c_str(), std::exception);
    return {"anything: " + failed.step + ", " + failed.input};
}
DoneEvent only_right(Context&, StepFailedEvent failed) { return {"only right: " + failed.error}; }
DoneEvent left_by_name(Context&, FailedEvent<LeftEvent> failed) { return {"by name: " + failed.event.text}; }
using Texts = std::vector<std::string>;
}

TEST_CASE("a handler of an event type gets the failures of steps that accept it, with the unchanged event") {
    constexpr auto w = workflow("w", step<split>, step<go_left>, step<go_right>, step<collect>, step<left_again>,
                                step<anything>);
    CHECK(run(w, {.text = "go"}).texts ==
          Texts{"go left: the model has refused (model_refused)", "anything: go_right, RightEvent"});
}
TEST_CASE("a handler of some steps gets no failures of other steps") {
    constexpr auto w = workflow("w", step<split>, step<go_left>, step<go_right>, step<collect>,
                                step<only_right>.of<go_right>());
    CHECK_THROWS_WITH_AS(run(w, {}), "step go_left failed: the model has refused", RunError);
}
TEST_CASE("a handler of named steps precedes one of all steps, and a handler of one event precedes one of any") {
    constexpr auto named = workflow("named", step<split>, step<go_left>, step<go_right>, step<collect>, step<anything>,
                                    step<left_again>, step<only_right>.of<go_right, go_left>());
    CHECK(run(named, {}).texts == Texts{"only right: the model has refused", "only right: no way"});
    constexpr auto both = workflow("both", step<split>, step<go_left>, step<go_right>, step<collect>, step<anything>,
                                   step<only_right>.of<go_right, go_left>(), step<left_by_name>.of<go_left>(),
                                   step<left_again>);
    CHECK(run(both, {.text = "go"}).texts == Texts{"by name: go left", "only right: no way"});
}
TEST_CASE("a workflow made at run time refuses contradictory handlers by an exception") {
    CHECK_THROWS_WITH_AS(
        workflow("two", step<split>, step<go_left>, step<go_right>, step<collect>, step<anything>, step<only_right>),
        "two steps handle the failures of one step: let one of them name its steps by of<...>(), or "
        "ask for the failed event by FailedEvent",
        Error);
}

namespace {
struct SumEvent : StopEvent {
    int n = 0;
};
struct PartEvent {
    int n = 0;
};
struct OtherEvent {
    int n = 0;
};
std::vector<PartEvent> parts(Context&, GoEvent) { return {{1}, {2}, {3}}; }
SumEvent sum_up(Context&, std::vector<PartEvent>) { throw std::runtime_error("too hard"); }
SumEvent count_them(Context&, FailedEvent<std::vector<PartEvent>> failed) {
    SumEvent sum;
    for (auto& p : failed.event) sum.n = sum.n * 10 + p.n;
    return sum;
}
std::vector<std::variant<PartEvent, OtherEvent>> two(Context&, GoEvent) { return {OtherEvent{4}, PartEvent{5}}; }
SumEvent add(Context&, PartEvent, OtherEvent) { throw std::runtime_error("too hard"); }
SumEvent add_slowly(Context&, FailedEvent<std::tuple<PartEvent, OtherEvent>> failed) {
    return {{}, std::get<PartEvent>(failed.event).n * 10 + std::get<OtherEvent>(failed.event).n};
}
SumEvent choose(Context&, std::vector<std::variant<PartEvent, OtherEvent>>) { throw std::runtime_error("too hard"); }
SumEvent pick(Context&, FailedEvent<std::vector<std::variant<PartEvent, OtherEvent>>> failed) {
    return {{}, std::get<OtherEvent>(failed.event.at(0)).n};
}
}
TEST_CASE("the failed event of a collector is its vector, and the failed event of a join is a tuple") {
    CHECK(run(workflow("w", step<parts>, step<sum_up>, step<count_them>), {}).n == 123);
    CHECK(run(workflow("w", step<two>, step<add>, step<add_slowly>), {}).n == 54);
    CHECK(run(workflow("w", step<two>, step<choose>, step<pick>), {}).n == 4);
}

namespace {
struct TimesEvent : StopEvent {
    unsigned attempts = 0;
    double elapsed = 0;
    std::string code;
};
awaitable<TimesEvent> slow(Context&, GoEvent) {
    co_await sleep_for(90s);
    throw std::runtime_error("at last");
}
TimesEvent note(Context&, StepFailedEvent f) { return {{}, f.attempts, f.elapsed, f.code}; }
awaitable<TimesEvent> endless(Context&, GoEvent) {
    try {
        co_await sleep_for(24h);
    } catch (const std::exception&) {}
    co_return TimesEvent{};  // too late, without an error
}
}
TEST_CASE("a failure has its attempts and the time since the first one began, with and without a policy") {
    auto once = testing::run(workflow("w", step<slow>, step<note>), {});
    CHECK(once.attempts == 1);
    CHECK(once.elapsed == 90);
    auto thrice = testing::run(workflow("w", step<slow>.retry({.attempts = 3, .wait = fixed(10s)}), step<note>), {});
    CHECK(thrice.attempts == 3);
    CHECK(thrice.elapsed == 290);
}
TEST_CASE("a step has failed when it catches its timeout and returns") {
    CHECK_THROWS_WITH_AS(testing::run(workflow("w", step<endless>.timeout(5s)), {}),
                         "step endless failed: step endless took longer than its timeout of 5 s", RunError);
    auto noted = testing::run(workflow("w", step<endless>.timeout(5s), step<note>), {});
    CHECK(noted.code == "timed_out");
    CHECK(noted.elapsed == 5);
}

namespace {
struct Stubborn {
    explicit Stubborn(int* n) : copies(n) {}
    Stubborn(const Stubborn& o) : copies(o.copies) {
        if (copies && ++*copies > 1) throw std::runtime_error("no more copies");
    }
    Stubborn& operator=(const Stubborn&) = default;
    int* copies = nullptr;
};
struct StubbornEvent {
    Stubborn value;
};
StubbornEvent give(Context&, GoEvent, int& copies) { return {Stubborn(&copies)}; }
SumEvent take(Context&, StubbornEvent) { throw std::runtime_error("the first error"); }
SumEvent handle(Context&, FailedEvent<StubbornEvent>) { return {}; }
}
TEST_CASE("a run fails by the step's own error when an event throws while it is copied for its handler") {
    int copies = -1;  // one for the way out, one for the step
    constexpr auto w = workflow("w", step<give>, step<take>, step<handle>);
    CHECK_THROWS_WITH_AS(run(w.with(copies), {}), "step take failed: the first error", RunError);
}
namespace {
struct OddEvent {
    int n = 0;
};
struct SavedEvent {
    int n = 0;
};
std::vector<OddEvent> odds(Context&, GoEvent) { return {{1}, {3}, {5}}; }
void break_down(Context&, OddEvent) { throw std::runtime_error("odd"); }
SavedEvent save(Context&, FailedEvent<OddEvent> failed) { return {failed.event.n}; }
SumEvent sum_saved(Context&, std::vector<SavedEvent> all) {
    SumEvent sum;
    for (auto& s : all) sum.n = sum.n * 10 + s.n;
    return sum;
}
}
TEST_CASE("a collector gets all rescued events of its fan-out when only a handler leads to it") {
    CHECK(run(workflow("w", step<odds>, step<break_down>, step<save>, step<sum_saved>), {}).n == 135);
}
namespace {
struct WorkEvent {};
WorkEvent begin_work(Context&, GoEvent) { return {}; }
std::vector<PartEvent> nothing(Context&, WorkEvent) { return {}; }
SumEvent refuse_nothing(Context&, std::vector<PartEvent>) { throw std::runtime_error("nothing there"); }
WorkEvent work_again(Context&, StepFailedEvent, int& rescues) {
    if (++rescues > 100) throw std::logic_error("for ever");
    return {};
}
inline constexpr auto round_and_round = workflow("round_and_round", step<begin_work>, step<nothing>,
                                                 step<refuse_nothing>,
                                                 step<work_again>.of<refuse_nothing>().recoveries(2));
}
TEST_CASE("rescues are counted also through a fan-out that leaves nothing") {
    int rescues = 0;
    CHECK_THROWS_WITH_AS(run(round_and_round.with(rescues), {}), "step refuse_nothing failed: nothing there", RunError);
    CHECK(rescues == 2);
}
TEST_CASE("a drawing shows failures that only some handlers take by an arrow from the steps that may fail") {
    constexpr auto w = workflow("w", step<split>, step<go_left>, step<go_right>, step<collect>, step<left_again>,
                                step<only_right>.of<go_right>());
    const auto text = mermaid(graph_of(w));
    CHECK(text.find("-.->|fails|") != std::string::npos);
    CHECK(text.find("FailedEvent&lt;LeftEvent&gt;") != std::string::npos);
    CHECK(graph_json(graph_of(w)).find("\"fails\": true") != std::string::npos);
}
