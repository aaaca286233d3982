// The bundled scripts of the reflect workflow, with real tools.
#include "engine/pool.hpp"
#include "engine/run.hpp"
#include "tests/support/reflect.hpp"
#include "tools/sql/database.hpp"
#include "tools/standard.hpp"
#include "workflows/catalog/scripts.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
struct Played {
    AnswerEvent answer;
    std::size_t replies = 0;
};
Played play(const std::string& name, Memory& memory = no_memory()) {
    const auto& script = catalog::bundled_script(name);
    ScriptedModel model(script);
    Pool pool;
    tools::Database database(pool);
    const auto tools = tools::standard(database);
    const ReflectOptions options;
    Played played;
    played.answer = run(workflows::reflect.with(model, memory, tools, options), {.text = script.question});
    played.replies = script.replies.size();
    CHECK(played.answer.outcome == AnswerOutcome::answered);
    for (const auto& part : script.expect) CHECK(played.answer.response.find(part) != std::string::npos);
    return played;
}
std::vector<std::string> called(const AnswerEvent& answer) {
    std::vector<std::string> tools;
    for (const auto& source : answer.sources) tools.push_back(source.tool);
    return tools;
}
}

// shows A-33: the turns of both runs have the known shape
// shows A-31
TEST_CASE("a scripted run gives the sales of two quarters through three sub-questions, each figure from a tool") {
    const auto [answer, replies] = play("sales-reflect");

    CHECK(called(answer) == std::vector<std::string>{"list_sql_tables", "sql_db_schema", "sql_db_query", "sql_db_query",
                                                     "math_calculator", "math_calculator"});
    CHECK(answer.sources[2].output == "[(5500,)]");
    CHECK(answer.sources[3].output == "[(17200,)]");
    CHECK(answer.sources[4].output == "11700");
    CHECK(answer.sources[5].output.starts_with("212.727"));
    CHECK(replies == 2 + 1 + 8 + 4 + 6 + 1 + 2);
}
// shows A-32
TEST_CASE("a scripted run gives the orders of 2024 in three turns: tables, query, answer") {
    const auto [answer, replies] = play("orders-reflect");

    CHECK(called(answer) == std::vector<std::string>{"list_sql_tables", "sql_db_query"});
    CHECK(answer.sources[1].output == "[(34,)]");
    CHECK(answer.steps == 3);
    CHECK(replies == 6);
}
// shows A-24
TEST_CASE("a script replies again in a conversation that remembers its sub-questions") {
    ConversationMemory memory;
    for (int round = 0; round < 2; ++round) play("sales-reflect", memory);
    CHECK(memory.read("").size() == 16);
}
TEST_CASE("a script with conditions refuses another question and an unexpected message") {
    ScriptedModel model(catalog::bundled_script("orders-reflect"));
    Reflector agent;
    CHECK(agent.ask(model, "How many agents are there?").error.find("expected the question \"How many orders") !=
          std::string::npos);
    const auto told = agent.ask(model, "How many orders were there in 2024?");  // without a database
    CHECK(told.outcome == AnswerOutcome::failed);
    CHECK(told.code == Code::script_mismatch);
    CHECK(told.error.find("expected a message that fits one of its replies") != std::string::npos);
}
