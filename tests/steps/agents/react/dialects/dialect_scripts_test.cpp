// The bundled scripts of the langchain and pause dialects, with real tools.
#include "engine/pool.hpp"
#include "steps/agents/react/dialects/langchain_dialect.hpp"
#include "steps/agents/react/dialects/pause_dialect.hpp"
#include "tests/support/react.hpp"
#include "tools/alias.hpp"
#include "tools/sql/database.hpp"
#include "tools/standard.hpp"
#include "workflows/catalog/scripts.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace weft::catalog;
using namespace weft::workflows;

namespace {
AnswerEvent played(const std::string& name) {
    const auto& script = bundled_script(name);
    ScriptedModel model(script);
    Pool pool;
    tools::Database database(pool);
    const auto tools = tools::with_names(tools::standard(database), {{"math_calculator", "calculate"}});
    const auto usual = tools::standard(database);
    const PauseDialect pausing(tools);
    const LangchainDialect packed(usual);
    const ReactOptions options;
    const bool pauses = script.dialect == "pause";
    auto answer = run(react.with(model, pauses ? static_cast<const Dialect&>(pausing) : packed, no_memory(),
                                 pauses ? tools : usual, options),
                      {.text = script.question});
    CHECK(script.workflow == "react");
    CHECK(answer.outcome == AnswerOutcome::answered);
    CHECK(answer.sources.size() + 1 == script.replies.size());
    for (const auto& part : script.expect) CHECK(answer.response.find(part) != std::string::npos);
    return answer;
}
}

// shows W-07: the tools are a calculator, capitals and pages of the web
// shows W-09: the known sessions come out right
TEST_CASE("a scripted run gives 375 for fifteen times twenty five, from the calculator") {
    CHECK(played("product-pause").sources[0].output == "375");
}
TEST_CASE("a scripted run gives Madrid as the capital of Spain, from its tool") {
    CHECK(played("capital-pause").sources[0].output == "Madrid");
}
TEST_CASE("a scripted run gives 2 for two plus two, divided by two") {
    CHECK(played("mean-pause").sources[0].output == "2");
}
// shows A-31: the sales of two quarters come out right
// shows L-10, W-02
TEST_CASE("langchain and pause give the known figures of the first two quarters") {
    for (const auto* name : {"sales-langchain", "sales-pause"}) {
        const auto answer = played(name);
        REQUIRE(answer.sources.size() == 6);
        CHECK(answer.sources[2].output.find("5500") != std::string::npos);
        CHECK(answer.sources[3].output.find("17200") != std::string::npos);
        CHECK(answer.sources[4].output == "11700");
        CHECK(answer.sources[5].output.starts_with("212.727"));
    }
}
TEST_CASE("a script for a packed prompt replies again in a conversation, and to many runs at once") {
    Pool pool;
    tools::Database database(pool);
    const auto tools = tools::standard(database);
    const LangchainDialect packed(tools);
    const auto& script = bundled_script("sales-langchain");
    ScriptedModel model(script);
    ConversationMemory memory;
    const ReactOptions options;

    for (int round = 0; round < 2; ++round)
        CHECK(run(react.with(model, packed, memory, tools, options), {.text = script.question}).steps == 7);
    CHECK(memory.read("").size() == 4);
}
TEST_CASE("a renamed tool is the same tool, and its old name is unknown") {
    Pool pool;
    tools::Database database(pool);
    const auto tools = tools::with_names(tools::standard(database), {{"math_calculator", "calculate"}, {"none", "x"}});

    CHECK(tools.find("math_calculator") == nullptr);
    CHECK(tools.all().size() == tools::standard(database).all().size());
    CHECK(testing::await(tools.call("calculate", R"({"expression": "6 * 7"})")).text == "42");
}
