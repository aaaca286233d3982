// Traces of runs on several parallel loops, sent by one of them.
#include "engine/engine.hpp"
#include "engine/operation.hpp"
#include "engine/telemetry/metrics.hpp"
#include "engine/telemetry/observers.hpp"
#include "engine/telemetry/tracer.hpp"
#include "engine/timeout.hpp"
#include "tests/engine/telemetry/exposition.hpp"
#include "tests/support/limit.hpp"
#include "tests/support/rude_server.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::telemetry;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {};
struct EndEvent : StopEvent {};
awaitable<EndEvent> work(Context& ctx, GoEvent) {
    auto tool = ctx.operation("execute_tool", [](OperationDetails& details) { details.name = "t"; });
    co_await sleep_for(1ms);
    tool.end();
    co_return EndEvent{};
}
inline constexpr auto works = workflow("works", step<work>);
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("runs on several loops are counted and traced, each once, and a flush waits until all is sent") {
    testing::RudeServer server({testing::always(200, "{}")});
    TracerOptions options;
    options.endpoint = server.url("/v1/traces");
    options.batch = 16;
    Tracer tracer(std::move(options));
    Metrics metrics;
    Observers both({&tracer, &metrics});
    Engine engine({.loops = 2, .observer = &both});
    tracer.start(engine.first_runtime());
    std::vector<decltype(engine.start(works, {}))> runs;
    for (int i = 0; i < 50; ++i) runs.push_back(engine.start(works, {}));
    for (auto& run : runs) engine.wait(run.result());
    while (read_exposition(metrics.text())["weft_runs_total{workflow=works,outcome=stopped}"] != 50)
        std::this_thread::yield();
    CHECK(engine.wait(tracer.flush(test::limit)));
    CHECK(tracer.counts().sent == 100);
    CHECK(tracer.counts().dropped == 0);
}
TEST_CASE("a tracer sends an engine's spans after the engine's destruction, and may be destroyed later") {
    testing::RudeServer server({[](testing::Peer& peer) {
        peer.read_request();
        peer.wait_for_end();
    }});
    TracerOptions options;
    options.endpoint = server.url("/v1/traces");
    options.batch = 1;
    Tracer tracer(std::move(options));
    {
        Engine engine({.observer = &tracer});
        tracer.start(engine.first_runtime());
        engine.wait(engine.start(works, {}).result());
        while (server.requests().empty()) std::this_thread::yield();
    }
    CHECK(tracer.counts().sent == 0);
}
TEST_SUITE_END();
