// The values of metrics, read by a strict reader of the format.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/error.hpp"
#include "engine/operation.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/telemetry/metrics.hpp"
#include "engine/telemetry/observers.hpp"
#include "engine/telemetry/series.hpp"
#include "engine/telemetry/store_watch.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/engine/telemetry/exposition.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::telemetry;
using namespace std::chrono_literals;

namespace {
struct GoEvent : StartEvent {};
struct EndEvent : StopEvent {};
struct AskEvent : InputRequiredEvent {};
struct ReplyEvent : Answers<AskEvent> {};
struct PartEvent {};
struct DoneEvent {};
awaitable<PartEvent> slow(Context& ctx, GoEvent) {
    co_await sleep_for(2s);
    if (ctx.attempt() == 1) throw std::runtime_error("not yet");
    co_return PartEvent{};
}
awaitable<AskEvent> call(Context& ctx, PartEvent) {
    auto chat = ctx.operation("chat", [](OperationDetails& details) {
        details.name = "m";
        details.add("gen_ai.provider.name", "p");
    });
    co_await sleep_for(3s);
    chat.end([](OperationDetails& details) {
        details.add("gen_ai.usage.input_tokens", 100);
        details.add("gen_ai.usage.output_tokens", 20);
        details.add("gen_ai.usage.reasoning.output_tokens", 5);
        details.add("gen_ai.usage.cache_creation.input_tokens", 40);
        details.add("weft.request.attempts", 3);
    });
    auto tool = ctx.operation("execute_tool", [](OperationDetails& details) { details.name = "a \"quoted\"\nname\\"; });
    co_await sleep_for(1s);
    tool.fail("tool_error");
    co_return AskEvent{};
}
awaitable<EndEvent> close(Context&, ReplyEvent) {
    co_await sleep_for(1s);
    co_return EndEvent{};
}
inline constexpr auto all = workflow("all", step<slow>.retry({.attempts = 2, .wait = fixed(3s)}), step<call>,
                                     step<close>);
}
TEST_CASE("metrics count runs, steps, retries, questions, models and tools, with their times") {
    testing::ManualClock clock;
    Metrics metrics(clock);
    testing::Setup setup;
    setup.clock = &clock;
    setup.run.observer = &metrics;
    testing::run(all, {}, setup, [&](auto& run, const AnyEvent& e) {
        if (!e.get_if<AskEvent>()) return;
        CHECK(read_exposition(metrics.text()).at("weft_runs{state=idle}") == 1);
        run.send(ReplyEvent{}, e.question());
    });
    auto samples = read_exposition(metrics.text());
    const auto is = [&](const std::string& sample, double value) {
        INFO(sample);
        REQUIRE(samples.contains(sample));
        CHECK(samples[sample] == value);
    };
    is("weft_runs_total{workflow=all,outcome=stopped}", 1);
    is("weft_runs{state=working}", 0);
    is("weft_runs{state=idle}", 0);
    is("weft_run_seconds_sum{workflow=all}", 12);
    is("weft_run_seconds_bucket{workflow=all} <= 10", 0);
    is("weft_run_seconds_bucket{workflow=all} <= 30", 1);
    is("weft_steps_total{workflow=all,step=slow,outcome=failed}", 1);
    is("weft_steps_total{workflow=all,step=slow,outcome=ok}", 1);
    is("weft_step_seconds_sum{workflow=all,step=slow}", 4);
    is("weft_step_retries_total{workflow=all,step=slow}", 1);
    is("weft_questions_asked_total{workflow=all,question=AskEvent}", 1);
    is("weft_questions_answered_total{workflow=all,question=AskEvent}", 1);
    is("weft_model_calls_total{provider=p,model=m,outcome=ok}", 1);
    is("weft_model_call_seconds_sum{provider=p,model=m}", 3);
    is("weft_model_retries_total{provider=p,model=m}", 2);
    is("weft_model_tokens_total{provider=p,model=m,kind=input}", 100);
    is("weft_model_tokens_total{provider=p,model=m,kind=output}", 20);
    is("weft_model_tokens_total{provider=p,model=m,kind=reasoning}", 5);
    is("weft_model_tokens_total{provider=p,model=m,kind=cache_write}", 40);
    CHECK_FALSE(samples.contains("weft_model_tokens_total{provider=p,model=m,kind=cache_read}"));
    is("weft_tool_calls_total{tool=a \"quoted\"\nname\\,outcome=tool_error}", 1);
    is("weft_tool_call_seconds_count{tool=a \"quoted\"\nname\\}", 1);
}
TEST_CASE("queued, working and idle runs are counted apart") {
    testing::ManualClock clock;
    Metrics metrics(clock);
    asio::io_context io{1};
    Engine engine(io, {.clock = &clock, .runs_at_once = 1, .observer = &metrics});
    auto first = engine.start(all, {});
    auto second = engine.start(all, {});
    io.run();
    auto now = read_exposition(metrics.text());
    CHECK(now.at("weft_runs{state=working}") == 1);
    CHECK(now.at("weft_runs{state=queued}") == 1);
    testing::drive(io, clock);
    now = read_exposition(metrics.text());
    CHECK(now.at("weft_runs{state=idle}") == 1);
    first.cancel();
    testing::drive(io, clock);
    now = read_exposition(metrics.text());
    CHECK(now.at("weft_runs{state=idle}") == 1);
    CHECK(now.at("weft_runs{state=queued}") == 0);
    CHECK(now.at("weft_runs_total{workflow=all,outcome=cancelled}") == 1);
    CHECK(now.at("weft_queue_wait_seconds_sum{workflow=all}") == 11);
    CHECK(now.at("weft_queue_wait_seconds_count{workflow=all}") == 1);
}
TEST_CASE("a loop's lag is the delay of its timers") {
    testing::ManualClock clock;
    Metrics metrics(clock);
    asio::io_context io{1};
    spawn(Runtime{io.get_executor(), &clock}, metrics.measure_loop_lag(), asio::detached);
    const auto wait = [&](Duration d) {
        io.restart();
        io.run();
        clock.advance(d);
        io.restart();
        io.run();
    };
    wait(1s);
    wait(8s);  // simulates a busy loop
    const auto samples = read_exposition(metrics.text());
    CHECK(samples.at("weft_loop_lag_seconds_count") == 2);
    CHECK(samples.at("weft_loop_lag_seconds_sum") == 7);
}
TEST_CASE("a user's code adds metrics under free and valid names") {
    Metrics metrics;
    auto requests = metrics.counter("weft_http_requests_total", "Requests,\nanswered.", {"route", "status"});
    requests.add({"/runs/{id}", "200"});
    requests.add({"/runs/{id}", "200"}, 2);
    requests.add({"/runs", "404"});
    metrics.histogram("weft_http_bytes", "Sizes.", {}, {10, 100}).observe({}, 50);
    metrics.gauge("weft_http_connections", "Open.", [] { return 2.5; });
    metrics.gauge("weft_gone", "Throws.", []() -> double { throw std::runtime_error("gone"); });
    metrics.total("weft_spans_dropped_total", "Of traces.", [] { return 7.0; });
    const auto samples = read_exposition(metrics.text());
    CHECK(samples.at("weft_http_requests_total{route=/runs/{id},status=200}") == 3);
    CHECK(samples.at("weft_http_bytes_bucket <= 100") == 1);
    CHECK(samples.at("weft_http_connections") == 2.5);
    CHECK(samples.at("weft_spans_dropped_total") == 7);
    CHECK_FALSE(samples.contains("weft_gone"));

    CHECK_THROWS_AS(metrics.counter("weft_runs_total", "", {}), Error);
    CHECK_THROWS_AS(metrics.gauge("weft_http_connections", "", [] { return 0.0; }), Error);
    CHECK_THROWS_AS(metrics.counter("weft_requests", ""), Error);
    CHECK_THROWS_AS(metrics.gauge("1x", "", [] { return 0.0; }), Error);
    CHECK_THROWS_AS(metrics.histogram("weft_h", "", {"le"}), Error);
    CHECK_THROWS_AS(metrics.histogram("weft_h2", "", {}, {2, 1}), Error);
}
TEST_CASE("a metric has at most a thousand series, whichever values come") {
    Series series({"weft_tools_total", "Tools.", Series::Kind::counter, {"tool", "outcome"}});
    const auto add = [&](std::string_view tool) {
        const std::string_view values[] = {tool, "ok"};
        series.add(values, 1);
    };
    for (int i = 0; i < 5000; ++i) add("tool " + std::to_string(i));
    add("tool 7");
    CHECK(series.size() == Series::most);
    std::string text;
    series.write(text);
    const auto samples = read_exposition(text);
    CHECK(samples.at("weft_tools_total{tool=tool 7,outcome=ok}") == 2);
    CHECK(samples.at("weft_tools_total{tool=other,outcome=other}") == 5000 - 999);
}
TEST_CASE("values of too many characters, or with invalid UTF-8, make no unreadable line") {
    Series series({"weft_tools_total", "Tools.", Series::Kind::counter, {"tool"}});
    const auto add = [&](std::string_view tool) { series.add(Series::LabelSpan(&tool, 1), 1); };
    add(std::string(1000, 'a'));
    add(std::string(2000, 'a'));
    add("\xff");
    add("\xfe\xfe");
    std::string text;
    series.write(text);
    CHECK(read_exposition(text) ==
          std::map<std::string, double>{{"weft_tools_total{tool=other}", 2},
                                        {"weft_tools_total{tool=" + std::string(128, 'a') + "}", 2}});
}
TEST_CASE("several observers count as one when they are combined") {
    Metrics one, other;
    Observers both({&one, nullptr, &other});
    testing::Setup setup;
    setup.run.observer = &both;
    testing::run(all, {}, setup, testing::answer<AskEvent>([](const AskEvent&) { return ReplyEvent{}; }));
    for (const auto* metrics : {&one, &other}) {
        const auto samples = read_exposition(metrics->text());
        CHECK(samples.at("weft_runs_total{workflow=all,outcome=stopped}") == 1);
        CHECK(samples.at("weft_model_calls_total{provider=p,model=m,outcome=ok}") == 1);
        CHECK(samples.at("weft_questions_answered_total{workflow=all,question=AskEvent}") == 1);
    }
    CHECK_FALSE(both.wants_content());
}

