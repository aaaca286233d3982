// Tools that ask the run's user, in whole runs of agents.
#include "engine/core/wait/withdrawal.hpp"
#include "engine/durable.hpp"
#include "engine/json_run.hpp"
#include "engine/signal.hpp"
#include "steps/agents/common/model_request.hpp"
#include "steps/agents/common/tool_question.hpp"
#include "tests/support/dying_store.hpp"
#include "tests/support/react.hpp"
#include "tools/at_most_once.hpp"
#include "tools/make_tool.hpp"
#include "workflows/catalog/catalog.hpp"
using namespace test;
using namespace std::chrono_literals;
using tools::AnswerAction;

namespace {
models::ChatReply choose_once(const models::ChatRequest& request) {
    const auto& last = request.messages.back().content;
    const auto at = last.find("Observation: ");
    if (at == last.npos) return say("Thought: I ask.\nAction: choose\nAction Input: {}");
    return say("Thought: I know.\nAnswer: " + last.substr(at + 13, 7));
}
/// A model that calls `choose`, which asks for a colour, and answers with the colour.
struct Chooser {
    int calls = 0;
    std::string message = "Which colour?";
    AskedModel model{choose_once};
    Agent agent;
    Chooser() {
        agent.tools.add(tools::make_tool("choose", "Chooses.", [this](tools::ToolContext& context) {
            ++calls;
            return choose(context, message);
        }));
    }
    static awaitable<std::string> choose(tools::ToolContext& context, std::string message) {
        tools::ToolQuestion question;
        question.from = "painter";
        question.message = std::move(message);
        question.form.text = R"({"type":"object","properties":{"colour":{"type":"string"}}})";
        auto asking = context.ask(std::move(question));
        const auto answer = co_await std::move(asking);
        if (answer.action != AnswerAction::accept) co_return "nothing";
        co_return nlohmann::json::parse(answer.content.text).at("colour").get<std::string>();
    }
    auto bound() { return workflows::react.with(model, *agent.dialect, agent.memory, agent.tools, agent.options); }
};
/// Answers tools' questions with a colour, or leaves them open.
struct Painter {
    bool answers = true;
    AnswerAction action = AnswerAction::accept;
    std::string declined;  // the declined question
    std::vector<ToolQuestionEvent> asked;
    bool was_idle = false;
    template <class R> awaitable<void> serve(R run) {
        while (auto event = co_await run.next_event()) {
            if (event->template get_if<RunIdleEvent>()) was_idle = true;
            const auto* ask = event->template get_if<ToolQuestionEvent>();
            if (!ask) continue;
            asked.push_back(*ask);
            if (!answers) continue;
            ToolAnswerEvent answer;
            answer.action = ask->message == declined ? AnswerAction::decline : action;
            answer.content.text = R"({"colour":"green 7"})";
            run.send_to_child(std::move(answer), event->question());
        }
    }
};
/// A tool that withdraws its question when the run is idle.
struct Withdrawing {
    core::Withdrawal withdrawal;
    bool hangs = false;  // then
    awaitable<std::string> choose(tools::ToolContext& context) {
        auto asking = core::until_withdrawn(withdrawal, Chooser::choose(context, "Which colour?"));
        try {
            auto colour = co_await std::move(asking);
            co_return std::move(colour);
        } catch (const boost::system::system_error&) {}
        const Signal never;
        if (hangs) co_await never.wait();
        co_return "unasked";
    }
    template <class R> awaitable<void> withdraw_when_idle(R run) {
        while (auto event = co_await run.next_event())
            if (event->template get_if<RunIdleEvent>()) withdrawal.cancel();
    }
};
UserMessageEvent paint() {
    UserMessageEvent question;
    question.text = "Paint.";
    return question;
}
}

