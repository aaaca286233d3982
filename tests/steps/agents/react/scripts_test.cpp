// The bundled scripts with real tools.
#include "engine/pool.hpp"
#include "tests/support/react.hpp"
#include "tools/arithmetic.hpp"
#include "tools/sql/database.hpp"
#include "tools/standard.hpp"
#include "workflows/catalog/scripts.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace weft::catalog;
using namespace weft::workflows;

TEST_CASE("every bundled script has all data of its listing") {
    CHECK(bundled_scripts().size() >= 3);
    for (const auto& script : bundled_scripts()) {
        CHECK(!script.workflow.empty());
        CHECK(!script.dialect.empty());
        CHECK(!script.question.empty());
        CHECK(!script.expect.empty());
        CHECK(bundled_script(script.name).question == script.question);
        for (const auto& reply : script.replies) CHECK(!reply.when.empty());
    }
    CHECK_THROWS_WITH_AS(bundled_script("salse"),
                         doctest::Contains("there is no script \"salse\"; there are arithmetic, "), Error);
}
// shows D-21
TEST_CASE("the arithmetic script ends with the tools' actual results") {
    Agent agent;
    for (const auto& tool : tools::arithmetic()) agent.tools.add(tool);
    const auto& script = bundled_script("arithmetic");
    ScriptedModel model(script);

    auto told = agent.ask(model, script.question);

    INFO(told.error);
    CHECK(told.outcome == AnswerOutcome::answered);
    for (const auto& part : script.expect) CHECK(told.result.response.find(part) != std::string::npos);
    CHECK(told.result.sources.size() == 3);
}
TEST_CASE("a bundled script replies again in a conversation, and to many runs at once") {
    Agent agent;
    for (const auto& tool : tools::arithmetic()) agent.tools.add(tool);
    const auto& script = bundled_script("arithmetic");
    ScriptedModel model(script);

    for (int round = 0; round < 2; ++round)
        for (const auto& told : agent.ask_all(model, {script.question, script.question, script.question}))
            CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(agent.memory.read("").size() == 12);
}
TEST_CASE("a script refuses another question, and its error has both questions") {
    Agent agent;
    ScriptedModel model(bundled_script("orders"));

    auto told = agent.ask(model, "How many agents are there?");

    CHECK(told.outcome == AnswerOutcome::failed);
    CHECK(told.error.find("expected the question \"How many orders were there in 2024?\", got") != std::string::npos);
}
// shows A-32: the count of orders comes out right
// shows A-31
TEST_CASE("the scripts about sales and orders end with the actual results of database and calculator") {
    for (const auto* name : {"sales", "orders"}) {
        const auto& script = bundled_script(name);
        ScriptedModel model(script);
        Pool pool;
        tools::Database database(pool);
        const auto tools = tools::standard(database);
        const ReactOptions options;

        const auto answer = run(workflows::react.with(model, text_dialect, no_memory(), tools, options),
                                {.text = script.question});

        CHECK(answer.outcome == AnswerOutcome::answered);
        for (const auto& part : script.expect) CHECK(answer.response.find(part) != std::string::npos);
        CHECK(answer.sources.size() + 1 == script.replies.size());
    }
}
