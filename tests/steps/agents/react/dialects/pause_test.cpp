// The pause dialect's prompt, and whole runs in it.
#include "engine/testing/recorder.hpp"
#include "steps/agents/react/dialects/pause_dialect.hpp"
#include "steps/view/trace_printer.hpp"
#include "tests/support/bare_tools.hpp"
#include "tests/support/react.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace weft::view;

namespace {
struct Session : Agent {
    PauseDialect pausing{tools};
    std::vector<models::ChatRequest> requests;
    explicit Session(tools::Registry all = make_bare_tools()) {
        tools = std::move(all);
        dialect = &pausing;
        options.max_steps = 5;
    }
    Told replied(std::vector<std::string> replies) {
        std::size_t next = 0;
        AskedModel model([&](auto&) { return say(replies[std::min(next++, replies.size() - 1)]); });
        auto told = ask(model, "Fifteen * twenty five");
        requests = model.requests;
        return told;
    }
    const std::vector<models::Message>& last() const { return requests.back().messages; }
};
const std::string act = "Thought: I calculate.\nAction: calculate: 15 * 25\nPAUSE";
std::string header(const tools::Registry& tools, std::string_view system = {}) {
    const Conversation conversation{{}, "?"};
    const CurrentReasoning nothing;
    return PauseDialect(tools)
        .prompt(
            {.conversation = conversation, .reasoning = nothing, .tools = tools, .system = system, .max_steps = 5})[0]
        .content;
}
}

