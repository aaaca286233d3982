// Models that lie, break the format or never end: each run ends with a typed outcome, and its stream with the reason.
#include "tests/support/react.hpp"
#include "tools/make_tool.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
struct Lied {
    Told told;
    std::vector<models::ChatRequest> requests;
    int calls = 0;
};
/// Runs an agent with one tool, `look`, and a model with these replies, which repeats the last one.
Lied lie(std::vector<std::string> replies, int max_steps = 20) {
    Agent agent;
    Lied lied;
    agent.options.max_steps = max_steps;
    add_tool(agent.tools, "look", [&lied](const nlohmann::json&) {
        ++lied.calls;
        return tools::Observation{"the real thing"};
    });
    std::size_t next = 0;
    AskedModel model([&](auto&) { return say(replies[std::min(next++, replies.size() - 1)]); });
    lied.told = agent.ask(model, "What is there?");
    lied.requests = model.requests;
    return lied;
}
const std::string look = "Thought: I look.\nAction: look\nAction Input: {}";
}

// shows B-L03
TEST_CASE("an invented observation and the answer after it are ignored") {
    auto lied = lie({look + "\nObservation: a dragon\nThought: a dragon!\nAnswer: a dragon", "Answer: the real thing"});

    CHECK(lied.told.outcome == AnswerOutcome::answered);
    CHECK(lied.told.result.response == "the real thing");
    CHECK(lied.calls == 1);
    for (const auto& message : lied.requests.back().messages)
        CHECK(message.content.find("dragon") == std::string::npos);
    CHECK(lied.told.thought.find("dragon") == std::string::npos);
}
// shows L-05
TEST_CASE("an invented tool makes an observation with a list of the tools") {
    auto lied = lie({"Action: fly\nAction Input: {}", "Answer: no"});

    CHECK(lied.told.outcome == AnswerOutcome::answered);
    REQUIRE(lied.told.observations.size() == 1);
    CHECK(!lied.told.observations[0].ok);
    CHECK(lied.told.observations[0].text.find("look") != std::string::npos);
    CHECK(lied.told.result.sources.empty());
}
// shows B-L05
TEST_CASE("broken JSON runs no tool, and the model gets the place of the error") {
    auto lied = lie({"Action: look\nAction Input: {\"a\": 'x', b}", look, "Answer: yes"});

    CHECK(lied.told.outcome == AnswerOutcome::answered);
    CHECK(lied.calls == 1);
    REQUIRE(lied.told.faults.size() == 1);
    CHECK(lied.told.faults[0].error.find("line 1, column 13") != std::string::npos);
    CHECK(lied.requests[1].messages[2].content == "Action: look\nAction Input: {\"a\": 'x', b}");
    CHECK(lied.requests[1].messages[3].content.find("line 1, column 13") != std::string::npos);
}
// shows B-A05: the cause of a failed run reaches the caller
// shows B-L06
TEST_CASE("a run of broken, empty or undecided replies is a typed failure with the reason") {
    for (const auto* reply :
         {"", "Thought: hm", "Action: look", "Action: look\nAction Input: {", "Observation: a dragon"}) {
        auto lied = lie({reply});
        CHECK(lied.told.outcome == AnswerOutcome::failed);
        CHECK(lied.requests.size() == 3);
        CHECK(lied.calls == 0);
        CHECK(lied.told.names.back() == "RunFailedEvent");
        CHECK(lied.told.error.starts_with("handle_llm_input: 3 replies of the model in a row could not be followed"));
    }
}
// shows B-L01
TEST_CASE("a repeated call is noticed, and ends the run like the limit") {
    auto lied = lie({look});

    CHECK(lied.told.outcome == AnswerOutcome::limit);
    CHECK(lied.calls == 5);
    REQUIRE(lied.told.observations.size() == 5);
    CHECK(lied.told.observations[1].note.empty());
    CHECK(lied.told.observations[2].note.find("3 times") != std::string::npos);
    CHECK(lied.requests.size() == 6);
    CHECK(lied.told.result.response ==
          "No answer was found before the run came to its limit. The last thought was: I look.");
}
TEST_CASE("a model without an answer ends at the limit") {
    std::vector<std::string> replies;
    for (int i = 0; i < 30; ++i) replies.push_back("Action: look\nAction Input: {\"n\": " + std::to_string(i) + "}");

    auto lied = lie(replies);

    CHECK(lied.told.outcome == AnswerOutcome::limit);
    CHECK(lied.calls == 20);
    CHECK(lied.requests.size() == 21);
}
// shows B-W07: an answer beside an action does not count
TEST_CASE("an action with an answer after it is an action, and the model gets a note of the ignored rest") {
    auto lied = lie({look + "\nAnswer: a dragon", "Answer: the real thing"});

    CHECK(lied.told.result.response == "the real thing");
    CHECK(lied.told.result.reasoning[0].note.find("ignored (1 more)") != std::string::npos);
    CHECK(lied.requests[1].messages.back().content.find("was ignored") != std::string::npos);
}
TEST_CASE("text after an input is ignored, and the call's observation has a note about it") {
    auto lied = lie({look + " Observation: a dragon. {}", "Answer: the real thing"});

    CHECK(lied.calls == 1);
    CHECK(lied.told.faults.empty());
    CHECK(lied.told.result.response == "the real thing");
    constexpr auto note = "the text behind the JSON object of the Action Input was ignored.";
    CHECK(lied.told.result.reasoning[0].note.starts_with(note));
    CHECK(lied.requests[1].messages[2].content == look);
    CHECK(
        lied.requests[1].messages[3].content.starts_with("Observation: the real thing\n\nNote: " + std::string(note)));
}
TEST_CASE("an observation has two notes when a reply has two ignored parts") {
    auto lied = lie({look + "}\nAnswer: a dragon", "Answer: the real thing"});

    const auto& note = lied.told.result.reasoning[0].note;
    CHECK(note.find("ignored (1 more). One action in a reply. Also, the text behind the JSON object") != note.npos);
}
TEST_CASE("an input on the line after an action is read, because the agent's tools are known") {
    Agent agent;
    agent.tools.add(tools::make_tool("say", "Says it.", [](std::string text) { return "you said " + text; }, {"text"}));
    std::vector<std::string> replies = {"Thought: I say it.\nAction: say\nhello there", "Answer: done"};
    std::size_t next = 0;
    AskedModel model([&](auto&) { return say(replies[next++]); });

    const auto told = agent.ask(model, "Say hello.");

    REQUIRE(told.observations.size() == 1);
    CHECK(told.observations[0].text == "you said hello there");
    CHECK(told.faults.empty());
}
// shows B-L08: an answer that looks empty is an answer
TEST_CASE("a short answer is an answer") {
    for (const auto* text : {"0", "false", "[]", "-", "None"}) {
        auto lied = lie({std::string("Answer: ") + text});
        CHECK(lied.told.outcome == AnswerOutcome::answered);
        CHECK(lied.told.result.response == text);
    }
}
TEST_CASE("invalid bytes reach neither the next prompt nor the result") {
    auto lied = lie({"Thought: \xFF\xC3\nAction: look\nAction Input: {}", "Answer: \xE2\x82 done"});

    CHECK(lied.told.result.response == "\xEF\xBF\xBD done");
    CHECK(lied.requests[1].messages[2].content == "Thought: \xEF\xBF\xBD\xEF\xBF\xBD\nAction: look\nAction Input: {}");
}
