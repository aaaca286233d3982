// Notifications of observers about operations of steps, which have no effect without an observer.
#include "engine/durable.hpp"
#include "engine/engine.hpp"
#include "engine/once.hpp"
#include "engine/operation.hpp"
#include "engine/replay.hpp"
#include "engine/store/memory_store.hpp"
#include "engine/testing/await.hpp"
#include "engine/testing/recorder.hpp"
#include "engine/timeout.hpp"
#include "tests/support/world.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace std::chrono_literals;

namespace {
using Lines = std::vector<std::string>;
const std::string incoming = "00-5b8efff798038103d269b633813fc60c-eee19b7ec3c1b174-01";
const std::string outgoing = "00-5b8efff798038103d269b633813fc60c-0000000000000001-01";

struct Hearing : Observer {
    Lines lines;
    bool content = false, traces = false;
    static std::string show(const Attribute& attribute) {
        std::string text = std::string(attribute.key) + "=";
        if (auto* s = std::get_if<std::string_view>(&attribute.value)) text += *s;
        if (auto* n = std::get_if<std::int64_t>(&attribute.value)) text += std::to_string(*n);
        if (auto* d = std::get_if<double>(&attribute.value)) text += std::to_string(*d).substr(0, 4);
        if (auto* b = std::get_if<bool>(&attribute.value)) text += *b ? "yes" : "no";
        if (auto* l = std::get_if<std::span<const std::string_view>>(&attribute.value))
            for (auto each : *l) (text += each) += '|';
        return text;
    }
    static std::string show(const OperationInfo& o) {
        std::string text = std::to_string(o.number) + " " + std::string(o.kind) + " " + std::string(o.name) + " in " +
                           std::string(o.run.workflow) + "." + std::string(o.step) + " " +
                           std::to_string(o.step_number);
        if (o.parent) text += " of " + std::to_string(o.parent);
        for (const auto& attribute : o.attributes) text += " " + show(attribute);
        return text;
    }
    void run_started(const RunInfo& run) noexcept override {
        if (!run.parent.empty())
            lines.push_back("child of step " + std::to_string(run.parent_step) + ", operation " +
                            std::to_string(run.parent_operation));
    }
    void operation_started(OperationInfo& o) noexcept override {
        lines.push_back("+ " + show(o));
        if (traces) o.traceparent = outgoing;
    }
    void operation_ended(const OperationInfo& o) noexcept override {
        auto line = "- " + show(o);
        if (!o.error_type.empty()) line += " failed: " + std::string(o.error_type);
        if (o.error) line += ", " + sentence_of(o.error);
        lines.push_back(line);
    }
    void run_ended(const RunInfo&, RunStatus status) noexcept override { lines.emplace_back(metric_word(status)); }
    bool wants_content() const noexcept override { return content; }
};

struct GoEvent : StartEvent {
    std::string how;
};
struct EndEvent : StopEvent {
    std::string sent;
};
int described = 0;
awaitable<EndEvent> work(Context& ctx, GoEvent go) {
    auto operation = ctx.operation("chat", [&](OperationDetails& details) {
        ++described;
        details.name = "m";
        details.add("text", "t");
        details.add("whole", 7);
        details.add("number", 0.5);
        details.add("truth", true);
        details.add("list", std::vector<std::string>{"a", "b"});
        if (details.content) details.add("content", "secret");
    });
    EndEvent end;
    end.sent = operation.traceparent();
    co_await sleep_for(1s);
    if (go.how == "throws") throw Error(Code::model_refused, "no");
    if (go.how == "fails") operation.fail("tool_error");
    try {
        if (go.how == "is caught") throw Error(Code::model_refused, "no");
        if (go.how == "hangs") co_await sleep_for(1h);
    } catch (const Error&) { operation.fail(std::current_exception()); }
    operation.end([](OperationDetails& details) { details.add("late", 1); });
    co_return end;
}
inline constexpr auto works = workflow("works", step<work>);

Lines heard(const std::string& how, bool content = false) {
    Hearing hearing;
    hearing.content = content;
    testing::Setup setup;
    setup.run.observer = &hearing;
    setup.run.timeout = 1min;
    GoEvent go;
    go.how = how;
    try {
        testing::run(works, go, setup);
    } catch (const Error&) {}
    return hearing.lines;
}
const std::string began = "1 chat m in works.work 1 text=t whole=7 number=0.50 truth=yes list=a|b|";
}
TEST_CASE("an operation is reported at its begin and its end, with its step and all its attributes") {
    CHECK(heard("well") == Lines{"+ " + began, "- " + began + " late=1", "stopped"});
    CHECK(heard("well", true) ==
          Lines{"+ " + began + " content=secret", "- " + began + " content=secret late=1", "stopped"});
}
TEST_CASE("a failing operation reports its reason once, whatever the step does afterwards") {
    CHECK(heard("fails") == Lines{"+ " + began, "- " + began + " failed: tool_error", "stopped"});
    CHECK(heard("is caught") == Lines{"+ " + began, "- " + began + " failed: model_refused, no", "stopped"});
}
TEST_CASE("an interrupted operation ends before its run") {
    CHECK(heard("throws") == Lines{"+ " + began, "- " + began + " failed: cut_short", "failed"});
    CHECK(heard("hangs").size() == 3);
    CHECK(heard("hangs").back() == "timed_out");
}
TEST_CASE("an operation has no effect without an observer or a run") {
    described = 0;
    GoEvent go;
    CHECK(testing::run(works, go).sent.empty());
    Context ctx;
    testing::ManualClock clock;
    CHECK(testing::await(work(ctx, go), clock).sent.empty());
    CHECK(described == 0);
    CHECK_FALSE(ctx.observed());
}
TEST_CASE("an operation sends its observer's traceparent, else its run's traceparent") {
    GoEvent go;
    testing::Setup setup;
    setup.run.traceparent = incoming;
    CHECK(testing::run(works, go, setup).sent == incoming);
    Hearing hearing;
    setup.run.observer = &hearing;
    CHECK(testing::run(works, go, setup).sent == incoming);
    hearing.traces = true;
    CHECK(testing::run(works, go, setup).sent == outgoing);
}

