// A tool's view of its run, its progress, and its display for the human, in whole runs of agents.
#include "engine/durable.hpp"
#include "engine/event_json.hpp"
#include "engine/timeout.hpp"
#include "steps/view/log.hpp"
#include "steps/view/trace.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/stored_run.hpp"
#include "tests/support/tool_agent.hpp"
#include "tools/make_tool.hpp"
#include <doctest/doctest.h>
#include <spdlog/logger.h>
#include <spdlog/sinks/ostream_sink.h>
#include <sstream>
using namespace test;
using namespace std::chrono_literals;
using tools::ToolContext;

namespace {
/// A model that calls the tool `look` once, and then answers.
models::ChatReply look_once(const models::ChatRequest& request) {
    if (request.messages.back().content.find("Observation:") != std::string::npos)
        return say("Thought: I know.\nAnswer: Done.");
    return say("Thought: I look.\nAction: look\nAction Input: {}");
}
struct Heard {
    std::vector<ToolProgressEvent> progress;
    std::vector<ObservationEvent> observations;
    std::vector<ReasoningEvent> reasoning;
};
template <class R> awaitable<void> note_all(R run, Heard& heard) {
    while (auto event = co_await run.next_event()) {
        if (const auto* one = event->template get_if<ToolProgressEvent>()) heard.progress.push_back(*one);
        if (const auto* one = event->template get_if<ObservationEvent>()) heard.observations.push_back(*one);
        if (const auto* one = event->template get_if<ReasoningEvent>()) heard.reasoning.push_back(*one);
    }
}
/// Returns each event of the stream in JSON, and the run's log.
template <class R> awaitable<void> tell_all(R run, view::StepLog& log, std::vector<std::string>& told) {
    view::Trace trace("What is there?");
    while (auto event = co_await run.next_event()) {
        told.push_back(std::string(event->name()) + ' ' + to_json(*event).dump());
        log.on(trace.on(*event));
    }
}
template <class W> Heard hear_run(const Bound<W>& workflow, typename W::Start start, const RunOptions& options = {}) {
    testing::ManualClock clock;
    asio::io_context io{1};
    Loop loop(Runtime{io.get_executor(), &clock}, {.seed = 1});
    Heard heard;
    spawn(io.get_executor(), note_all(loop.start(workflow, std::move(start), options), heard), asio::detached);
    testing::drive(io, clock);
    return heard;
}
template <class F> Heard ask_with(F tool, AskedModel& model, const RunOptions& options = {}) {
    Agent agent;
    agent.tools.add(tools::make_tool("look", "Looks.", tool));
    UserMessageEvent question;
    question.text = "What is there?";
    return hear_run(workflows::react.with(model, *agent.dialect, agent.memory, agent.tools, agent.options), question,
                    options);
}

struct OuterEvent : StartEvent {};
struct OuterEndEvent : StopEvent {};
struct Inside {
    std::optional<Bound<std::remove_cvref_t<decltype(workflows::react)>>> agent;
};
awaitable<OuterEndEvent> ask_inside(Context& ctx, OuterEvent, const Inside& inside) {
    UserMessageEvent question;
    question.text = "What is there?";
    auto agent = *inside.agent;
    co_await ctx.run(std::move(agent), std::move(question));
    co_return OuterEndEvent{};
}
inline constexpr auto outer = workflow("outer", step<ask_inside>);
}

