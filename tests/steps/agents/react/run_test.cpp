// Whole runs of the react workflow with scripted models.
#include "steps/agents/react/dialects/pause_dialect.hpp"
#include "tests/support/react.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace std::chrono_literals;

namespace {
struct Calculator : Agent {
    Calculator() {
        add_tool(tools, "add", [](const nlohmann::json& a) {
            return weft::tools::Observation{std::to_string(a.value("a", 0) + a.value("b", 0))};
        });
    }
};
const auto act = "Thought: I add.\nAction: add\nAction Input: {\"a\": 1, \"b\": 2}";
}

// shows L-01: events carry a run from question to answer
// shows L-06: the result holds response, sources and reasoning
TEST_CASE("a run reasons, acts, observes and answers, and its result has response, sources and reasoning") {
    Calculator agent;
    ScriptedModel model{act, "Thought: That is it.\nAnswer: It is 3."};

    auto told = agent.ask(model, "1 + 2?");

    CHECK(told.names ==
          std::vector<std::string>{"TurnEvent", "ActionEvent", "ObservationEvent", "TurnEvent", "AnswerEvent"});
    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.result.response == "It is 3.");
    CHECK(told.result.steps == 2);
    REQUIRE(told.result.sources.size() == 1);
    CHECK(told.result.sources[0].tool == "add");
    CHECK(told.result.sources[0].output == "3");
    REQUIRE(told.result.reasoning.size() == 3);
    CHECK(told.result.reasoning[0].kind == ReasoningKind::action);
    CHECK(told.result.reasoning[1].kind == ReasoningKind::observation);
    CHECK(told.result.reasoning[2].kind == ReasoningKind::answer);
}
// shows L-14
TEST_CASE("thought and answer are reported in pieces, which join to the whole") {
    Calculator agent;
    ScriptedModel model{act, "Thought: That is it.\nAnswer: It is 3."};

    auto told = agent.ask(model, "1 + 2?");

    CHECK(told.thought == "I add.That is it.");
    CHECK(told.answer == "It is 3.");
}
// crewAIInc/crewAI#4093
TEST_CASE("react runs a call of the protocol when the server sends one without an offered tool") {
    for (const std::string text : {"", "I add.", "Thought: I add."})
        for (const bool pauses : {false, true}) {
            Calculator agent;
            const PauseDialect pause(agent.tools);
            if (pauses) agent.dialect = &pause;
            AskedModel model([&text, turn = 0](auto&) mutable {
                if (turn++) return say("Answer: 3");
                auto reply = say(text, models::FinishReason::tool_calls);
                reply.calls = {{"c1", "functions.add", "{'a': 1, 'b': 2}"}};
                return reply;
            });

            const auto told = agent.ask(model, "1 + 2?");

            INFO(text, "|", pauses);
            CHECK(told.faults.empty());
            CHECK(told.answer == "3");
            REQUIRE(told.result.sources.size() == 1);
            CHECK(told.result.sources[0].output == "3");
            CHECK(told.result.reasoning.at(0).thought == (text.empty() ? "" : "I add."));
        }
}
TEST_CASE("react keeps the answer of a reply with a call of the protocol, and reports a call of an unknown tool") {
    Calculator agent;
    AskedModel model([turn = 0](auto&) mutable {
        auto reply = say(turn ? "Thought: I know.\nAnswer: 3" : "");
        reply.calls = {{"c1", turn++ ? "add" : "nobody", "{}"}};
        return reply;
    });

    const auto told = agent.ask(model, "1 + 2?");

    CHECK(told.result.response == "3");
    CHECK(told.observations.empty());
    REQUIRE(told.faults.size() == 1);
    CHECK(told.faults[0].error.find("it calls 'nobody' by a protocol for calls") == 0);
}
TEST_CASE("a model's separate reasoning is reported as thought, and is not part of the reply") {
    Calculator agent;
    int turn = 0;
    AskedModel model([&turn](auto& request) {
        request.on_reasoning("Sums ");
        request.on_reasoning("are easy.");
        return say(turn++ ? "Answer: 3" : act);
    });

    auto told = agent.ask(model, "1 + 2?");

    CHECK(told.thought == "Sums are easy.\nI add.Sums are easy.");
    CHECK(told.result.response == "3");
    for (const auto& message : model.requests.at(1).messages) CHECK(message.content.find("easy") == std::string::npos);
}
TEST_CASE("a retry note of the model voids its earlier thoughts") {
    Calculator agent;
    AskedModel model([](auto& request) {
        request.on_reasoning("Hm.");
        request.on_note({models::CallNote::Kind::retry, "m", "m failed", std::chrono::milliseconds(0)});
        return say("Thought: I know.\nAnswer: 3");
    });
    CHECK(agent.ask(model, "1 + 2?").thought == "Hm.I know.");
}
TEST_CASE("a model without streaming is reported the same way, and usage is summed") {
    Calculator agent;
    int turn = 0;
    AskedModel model([&turn](auto&) { return say(turn++ ? "Answer: 3" : act); });

    auto told = agent.ask(model, "1 + 2?");

    CHECK(told.answer == "3");
    CHECK(told.thought == "I add.");
    CHECK(told.result.usage.prompt_tokens == 20);
    CHECK(told.result.usage.completion_tokens == 6);
}
// shows L-09
TEST_CASE("the memory carries the conversation across runs, and the reasoning stays with its run") {
    Calculator agent;
    AskedModel model([](auto& request) {
        return say(request.messages.back().content == "And then?" ? "Answer: Bye." : "Answer: Hello.");
    });

    agent.ask(model, "Hi?");
    auto told = agent.ask(model, "And then?");

    CHECK(told.result.response == "Bye.");
    CHECK(told.result.reasoning.size() == 1);
    const auto& messages = model.requests.back().messages;
    REQUIRE(messages.size() == 4);
    CHECK(messages[1].content == "Hi?");
    CHECK(messages[2].content == "Hello.");
    CHECK(messages[3].content == "And then?");
    CHECK(agent.memory.read("").size() == 4);
}
TEST_CASE("a run without an answer adds nothing to the memory") {
    Calculator agent;
    AskedModel model([](auto&) -> models::ChatReply { throw Error(Code::model_unreachable, "there is no model"); });

    auto told = agent.ask(model, "Hi?");

    CHECK(told.outcome == AnswerOutcome::failed);
    CHECK(told.error == "handle_llm_input: there is no model");
    CHECK(agent.memory.read("").empty());
}
// shows B-L04: runs at once share nothing
TEST_CASE("parallel runs share nothing, and no run sees half of an exchange in the memory") {
    Calculator agent;
    auto answer_it = [](const models::ChatRequest& request) {
        const auto& question = request.messages[1].content;
        if (request.messages.size() == 2)
            return say("Thought: " + question + "\nAction: add\nAction Input: {\"a\": " + question + ", \"b\": 100}");
        return say("Answer: " + request.messages.back().content.substr(13));
    };
    AskedModel model(answer_it);
    model.delay = 1s;
    std::vector<std::string> questions;
    for (int i = 0; i < 50; ++i) questions.push_back(std::to_string(i));

    auto told = agent.ask_all(model, questions);

    for (int i = 0; i < 50; ++i) {
        CHECK(told[i].result.response == std::to_string(i + 100));
        CHECK(told[i].result.sources.size() == 1);
        CHECK(told[i].thought == std::to_string(i));
    }
    const auto remembered = agent.memory.read("");
    REQUIRE(remembered.size() == 100);
    for (std::size_t i = 0; i < 100; i += 2)
        CHECK(std::stoi(remembered[i].content) + 100 == std::stoi(remembered[i + 1].content));
    for (const auto& request : model.requests) CHECK(request.messages.size() <= 4);
}
// shows B-L01
TEST_CASE("a run of an endless model stops at the limit, with the model's best answer") {
    Calculator agent;
    agent.options.max_steps = 3;
    int turn = 0;
    AskedModel model([&turn](auto& request) {
        if (request.messages.back().content.find("no steps left") != std::string::npos) return say("Answer: so far 3");
        return say("Action: add\nAction Input: {\"a\": " + std::to_string(++turn) + "}");
    });

    auto told = agent.ask(model, "?");

    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.result.response == "so far 3");
    CHECK(told.result.steps == 3);
    CHECK(model.requests.size() == 4);
    CHECK(told.observations.size() == 3);
    CHECK(told.names.back() == "AnswerEvent");
}
// shows B-L07: a stream always ends with its cause
TEST_CASE("a run of a hanging model ends with the typed outcome of a deadline, also on the stream") {
    Calculator agent;
    auto script = models::Script::from_json(R"({"replies": [{"reply": "Answer: late", "delay_ms": 3600000}]})", "slow");
    ScriptedModel model(script);

    auto told = agent.ask(model, "?", {.timeout = 60s});

    CHECK(told.outcome == AnswerOutcome::timed_out);
    CHECK(told.names == std::vector<std::string>{"TurnEvent", "RunTimedOutEvent"});
    CHECK(agent.memory.read("").empty());
}
TEST_CASE("a run cancelled in the middle of a reply ends with the typed outcome of a cancellation") {
    Calculator agent;
    auto script = models::Script::from_json(
        R"({"pause_ms": 1000, "chunk": 4, "replies": [{"reply": "Answer: a b c d e f"}]})", "slow");
    ScriptedModel model(script);
    asio::io_context io{1};
    Loop loop(Runtime{io.get_executor(), &agent.clock});
    auto run = loop.start(workflows::react.with(model, text_dialect, agent.memory, agent.tools, agent.options),
                          {.text = "?"});
    Told told;
    spawn(io.get_executor(), listen(run, told), asio::detached);
    io.poll();
    for (int i = 0; i < 4; ++i) {
        agent.clock.advance(1s);
        io.restart();
        io.poll();
    }

    run.cancel();
    testing::drive(io, agent.clock);

    CHECK(told.outcome == AnswerOutcome::cancelled);
    CHECK(told.answer == "a b c d");
    CHECK(told.names.back() == "RunCancelledEvent");
}