namespace {
EndEvent stop(Context&, GoEvent) { return {}; }
inline constexpr auto child = workflow("child", step<stop>);
struct PartEvent {
    int i = 0;
};
struct DoneEvent {};
std::vector<PartEvent> parts(Context&, GoEvent) { return {{1}, {2}}; }
awaitable<DoneEvent> nested(Context& ctx, PartEvent part) {
    co_await sleep_for(std::chrono::seconds(part.i));
    auto tool = ctx.operation("execute_tool", [](OperationDetails& details) { details.name = "t"; });
    auto model = ctx.operation("chat", [](OperationDetails& details) { details.name = "m"; });
    model.end();
    GoEvent go;
    if (part.i == 2) co_await ctx.run(child, std::move(go));
    tool.end();
    co_return DoneEvent{};
}
EndEvent all(Context&, std::vector<DoneEvent>) { return {}; }
inline constexpr auto nests = workflow("nests", step<parts>, step<nested>, step<all>);
}
TEST_CASE("an operation has its outer operation as parent, and so does a child run") {
    Hearing hearing;
    testing::Setup setup;
    setup.run.observer = &hearing;
    testing::run(nests, {}, setup);
    CHECK(hearing.lines == Lines{"+ 1 execute_tool t in nests.nested 2", "+ 2 chat m in nests.nested 2 of 1",
                                 "- 2 chat m in nests.nested 2 of 1", "- 1 execute_tool t in nests.nested 2",
                                 "+ 3 execute_tool t in nests.nested 3", "+ 4 chat m in nests.nested 3 of 3",
                                 "- 4 chat m in nests.nested 3 of 3", "child of step 3, operation 3", "stopped",
                                 "- 3 execute_tool t in nests.nested 3", "stopped"});
}
TEST_CASE("attributes are bounded, and invalid UTF-8 in them is repaired") {
    OperationDetails details(false);
    details.add("long", std::string(100000, 'a'));
    details.add("broken", "a\xff");
    details.add("list", std::vector<std::string>(1000, "x"));
    for (int i = 0; i < 100; ++i) details.add("more", i);
    const auto all = details.attributes();
    CHECK(all.size() == 64);
    CHECK(std::get<std::string_view>(all[0].value).size() == 32 << 10);
    CHECK(std::get<std::string_view>(all[1].value) == "a\xef\xbf\xbd");
    CHECK(std::get<std::span<const std::string_view>>(all[2].value).size() == 128);
}

namespace {
struct TextEvent : StartEvent {};
BOOST_DESCRIBE_STRUCT(TextEvent, (), ())
struct SaidEvent : StopEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(SaidEvent, (), (text))
int asked = 0;
awaitable<std::string> ask(Context& ctx) {
    auto operation = ctx.operation("chat", [](OperationDetails& details) { details.name = "m"; });
    ++asked;
    operation.end();
    co_return "said";
}
awaitable<SaidEvent> say(Context& ctx, TextEvent) {
    auto asking = ask(ctx);
    SaidEvent said;
    said.text = co_await ctx.once("chat", std::move(asking));
    if (ctx.attempt() == 1 && asked == 1) co_await sleep_for(1h);
    co_return said;
}
inline constexpr auto says = workflow("says", step<say>);
}
TEST_CASE("a recorded result and a replay make no operation") {
    MemoryStore store;
    asked = 0;
    {
        testing::ManualClock clock;
        World w(clock, &store);
        auto run = w.loop.start(durable<>(says), {}, {.id = "r"});
        w.turn();
        CHECK(asked == 1);
    }
    Hearing hearing;
    asio::io_context io{1};
    asked = 2;
    Engine engine(io, {.store = &store, .observer = &hearing});
    auto run = engine.resume(durable<>(says), "r");
    io.run();
    CHECK(run.outcome().text == "said");
    CHECK(asked == 2);
    CHECK(hearing.lines == Lines{"stopped"});
    CHECK(replay(durable<>(says), history_of(store, "r")).steps == 1);
    CHECK(asked == 2);
    CHECK(hearing.lines.size() == 1);
}