// shows L-16: a tool reports progress, reads the values of its run, and shows the human more than the model
TEST_CASE("a tool reports its progress with its call, also in a child run") {
    AskedModel model(look_once);
    const auto look = [](ToolContext& context) -> awaitable<std::string> {
        context.progress(1, 3, "first part");
        co_await sleep_for(1s);
        context.progress(3, 3);
        context.note("written");
        co_return "all";
    };
    const auto check = [](const Heard& heard) {
        REQUIRE(heard.progress.size() == 3);
        const auto& first = heard.progress[0];
        CHECK((first.tool == "look" && first.done == 1 && first.total == 3 && first.text == "first part"));
        CHECK(first.id == heard.observations.at(0).id);
        CHECK(heard.progress[1].done == 3);
        CHECK((heard.progress[2].text == "written" && !heard.progress[2].done && !heard.progress[2].total));
    };
    check(ask_with(look, model));
    Agent agent;
    agent.tools.add(tools::make_tool("look", "Looks.", look));
    Inside inside;
    inside.agent = workflows::react.with(model, *agent.dialect, agent.memory, agent.tools, agent.options);
    check(hear_run(outer.with(inside), OuterEvent{}));
}
TEST_CASE("a tool's excessive progress is partly dropped, but its end is always reported") {
    AskedModel model(look_once);
    const auto heard = ask_with(
        [](ToolContext& context) {
            for (int i = 0; i <= 5000; ++i) context.progress(i, 5000);
        },
        model);
    CHECK(heard.progress.size() == 21);
    CHECK(heard.progress.back().done == 5000);
    const auto steady = ask_with(
        [](ToolContext& context) -> awaitable<void> {
            for (int i = 0; i < 3000; ++i) {
                context.note("at work");
                co_await sleep_for(500ms);
            }
        },
        model);
    CHECK(steady.progress.size() == 1000);
}
TEST_CASE("a caller's values reach a run's tools, but no prompt, event, later record or log") {
    MemoryStore store;
    dying::Shop shop(store);
    Agent agent;
    std::string seen;
    bool has_deadline = false;
    agent.tools.add(tools::make_tool("look", "Looks.", [&](ToolContext& context) {
        seen = context.values().at("tenant").get<std::string>();
        has_deadline = context.deadline().has_value();
        return std::string("seen");
    }));
    std::ostringstream log;
    spdlog::logger logger("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log));
    logger.set_level(spdlog::level::trace);
    AskedModel model(look_once);
    view::LoggedModel logged(model, logger);
    const auto agent_of = workflows::react.with(logged, *agent.dialect, agent.memory, agent.tools, agent.options);
    UserMessageEvent question;
    question.text = "What is there?";
    RunOptions options{.timeout = 1min, .id = "r"};
    options.values.text = R"({"tenant": "acme corporation"})";
    std::vector<std::string> told;
    {
        view::StepLog steps(logger, "r");
        spawn(shop.io.get_executor(), tell_all(shop.loop.start(durable(agent_of), question, options), steps, told),
              asio::detached);
        shop.io.run();
    }
    CHECK(seen == "acme corporation");
    CHECK(has_deadline);
    const auto has = [](const std::string& text) { return text.find("acme") != std::string::npos; };
    REQUIRE(model.requests.size() == 2);
    for (const auto& request : model.requests)
        for (const auto& message : request.messages) CHECK_FALSE(has(message.content));
    CHECK(told.size() > 5);
    CHECK(std::ranges::none_of(told, has));
    const auto ticks = ticks_of(store, "r");
    REQUIRE(ticks.size() > 3);
    CHECK(has(ticks[0].dump()));  // so that a search can find it
    for (std::size_t i = 1; i < ticks.size(); ++i) CHECK_FALSE(has(ticks[i].dump()));
    CHECK(log.str().find("What is there?") != std::string::npos);
    CHECK_FALSE(has(log.str()));
}
TEST_CASE("a display for the human reaches the stream with the observation, and never the model") {
    const auto look = [] {
        tools::Observation observation{"two rows"};
        auto& display = observation.display.emplace();
        display.text = "for human eyes";
        display.tables.push_back({"secret table", {"a"}, {{"1"}, {"2"}}});
        display.files.push_back(tools::shown_file("secret.csv", "text/csv", "a\n1\n2\n"));
        return observation;
    };
    AskedModel model(look_once);
    const auto heard = ask_with(look, model);
    REQUIRE(heard.observations.size() == 1);
    CHECK(heard.observations[0].text == "two rows");
    REQUIRE(heard.observations[0].display);
    CHECK(heard.observations[0].display->tables.at(0).rows.size() == 2);
    NativeAgent native;
    native.add(tools::make_tool("look", "Looks.", look));
    AskedModel calling([](const models::ChatRequest& request) {
        return request.messages.back().role == models::Role::tool ? say("Done.") : calls({{"a", "look", "{}"}});
    });
    const auto told = native.ask(calling);
    REQUIRE(told.observations.at(0).display);
    CHECK(told.observations[0].display->text == "for human eyes");
    for (const auto* asked : {&model, &calling})
        for (const auto& request : asked->requests)
            for (const auto& message : request.messages) {
                CHECK(message.content.find("secret") == std::string::npos);
                CHECK(message.content.find("human") == std::string::npos);
            }
}
// shows L-15
TEST_CASE("a model's reasoning is reported once, whole and bounded, and is never parsed for actions") {
    AskedModel model([](const models::ChatRequest&) {
        auto reply = say("Answer: 42");
        reply.reasoning = "Action: look\nAction Input: {}\n" + std::string(100 << 10, 'x');
        reply.usage.reasoning_tokens = 7;
        return reply;
    });
    int looked = 0;
    const auto heard = ask_with([&] { return ++looked; }, model);
    CHECK(looked == 0);
    REQUIRE(heard.reasoning.size() == 1);
    CHECK(heard.reasoning[0].tokens == 7);
    CHECK(heard.reasoning[0].text.starts_with("Action: look"));
    CHECK(heard.reasoning[0].text.size() < (66 << 10));
    CHECK(heard.reasoning[0].text.ends_with("more bytes]"));
}
