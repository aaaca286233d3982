// Measures the cost of a stored step: several runs count until the end of a slice or up to a given number, and then
// pause. The record of a step is about as long as one write of the bare disk.
//
//     SqliteStore store(file);
//     Counting runs(store, 64, slice_ns);
//     const double steps_per_second = runs.rate();
#pragma once
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "tests/bench/measure.hpp"
#include <atomic>

namespace counts {
struct CountEvent : weft::StartEvent {};
BOOST_DESCRIBE_STRUCT(CountEvent, (), ())
struct NumberEvent {
    long left = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(NumberEvent, (), (left, text))
struct PauseEvent : weft::InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(PauseEvent, (), ())
struct GoOnEvent : weft::Answers<PauseEvent> {
    long steps = 0;  // 0: until the end
};
BOOST_DESCRIBE_STRUCT(GoOnEvent, (), (steps))
struct CountedEvent : weft::StopEvent {};
BOOST_DESCRIBE_STRUCT(CountedEvent, (), ())

struct Counter {  // a resource
    std::atomic<long> steps = 0;
    std::atomic<double> until = 1e18;
};
inline PauseEvent begin(weft::Context&, CountEvent) { return {}; }
inline std::variant<NumberEvent, CountedEvent> go_on(weft::Context&, GoOnEvent e) {
    if (e.steps == 0) return CountedEvent{};
    return NumberEvent{e.steps, std::string(390, 'x')};
}
inline weft::awaitable<std::variant<NumberEvent, PauseEvent>> count(weft::Context&, NumberEvent e, Counter& counter) {
    counter.steps.fetch_add(1, std::memory_order_relaxed);
    if (--e.left == 0 || now() > counter.until.load(std::memory_order_relaxed)) co_return PauseEvent{};
    co_return std::move(e);
}
inline constexpr auto counting = weft::workflow("counting", weft::step<begin>, weft::step<go_on>, weft::step<count>);

class Counting {
public:
    Counting(weft::Store& store, std::size_t width, double slice) : slice_(slice), engine_({.store = &store}) {
        for (std::size_t i = 0; i < width; ++i) start();
    }
    void start() {
        runs_.push_back(engine_.start(weft::durable<>(counting.with(counter_)), {}));
        await_pause(runs_.back());
    }
    double rate() {
        const auto before = counter_.steps.load();
        const double begun = now();
        counter_.until = begun + slice_;
        for (auto& run : runs_) run.send(GoOnEvent{.steps = 1'000'000});  // no end
        for (auto& run : runs_) await_pause(run);
        return double(counter_.steps.load() - before) / (now() - begun) * 1e9;
    }
    /// Returns the time that a run takes for a number of steps.
    double time_of(std::size_t run, long steps) {
        counter_.until = 1e18;
        const double begun = now();
        runs_[run].send(GoOnEvent{.steps = steps});
        await_pause(runs_[run]);
        return now() - begun;
    }

private:
    void await_pause(weft::RunOf<counting>& run) {
        const auto event = engine_.wait(run.next_event());
        require(event && event->get_if<PauseEvent>(), "a run that counts");
    }
    const double slice_;  // ns
    Counter counter_;
    weft::Engine engine_;
    std::vector<weft::RunOf<counting>> runs_;
};
}
