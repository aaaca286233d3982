// Tests an agent: one step by a call, and a whole run with a scripted model.
#include "engine/testing/await.hpp"
#include "engine/testing/recorder.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/make_tool.hpp"
#include "workflows/react.hpp"
#include <doctest/doctest.h>
using namespace weft;
using namespace weft::agents;
using models::ScriptedModel, models::user;
using testing::await;

// [step]
TEST_CASE("handle_llm_input stops the run when the model answers") {
    Context ctx;
    ScriptedModel model{"Thought: easy\nAnswer: 42"};

    auto next = await(handle_llm_input(ctx, InputEvent{{user("6 * 7?")}}, model, text_dialect));

    CHECK(std::get<AnswerEvent>(next).response == "42");
    CHECK(ctx.get<CurrentReasoning>().size() == 1);
}
// [/step]

// [run]
int multiply(int a, int b) { return a * b; }

TEST_CASE("the agent answers with what its tool has computed") {
    ScriptedModel model{"Action: multiply\nAction Input: {\"a\": 6, \"b\": 7}", "Thought: done\nAnswer: 42"};
    tools::Registry tools;
    tools.add(tools::make_tool("multiply", "Multiplies two integers.", multiply, {"a", "b"}));
    ConversationMemory memory;
    ReactOptions options;
    auto agent = workflows::react.with(model, text_dialect, memory, tools, options);
    testing::Recorder seen;

    auto answer = testing::run(agent, {.text = "6 * 7?"}, {.recorder = &seen});

    CHECK(answer.response == "42");
    CHECK(answer.outcome == AnswerOutcome::answered);
    CHECK(seen.only<ObservationEvent>().text == "42");
    CHECK(seen.count<TurnEvent>() == 2);
}
// [/run]