// shows W-01: the prompt explains its labels and lists the actions
TEST_CASE("the system message explains every label, and lists each action with the form of a call") {
    const auto text = header(bare_tools(), "Be brief.");

    for (const auto* part :
         {"- Thought: ", "- Action: ", "- PAUSE: ", "- Observation: ", "- Answer: ", "at most 5 of them",
          "\n  Action: calculate: <expression>\n", "\n  Action: get_country_capitals: <country>\n",
          "\n  Action: add: {\"a\": 1, \"b\": 2}\n  arguments: {",
          "\n  Action: find: {\"most\": 1, \"text\": \"text\"}\n", "\n  Action: list-notes\n",
          "Question: ", "\nPAUSE\n", "\nObservation: "})
        CHECK_MESSAGE(text.find(part) != text.npos, part);
    CHECK(text.ends_with("\n\nBe brief."));
    CHECK(header({}).find("There are none: answer from what you know.") != text.npos);
}
// shows L-12
TEST_CASE("a template of pause is checked for its places when the dialect is made") {
    CHECK_THROWS_WITH_AS(PauseDialect(bare_tools(), "{actions}"),
                         "the template has places that nothing is known for: {actions}; the template lacks {tools}; "
                         "what it may use is {tools} {tool_names} {system} {max_steps}",
                         Error);
    CHECK_THROWS_WITH_AS(PauseDialect(bare_tools(), "{tools}\xFF"), "the template is not UTF-8: save it as that",
                         Error);
    CHECK_THROWS_WITH_AS(PauseDialect(bare_tools(), "{tools}" + std::string(256 << 10, ' ')),
                         "the template is longer than 256 KB", Error);
}
// shows W-03: an observation is a message with the role of the user
// shows W-06
TEST_CASE("the prompt has messages of the system, the user and the model, and an observation is the user's") {
    Session session;

    auto told = session.replied(
        {act, "Action: list-notes\nPAUSE", "Action: add: {\"a\": 1, \"b\": 2}\nPAUSE", "Answer: 375"});

    CHECK(told.result.response == "375");
    const auto& messages = session.last();
    REQUIRE(messages.size() == 8);
    CHECK(messages[0].role == models::Role::system);
    for (std::size_t i = 1; i < messages.size(); ++i)
        CHECK(messages[i].role == (i % 2 ? models::Role::user : models::Role::assistant));
    CHECK(messages[1].content == "Fifteen * twenty five");
    CHECK(messages[2].content == act);
    CHECK(messages[3].content == "Observation: 375");
    CHECK(messages[4].content == "Action: list-notes\nPAUSE");
    CHECK(messages[5].content == "Observation: milk, eggs");
    CHECK(messages[6].content == "Action: add: {\"a\":1,\"b\":2}\nPAUSE");
    CHECK(messages[7].content == "Observation: 3");
}
// shows B-W03: the end of a run has a type
// shows W-04
TEST_CASE("the limit of turns ends a run with a typed outcome and the best answer") {
    Session session;
    std::vector<std::string> replies;
    for (int i = 0; i < 5; ++i) replies.push_back("Action: half: " + std::to_string(i) + "\nPAUSE");
    replies.push_back("perhaps 375");

    auto told = session.replied(replies);

    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.result.steps == 5);
    CHECK(told.result.response == "perhaps 375");
    CHECK(told.observations.size() == 5);
    CHECK(session.last().back().content.find("There are no steps left, and no action runs any more.") !=
          std::string::npos);
}
// shows W-05: the trace shows each call and its observation
TEST_CASE("the trace shows thought, action, argument, observation and answer") {
    Session session;
    ScriptedModel model{act, "Thought: Done.\nAnswer: 375."};
    std::string text;
    TracePrinter printer([&text](std::string_view piece) { text += piece; }, {.answer = true});

    const auto agent = workflows::react.with(model, session.pausing, session.memory, session.tools, session.options);
    testing::run(agent, {.text = "?"}, {}, [&printer](auto&, const AnyEvent& event) { printer.on(event); });

    CHECK(text == "Thought: I calculate.\nAction: calculate\nAction Input: 15 * 25\nObservation: 375\nThought: Done.\n"
                  "Answer: 375.\n");
}
// shows W-08: the caller chooses model and temperature
TEST_CASE("the caller chooses the temperature, and the dialect the stop sequences") {
    Session session;
    session.options.sampling.temperature = 0;

    session.replied({"Answer: 375"});

    CHECK(session.requests[0].sampling.temperature == 0);
    CHECK(session.requests[0].stop == std::vector<std::string>{"\nPAUSE\n", "Observation:"});
}
// shows B-W01: an expression is calculated, never executed
TEST_CASE("an expression is calculated and never executed") {
    for (const auto* attack : {"__import__('os').system('id')", "9**9**9**9", "open('/etc/passwd').read()"}) {
        Session session;

        auto told = session.replied({std::string("Action: calculate: ") + attack + "\nPAUSE", "Answer: no"});

        REQUIRE(told.observations.size() == 1);
        CHECK(!told.observations[0].ok);
        CHECK(told.outcome == AnswerOutcome::answered);
    }
}
// shows B-W02
TEST_CASE("an unknown action makes an observation with the names of all actions") {
    Session session;

    auto told = session.replied({"Action: wikipedia: Madrid\nPAUSE", "Answer: no"});

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(session.last().back().content == "Observation: Error: there is no tool 'wikipedia'; there are: calculate, "
                                           "get_country_capitals, add, half, find, "
                                           "list-notes");
}
// shows B-W04: a country is matched as a whole
// shows W-07
TEST_CASE("a tool knows a country by its whole name in any case, and not by a part of the name") {
    for (const auto& [country, capital] :
         {std::pair{"spain", "Madrid"}, {"ARGENTINA", "Buenos Aires"}, {"United States", "Washington"}}) {
        Session session;
        auto told = session.replied({std::string("Action: get_country_capitals: ") + country + "\nPAUSE", "Answer: x"});
        REQUIRE(told.observations.size() == 1);
        CHECK(told.observations[0].text.find(capital) == 0);
    }
    for (const auto* part : {"Arg", "a", "\"\""}) {
        Session session;
        auto told = session.replied({std::string("Action: get_country_capitals: ") + part + "\nPAUSE", "Answer: x"});
        REQUIRE(told.observations.size() == 1);
        CHECK(!told.observations[0].ok);
        CHECK(told.observations[0].text.find("unknown country") != std::string::npos);
    }
}
// shows B-W05
TEST_CASE("a reply with neither Action nor Answer gets one reminder, and costs no fault") {
    Session session;
    session.options.max_faults = 1;

    auto told = session.replied({"Fifteen times twenty five is easy.", act, "I am sure now.", act, "Answer: 375"});

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.result.response == "375");
    CHECK(told.faults.size() == 2);
    CHECK(session.requests[1].messages[2].content == "Fifteen times twenty five is easy.");
    CHECK(session.requests[1].messages[3].content.find("neither an Action nor an Answer") != std::string::npos);
    CHECK(session.requests[1].messages[3].content.find("begins with \"Answer:\"") != std::string::npos);
}
TEST_CASE("the second reply in a row with neither Action nor Answer is the answer") {
    Session session;

    auto told = session.replied({"It is 375.", "Thought: As I said, it is 375."});

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.result.response == "As I said, it is 375.");
    CHECK(told.answer == told.result.response);
    CHECK(session.memory.read("").size() == 2);
    CHECK(session.requests.size() == 2);
}
// shows B-L06
TEST_CASE("faults between reminders are counted, so that a run ends") {
    Session session;
    session.options.max_steps = 20;

    auto told = session.replied({"Hm.", "Action:\nPAUSE", "Hm.", "Action:\nPAUSE", "Hm.", "Action:\nPAUSE"});

    CHECK(told.outcome == AnswerOutcome::failed);
    CHECK(session.requests.size() == 6);
}
// shows B-W06
TEST_CASE("the first of several actions runs, and the model gets a note about the ignored actions") {
    Session session;

    auto told = session.replied({"Action: half: 4\nPAUSE\nAction: half: 6\nPAUSE", "Answer: 2"});

    CHECK(told.observations.size() == 1);
    CHECK(session.last().back().content.starts_with(
        "Observation: 2\n\nNote: only the first action of your reply was run."));
}
// shows B-W07
TEST_CASE("an observation or answer invented by the model after its action is ignored") {
    Session session;

    auto told = session.replied({act + "\nObservation: 400\nAnswer: a dragon", "Answer: 375"});

    CHECK(told.result.response == "375");
    for (const auto& message : session.last()) {
        CHECK(message.content.find("dragon") == std::string::npos);
        CHECK(message.content.find("400") == std::string::npos);
    }
}
