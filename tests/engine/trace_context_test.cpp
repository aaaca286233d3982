// Trace contexts in headers of unknown clients, valid and invalid ones.
#include "engine/observer.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/trace_context.hpp"
#include "engine/workflow.hpp"
#include <doctest/doctest.h>
using namespace weft;

namespace {
const std::string good = "00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01";
struct GoEvent : StartEvent {};
struct EndEvent : StopEvent {};
EndEvent stop(Context&, GoEvent) { return {}; }
inline constexpr auto inner = workflow("inner", step<stop>);
awaitable<EndEvent> call(Context& ctx, GoEvent) {
    GoEvent go;
    co_await ctx.run(inner, std::move(go));
    co_return EndEvent{};
}
inline constexpr auto outer = workflow("outer", step<call>);
struct Traces : Observer {
    std::vector<std::string> seen;
    void run_started(const RunInfo& run) noexcept override {
        seen.push_back(std::string(run.workflow) + ' ' + std::string(run.traceparent) + ' ' +
                       std::string(run.tracestate));
    }
};
std::vector<std::string> traces_of(const std::string& traceparent, const std::string& tracestate) {
    Traces traces;
    testing::Setup setup;
    setup.run.observer = &traces;
    setup.run.traceparent = traceparent;
    setup.run.tracestate = tracestate;
    testing::run(outer, {}, setup);
    return traces.seen;
}
}
TEST_CASE("a traceparent has a version, two ids and flags, in lower case") {
    CHECK(is_traceparent(good));
    CHECK(is_traceparent("cc" + good.substr(2)));
    const auto changed = [](std::size_t at, std::string_view by) {
        auto text = good;
        return text.replace(at, by.size(), by);
    };
    for (const auto& bad :
         {std::string(), good + "-", good + "0", good.substr(1), changed(0, "ff"), changed(3, "5B"), changed(2, "_"),
          changed(35, "0"), changed(53, "0g"), changed(3, std::string(32, '0')), changed(36, std::string(16, '0')),
          changed(36, "\r\n"), std::string(55, '0'), std::string(100000, '-')})
        CHECK_FALSE(is_traceparent(bad));
}
TEST_CASE("a tracestate is printable and bounded") {
    CHECK(is_tracestate(""));
    CHECK(is_tracestate("rojo=00f067aa0ba902b7,congo=t61rcWkgMzE"));
    CHECK(is_tracestate(std::string(512, 'a')));
    CHECK_FALSE(is_tracestate(std::string(513, 'a')));
    CHECK_FALSE(is_tracestate("a=b\r\nCookie: c"));
    CHECK_FALSE(is_tracestate("a=\xc3\xa4"));
}
TEST_CASE("observers see the trace context of a run, and its children inherit it") {
    CHECK(traces_of(good, "a=b") == std::vector<std::string>{"outer " + good + " a=b", "inner " + good + " a=b"});
}
TEST_CASE("an invalid trace context is ignored, as is a tracestate without a traceparent") {
    const std::vector<std::string> none{"outer  ", "inner  "};
    CHECK(traces_of("", "") == none);
    CHECK(traces_of("", "a=b") == none);
    CHECK(traces_of(good + "\r\n", "a=b") == none);
    CHECK(traces_of(good, "a=b\n") == std::vector<std::string>{"outer " + good + " ", "inner " + good + " "});
}