// shows L-17: a tool asks the human, and continues with the answer
TEST_CASE("a run is idle until the question of its tool is answered, and then the call continues") {
    Chooser chooser;
    Painter painter;
    testing::ManualClock clock;
    asio::io_context io{1};
    Loop loop(Runtime{io.get_executor(), &clock}, {.seed = 1});
    RunOptions options;
    options.tell_idle = true;
    auto run = loop.start(chooser.bound(), paint(), options);
    spawn(io.get_executor(), painter.serve(run), asio::detached);
    testing::drive(io, clock);

    CHECK(run.outcome().response == "green 7");
    REQUIRE(painter.asked.size() == 1);
    CHECK(painter.asked[0].tool == "choose");
    CHECK(painter.asked[0].from == "painter");
    CHECK(painter.asked[0].message == "Which colour?");
    CHECK(nlohmann::json::parse(painter.asked[0].form.text).at("type") == "object");
    CHECK(painter.was_idle);
    CHECK(chooser.calls == 1);
}
TEST_CASE("a declined or unanswered question does not fail the tool") {
    for (const auto action : {AnswerAction::decline, AnswerAction::cancel, AnswerAction::unanswered}) {
        Chooser chooser;
        Painter painter;
        painter.action = action;
        testing::ManualClock clock;
        asio::io_context io{1};
        Loop loop(Runtime{io.get_executor(), &clock}, {.seed = 1});
        auto run = loop.start(chooser.bound(), paint());
        spawn(io.get_executor(), painter.serve(run), asio::detached);
        testing::drive(io, clock);
        CHECK(run.outcome().response == "nothing");
    }
}
TEST_CASE("a tool outside of a run cannot ask") {
    Context ctx;
    const ReactOptions options;
    ToolAsker asker(ctx, options, real_clock());
    CHECK_FALSE(asker.can_ask());
    CHECK(testing::await(Chooser::choose(asker, "Which colour?")) == "nothing");
}
TEST_CASE("a run ends when it is cancelled or its deadline passes while a tool asks") {
    for (const bool timed : {false, true}) {
        Chooser chooser;
        Painter painter;
        painter.answers = false;
        testing::ManualClock clock;
        asio::io_context io{1};
        Loop loop(Runtime{io.get_executor(), &clock}, {.seed = 1});
        RunOptions options;
        if (timed) options.timeout = 1min;
        auto run = loop.start(chooser.bound(), paint(), options);
        spawn(io.get_executor(), painter.serve(run), asio::detached);
        if (!timed) {
            io.run_one_for(0s);
            while (painter.asked.empty() && io.run_one()) {}
            run.cancel();
        }
        testing::drive(io, clock);
        CHECK(painter.asked.size() == 1);
        CHECK_THROWS_AS(run.outcome(), RunError);
    }
}
namespace {
/// Starts the run in a process that dies while the tool's question is open.
template <class Stored> void ask_and_die(MemoryStore& store, const Stored& stored, Painter& painter) {
    dying::Dying dies(store, 1000);
    dying::Shop shop(dies);
    auto run = shop.loop.start(stored, paint(), {.id = "r"});
    spawn(shop.io.get_executor(), painter.serve(run), asio::detached);
    shop.io.run();
    CHECK(painter.asked.size() == 1);
    CHECK(run.idle());
    dies.left = 0;
}
}
TEST_CASE("a run continues with the answer when its process died while a tool asked") {
    MemoryStore store;
    Chooser chooser;
    const auto stored = durable(chooser.bound());
    Painter painter;
    painter.answers = false;
    ask_and_die(store, stored, painter);
    dying::free_all(store);
    dying::Shop shop(store);
    painter.answers = true;
    auto run = dying::resume_on(shop.loop, stored, "r");
    spawn(shop.io.get_executor(), painter.serve(run), asio::detached);
    shop.io.run();
    CHECK(run.outcome().response == "green 7");
    CHECK(painter.asked.size() == 2);
    CHECK(chooser.calls == 2);  // an interrupted call runs again, unless its tool runs at most once
}
TEST_CASE("an answer counts only for its question: a repeated call with another question asks again") {
    for (const bool is_same : {false, true}) {
        MemoryStore store;
        Chooser chooser;
        chooser.message = "Pay 30?";
        const auto stored = durable(chooser.bound());
        Painter painter;
        painter.answers = false;
        painter.declined = "Pay 3000?";
        ask_and_die(store, stored, painter);
        if (!is_same) chooser.message = "Pay 3000?";
        dying::free_all(store);
        dying::Shop shop(store);
        painter.answers = true;
        auto run = dying::resume_on(shop.loop, stored, "r");
        spawn(shop.io.get_executor(), painter.serve(run), asio::detached);
        shop.io.run();
        CHECK(run.outcome().response == (is_same ? "green 7" : "nothing"));
        std::vector<std::string> asked;
        for (const auto& each : painter.asked) asked.push_back(each.message);
        std::vector<std::string> expected{"Pay 30?", "Pay 30?"};
        if (!is_same) expected.push_back("Pay 3000?");
        CHECK(asked == expected);
    }
}
TEST_CASE("a question says that its call runs at most once, because an answer in another process would be lost") {
    for (const bool once : {false, true}) {
        Chooser chooser;
        auto tool = tools::make_tool("choose", "Chooses.", [](tools::ToolContext& context) {
            return Chooser::choose(context, "Which colour?");
        });
        Agent agent;
        agent.tools.add(once ? tools::at_most_once(tool) : tool);
        Painter painter;
        testing::ManualClock clock;
        asio::io_context io{1};
        Loop loop(Runtime{io.get_executor(), &clock}, {.seed = 1});
        auto run = loop.start(
            workflows::react.with(chooser.model, *agent.dialect, agent.memory, agent.tools, agent.options), paint());
        spawn(io.get_executor(), painter.serve(run), asio::detached);
        testing::drive(io, clock);
        REQUIRE(painter.asked.size() == 1);
        CHECK(painter.asked[0].once == once);
        CHECK(run.outcome().response == "green 7");
    }
}
TEST_CASE("a run is idle until its question is withdrawn, and then the call continues") {
    Withdrawing tool;
    Chooser chooser;
    Agent agent;
    agent.tools.add(
        tools::make_tool("choose", "Chooses.", [&](tools::ToolContext& context) { return tool.choose(context); }));
    testing::ManualClock clock;
    asio::io_context io{1};
    Loop loop(Runtime{io.get_executor(), &clock}, {.seed = 1});
    RunOptions options;
    options.tell_idle = true;
    auto run = loop.start(
        workflows::react.with(chooser.model, *agent.dialect, agent.memory, agent.tools, agent.options), paint(),
        options);
    spawn(io.get_executor(), tool.withdraw_when_idle(run), asio::detached);
    testing::drive(io, clock);
    CHECK(run.outcome().response == "unasked");
}
TEST_CASE("a repeated call asks a withdrawn question again") {
    MemoryStore store;
    Withdrawing tool;
    tool.hangs = true;
    Chooser chooser;
    Agent agent;
    agent.tools.add(
        tools::make_tool("choose", "Chooses.", [&](tools::ToolContext& context) { return tool.choose(context); }));
    const auto stored = durable(
        workflows::react.with(chooser.model, *agent.dialect, agent.memory, agent.tools, agent.options));
    {
        dying::Dying dies(store, 1000);
        dying::Shop shop(dies);
        auto run = shop.loop.start(stored, paint(), {.id = "r", .tell_idle = true});
        spawn(shop.io.get_executor(), tool.withdraw_when_idle(run), asio::detached);
        shop.io.run();
        dies.left = 0;
    }
    dying::free_all(store);
    dying::Shop shop(store);
    Painter painter;
    auto run = dying::resume_on(shop.loop, stored, "r");
    spawn(shop.io.get_executor(), painter.serve(run), asio::detached);
    shop.io.run();
    CHECK(painter.asked.size() == 1);
    CHECK(run.outcome().response == "green 7");
}
TEST_CASE("agents of the catalogue have their tools' questions, which are answered in JSON") {
    for (const char* name : {"react", "reflect", "tool_agent"}) {
        const auto all = questions(catalog::find_workflow(name).outline());
        const auto is_it = [](const QuestionType& each) { return each.asks->name == "ToolQuestionEvent"; };
        const auto found = std::ranges::find_if(all, is_it);
        REQUIRE(found != all.end());
        CHECK(found->answers.at(0)->name == "ToolAnswerEvent");
        nlohmann::json answer = {{"action", "accept"}, {"content", {{"colour", "red"}}}};
        const auto read = read_event(*found->answers[0], answer);
        CHECK(static_cast<const ToolAnswerEvent*>(read.get())->content.text == R"({"colour":"red"})");
    }
}
