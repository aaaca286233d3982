// The spans of runs and operations in the requests to a collector.
#include "engine/error.hpp"
#include "engine/loop.hpp"
#include "engine/operation.hpp"
#include "engine/run_options.hpp"
#include "engine/telemetry/tracer.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/manual_clock.hpp"
#include "engine/timeout.hpp"
#include "tests/engine/telemetry/otlp.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::telemetry;
using namespace std::chrono_literals;
using testing::always;
using testing::RudeServer;

namespace {
const std::string incoming = "00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-0";
struct GoEvent : StartEvent {
    std::string how;
};
struct EndEvent : StopEvent {
    std::string sent, state;
};
EndEvent stop(Context&, GoEvent) { return {}; }
inline constexpr auto inner = workflow("inner", step<stop>);
awaitable<EndEvent> work(Context& ctx, GoEvent go) {
    auto tool = ctx.operation("execute_tool", [](OperationDetails& details) { details.name = "look_up"; });
    auto chat = ctx.operation("chat", [](OperationDetails& details) {
        details.name = "m";
        details.add("gen_ai.request.temperature", 0.5);
        if (details.content) details.add("gen_ai.input.messages", "What is said");
    });
    EndEvent end;
    end.sent = chat.traceparent();
    end.state = chat.tracestate();
    co_await sleep_for(2s);
    chat.end([](OperationDetails& details) {
        details.add("gen_ai.usage.input_tokens", 100);
        details.add("gen_ai.usage.output_tokens", 20);
        details.add("gen_ai.request.max_tokens", 7);
        details.add("gen_ai.response.finish_reasons", std::vector<std::string>{"stop"});
    });
    GoEvent next;
    co_await ctx.run(inner, std::move(next));
    if (go.how == "fails") tool.fail(std::make_exception_ptr(Error(Code::model_refused, "What is said")));
    tool.end();
    if (go.how == "fails") throw Error(Code::model_refused, "What is said");
    co_return end;
}
inline constexpr auto works = workflow("works", step<work>);

struct Collected {
    RudeServer server{{always(200, "{}")}};
    testing::ManualClock clock;
    TracerOptions options;
    ExportCounts counts;
    Collected() {
        options.endpoint = server.url("/v1/traces");
        options.seed = 7;
    }
    EndEvent run(const RunOptions& run_options = {}, const std::string& how = "") {
        Tracer tracer(options, clock);
        asio::io_context io{1};
        const Runtime runtime{io.get_executor(), &clock};
        Loop loop(runtime, {.observer = &tracer});
        tracer.start(runtime);
        GoEvent go;
        go.how = how;
        auto going = loop.start(works, go, run_options);
        testing::drive(io, clock);
        counts = tracer.counts();
        if (how == "fails") return {};
        return going.outcome();
    }
    EndEvent run_in(const std::string& traceparent, const std::string& tracestate = "") {
        RunOptions run_options;
        run_options.traceparent = traceparent;
        run_options.tracestate = tracestate;
        return run(run_options);
    }
    bool was_sent(const std::string& text) const {
        for (const auto& request : server.requests())
            if (request.find(text) != request.npos) return true;
        return false;
    }
};
}
TEST_CASE("runs, children and operations are spans of one trace, each below the one that began it") {
    Collected collected;
    collected.options.agents = {"works"};
    const auto end = collected.run();
    const auto spans = spans_sent_to(collected.server);
    CHECK(spans.size() == 4);
    const auto& root = spans.at("invoke_agent works");
    const auto& tool = spans.at("execute_tool look_up");
    const auto& chat = spans.at("chat m");
    const auto& child = spans.at("invoke_workflow inner");
    CHECK(root.parent.empty());
    CHECK(tool.parent == root.id);
    CHECK(chat.parent == tool.id);
    CHECK(child.parent == tool.id);
    for (const auto& [name, span] : spans) CHECK(span.trace == root.trace);
    CHECK(root.kind == 1);
    CHECK(chat.kind == 3);
    CHECK(tool.kind == 1);
    CHECK(chat.end - chat.begin == 2'000'000'000);
    CHECK(root.events == std::vector<std::string>{"step"});
    CHECK(root.status == 0);
    CHECK(root.attributes.at("gen_ai.operation.name") == "invoke_agent");
    CHECK(root.attributes.at("gen_ai.agent.name") == "works");
    CHECK(root.attributes.at("gen_ai.usage.input_tokens") == 100);
    CHECK(root.attributes.at("gen_ai.usage.output_tokens") == 20);
    CHECK(root.attributes.at("weft.run.outcome") == "stopped");
    CHECK(child.attributes.at("gen_ai.workflow.name") == "inner");
    CHECK(chat.attributes.at("gen_ai.request.temperature") == 0.5);
    CHECK(chat.attributes.at("gen_ai.response.finish_reasons") == json::array({"stop"}));
    CHECK(chat.attributes.at("weft.step.name") == "work");
    CHECK(end.sent == "00-" + root.trace + "-" + chat.id + "-01");
    CHECK(collected.counts.sent == 4);
}
TEST_CASE("ids come from the seed") {
    Collected one, other, third;
    third.options.seed = 8;
    const auto first = one.run().sent;
    CHECK(first == other.run().sent);
    CHECK(first != third.run().sent);
}
TEST_CASE("a failure is a status and a type; its sentence and the conversation are sent only with content") {
    Collected without, with;
    with.options.content = true;
    without.run({}, "fails");
    with.run({}, "fails");
    for (const auto* collected : {&without, &with}) {
        const auto spans = spans_sent_to(collected->server);
        for (const auto* name : {"invoke_workflow works", "execute_tool look_up"}) {
            CHECK(spans.at(name).status == 2);
            CHECK(spans.at(name).attributes.at("error.type") == "model_refused");
        }
        CHECK(spans.at("invoke_workflow works").attributes.at("weft.run.outcome") == "failed");
        CHECK(spans.at("chat m").status == 0);
    }
    CHECK_FALSE(without.was_sent("What is said"));
    const auto spans = spans_sent_to(with.server);
    CHECK(spans.at("chat m").attributes.at("gen_ai.input.messages") == "What is said");
    CHECK(spans.at("execute_tool look_up").message == "What is said");
}
TEST_CASE("a run continues a given trace, and so do its requests") {
    Collected collected;
    const auto end = collected.run_in(incoming + "1", "rojo=1,congo=2");
    const auto spans = spans_sent_to(collected.server);
    CHECK(spans.at("invoke_workflow works").trace == "5b8efff798038103d269b633813fc60c");
    CHECK(spans.at("invoke_workflow works").parent == "eee19b7ec3c1b174");
    for (const auto* name : {"invoke_workflow works", "invoke_workflow inner", "chat m"})
        CHECK(spans.at(name).state == "rojo=1,congo=2");
    CHECK(end.sent == "00-5b8efff798038103d269b633813fc60c-" + spans.at("chat m").id + "-01");
    CHECK(end.state == "rojo=1,congo=2");
}
TEST_CASE("an unsampled trace of a caller is not sent, and the run's requests carry that flag") {
    Collected collected;
    const auto end = collected.run_in(incoming + "0");
    CHECK(collected.server.connections() == 0);
    CHECK(end.sent.starts_with("00-5b8efff798038103d269b633813fc60c-"));
    CHECK(end.sent.ends_with("-00"));
    CHECK(end.sent.substr(36, 16) != "eee19b7ec3c1b174");
    collected.options.parent_based = false;
    CHECK(collected.run_in(incoming + "0").sent.ends_with("-01"));
}
TEST_CASE("an invalid traceparent header begins a new trace") {
    for (const auto& wrong : {incoming, "ff" + incoming.substr(2) + "1", std::string(500, 'x')}) {
        Collected collected;
        CHECK(collected.run_in(wrong, "a=b").state.empty());
        CHECK(spans_sent_to(collected.server).at("invoke_workflow works").parent.empty());
    }
}
TEST_CASE("a sampler keeps all traces, none, or its part of them") {
    const auto sent_of = [](Sampler sampler, double ratio, int runs) {
        Collected collected;
        collected.options.sampler = sampler;
        collected.options.ratio = ratio;
        int sent = 0;
        for (int i = 0; i < runs; ++i) {
            collected.options.seed = 1000u * static_cast<unsigned>(i);
            sent += collected.run().sent.ends_with("-01") ? 1 : 0;
        }
        return sent;
    };
    CHECK(sent_of(Sampler::always_off, 1, 3) == 0);
    CHECK(sent_of(Sampler::ratio, 0, 3) == 0);
    CHECK(sent_of(Sampler::ratio, 1, 3) == 3);
    const int some = sent_of(Sampler::ratio, 0.25, 100);
    CHECK(some > 10);
    CHECK(some < 45);
}
TEST_CASE("a disabled tracer records nothing, and forwards the received context") {
    Collected collected;
    collected.options.enabled = false;
    collected.options.content = true;
    CHECK(collected.run_in(incoming + "1", "a=b").sent == incoming + "1");
    CHECK(collected.server.connections() == 0);
    CHECK_FALSE(Tracer(collected.options).wants_content());
}
TEST_CASE("the events of a span are bounded, and dropped events are counted") {
    Collected collected;
    Tracer tracer(collected.options, collected.clock);
    asio::io_context io{1};
    const Runtime runtime{io.get_executor(), &collected.clock};
    tracer.start(runtime);
    Observer::RunInfo run{"r", "w", ""};
    Observer::StepInfo step;
    step.name = "s";
    step.run = run;
    tracer.run_started(run);
    for (int i = 0; i < 200; ++i) tracer.step_ended(step, false);
    tracer.run_ended(run, RunStatus::done);
    testing::drive(io, collected.clock);
    CHECK(spans_sent_to(collected.server).at("invoke_workflow w").events.size() == 128);
    CHECK(collected.was_sent("\"droppedEventsCount\":72"));
}