namespace {
struct BeginEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(BeginEvent, (), ())
struct WhyEvent : InputRequiredEvent {};
BOOST_DESCRIBE_STRUCT(WhyEvent, (), ())
struct BecauseEvent : Answers<WhyEvent> {};
BOOST_DESCRIBE_STRUCT(BecauseEvent, (), ())
struct OverEvent : StopEvent {};
BOOST_DESCRIBE_STRUCT(OverEvent, (), ())
WhyEvent why(Context&, BeginEvent) { return {}; }
OverEvent because(Context&, BecauseEvent) { return {}; }
inline constexpr auto asking = workflow("asking", step<why>, step<because>);
template <class R> awaitable<void> until_asked(R run) {
    while (auto event = co_await run.next_event())
        if (event->template get_if<WhyEvent>()) co_return;
}
}
TEST_SUITE_BEGIN("threads");
TEST_CASE("a run that leaves memory is not counted as present until it returns") {
    MemoryStore store;
    Metrics metrics;
    Engine engine({.store = &store, .park = true, .observer = &metrics});
    engine.recover(durable<>(asking));
    {
        auto run = engine.start(durable<>(asking), {}, {.id = "p"});
        engine.wait(until_asked(run));
    }
    const auto until = [&](const std::string& sample, double value) {
        for (auto now = read_exposition(metrics.text()); !now.contains(sample) || now.at(sample) != value;
             now = read_exposition(metrics.text()))
            std::this_thread::yield();
    };
    until("weft_runs_parked_total{workflow=asking}", 1);
    until("weft_runs{state=idle}", 0);
    auto back = engine.resume(durable<>(asking), "p");
    until("weft_runs{state=idle}", 1);
    back.send(BecauseEvent{});
    engine.wait(back.result());
    until("weft_runs_total{workflow=asking,outcome=stopped}", 1);
    until("weft_runs{state=working}", 0);
}
TEST_SUITE_END();
TEST_CASE("a watched store counts how often it begins to fail, and shows whether it fails now") {
    telemetry::Metrics metrics;
    std::vector<std::string> said;
    const auto note = telemetry::watch_store(metrics, [&](const StoreNote& given) { said.push_back(given.text); });
    const auto now = [&] {
        const auto samples = read_exposition(metrics.text());
        return std::pair(samples.at("weft_store_failing"), samples.at("weft_store_failures_total"));
    };
    CHECK(now() == std::pair(0.0, 0.0));
    note({"the disk is full", true});
    note({"the file is locked", true});
    CHECK(now() == std::pair(1.0, 1.0));
    note({"it can be written again"});
    CHECK(now() == std::pair(0.0, 1.0));
    CHECK(said == std::vector<std::string>{"the disk is full", "the file is locked", "it can be written again"});
}
