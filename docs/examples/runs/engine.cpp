// An engine with several loops: many parallel runs, deadlines, cancel, and runs that end without a stop event.
#include "engine/engine.hpp"
#include "engine/timeout.hpp"
#include <iostream>
using namespace weft;
using namespace std::chrono_literals;

struct JobEvent : StartEvent {
    std::chrono::milliseconds length;
};
struct DoneEvent : StopEvent {
    long bytes = 0;
};
// [pool]
awaitable<DoneEvent> work(Context&, JobEvent job, Pool& pool) {
    co_await sleep_for(job.length);
    auto count = [](std::stop_token) { return 6L * 7; };  // files, SQLite, long calculations
    auto bytes = co_await pool.run(std::move(count));
    co_return DoneEvent{.bytes = bytes};
}
// [/pool]
inline constexpr auto jobs = workflow("jobs", step<work>);

int main() {
    // [several]
    Engine engine({.loops = 2});
    auto bound = jobs.with(engine.pool());
    std::vector<RunOf<jobs>> runs;
    for (int i = 0; i < 100; ++i) runs.push_back(engine.start(bound, {.length = 1ms}));
    long bytes = 0;
    for (auto& run : runs) bytes += engine.wait(run.result()).bytes;
    std::cout << bytes << '\n';
    // [/several]
    // [ends]
    auto late = engine.start(bound, {.length = 1h}, {.timeout = 5ms});
    auto unwanted = engine.start(bound, {.length = 1h});
    unwanted.cancel();
    for (const auto& run : {late, unwanted}) {
        try {
            engine.wait(run.result());
        } catch (const RunError& error) { std::cout << name(error.code()) << ": " << error.what() << '\n'; }
    }
    // [/ends]
}
// prints:
// 4200
// timed_out: the run has not ended within 0.005 s
// cancelled: the run was cancelled
