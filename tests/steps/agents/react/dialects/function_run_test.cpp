// Whole runs of the react workflow in the function-call dialect, and its bundled scripts.
#include "engine/json.hpp"
#include "engine/pool.hpp"
#include "steps/agents/react/dialects/function_dialect.hpp"
#include "steps/models/model_error.hpp"
#include "steps/models/prices.hpp"
#include "tests/support/react.hpp"
#include "tools/arithmetic.hpp"
#include "tools/make_tool.hpp"
#include "tools/sql/database.hpp"
#include "tools/standard.hpp"
#include "workflows/catalog/scripts.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
struct Desk : Agent {
    std::unique_ptr<FunctionDialect> own;
    Desk() {
        for (const auto& tool : tools::arithmetic()) tools.add(tool);
        options.max_steps = FunctionDialect::usual_steps;
    }
    Told ask(models::ChatModel& model, const std::string& question, bool fallback = false) {
        tools = function_tools(tools, model, options.sampling, fallback);
        own = std::make_unique<FunctionDialect>(tools);
        dialect = own.get();
        return Agent::ask(model, question);
    }
};
std::string last(const AskedModel& model) { return model.requests.back().messages.back().content; }
bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }
auto replies(std::vector<std::string> texts) {
    return [texts = std::move(texts), turn = std::size_t{0}](const models::ChatRequest&) mutable {
        return say(texts.at(turn++));
    };
}
const std::string finish = R"x({"thought": "Done.", "action": "finish(answer=\"It is 3.\")"})x";
}

// shows D-01: the agent has its options, and by default ten steps
// shows D-11
TEST_CASE("a run thinks, calls, observes and finishes, with ten steps as the usual limit") {
    Desk desk;
    AskedModel model(replies({"```\n{\"thought\": \"I add.\", \"action\": \"add(a=1, b=2)\"}\n```", finish}));

    const auto told = desk.ask(model, "1 + 2?");

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.result.response == "It is 3.");
    CHECK(told.thought == "I add.Done.");
    CHECK(told.answer == "It is 3.");
    CHECK(told.result.steps == 2);
    CHECK(FunctionDialect::usual_steps == 10);
}
// shows D-02
TEST_CASE("the user's addition and the sampling are options of a run, not of the dialect") {
    Desk desk;
    AskedModel model(replies({finish, finish}));
    desk.ask(model, "x");
    desk.options.system = "Be brief.";
    desk.options.sampling.temperature = 0.5;
    desk.ask(model, "x");

    CHECK(!has(model.requests[0].messages[0].content, "Be brief."));
    CHECK(has(model.requests[1].messages[0].content, "Be brief."));
    CHECK(!model.requests[0].sampling.temperature);
    CHECK(model.requests[1].sampling.temperature == 0.5);
}
// shows D-14
TEST_CASE("a parse error is the observation of its step, and the next step sees it with the reply") {
    Desk desk;
    AskedModel model(replies({R"x({"thought": "Hm.", "action": "add(x, 2)"})x", finish}));

    const auto told = desk.ask(model, "1 + 2?");

    CHECK(told.result.response == "It is 3.");
    CHECK(told.faults.size() == 1);
    CHECK(has(last(model), "Step 1.\n\"Thought\": \"Hm.\",\n\"Reply\": \"{\\\"thought\\\": \\\"Hm.\\\", "));
    CHECK(has(last(model), "\"Observation\": \"Error: this reply could not be followed: the action cannot be read: the "
                           "name x means nothing here"));
}
TEST_CASE("an execution error is the observation of its step, and the next step sees it") {
    Desk desk;
    AskedModel model(replies(
        {R"x({"action": "divide(1, 0)"})x", R"x({"action": "nobody(1)"})x", R"x({"action": "add(1)"})x", finish}));

    const auto told = desk.ask(model, "1 / 0?");

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(told.faults.empty());
    CHECK(has(last(model), "\"Action\": \"divide(1, 0)\",\n\"Observation\": \"Error: division by zero"));
    CHECK(has(last(model), "\"Observation\": \"Error: there is no tool 'nobody'; there are: add, "));
    CHECK(has(last(model), "\"Observation\": \"Error: wrong arguments for add: arguments.b: missing"));
}
// shows B-D06
TEST_CASE("a silent or truncated reply leaves a step without action, and the next step sees it") {
    Desk desk;
    int turn = 0;
    AskedModel model([&turn](auto&) {
        if (++turn == 1) return say("");
        return turn == 2 ? say("{\"thought\": \"so mu", models::FinishReason::length) : say(finish);
    });

    const auto told = desk.ask(model, "1 + 2?");

    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(has(last(model), "Step 1.\n\"Reply\": \"\",\n\"Observation\": \"Error: this reply could not be followed: it "
                           "was empty"));
    CHECK(has(last(model), "Step 2.\n\"Reply\": \"{\\\"thought\\\": \\\"so mu\",\n\"Observation\": \"Error: "));
}
// shows B-D01
TEST_CASE("a run at the limit of steps has that outcome, and the model's best answer as its text") {
    Desk desk;
    desk.options.max_steps = 3;
    int turn = 0;
    AskedModel model([&turn](auto& request) {
        if (has(request.messages.back().content, "There are no steps left")) return say(finish);
        return say("{\"action\": \"add(1, " + std::to_string(++turn) + ")\"}");
    });

    const auto told = desk.ask(model, "?");

    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.result.response == "It is 3.");
    CHECK(told.observations.size() == 3);
}
// shows B-D02: runs share no history
TEST_CASE("runs at once on one dialect share nothing") {
    Desk desk;
    AskedModel model([](const models::ChatRequest& request) {
        const auto& text = request.messages.back().content;
        const auto at = text.find("User query:\n") + 12;
        const auto number = text.substr(at, text.find('\n', at) - at);
        if (!has(text, "<STEPS>")) return say("{\"action\": \"add(" + number + ", 100)\"}");
        return say("{\"action\": \"finish(\\\"" + number + " gives " + std::to_string(std::stoi(number) + 100) +
                   "\\\")\"}");
    });
    model.delay = std::chrono::seconds(1);
    const FunctionDialect dialect(desk.tools);
    desk.dialect = &dialect;
    std::vector<std::string> questions;
    for (int i = 0; i < 20; ++i) questions.push_back(std::to_string(i));

    const auto told = desk.ask_all(model, questions);

    for (int i = 0; i < 20; ++i) {
        const auto& result = told[static_cast<std::size_t>(i)].result;
        CHECK(result.response == std::to_string(i) + " gives " + std::to_string(i + 100));
        REQUIRE(result.sources.size() == 1);
        CHECK(result.sources[0].output == std::to_string(i + 100));
    }
}
// shows D-15: each step has a record
TEST_CASE("the result has a record of each step: thought, action as written, tool, arguments, observation") {
    Desk desk;
    AskedModel model(replies({R"x({"thought": "I add.", "action": "add(1, b=1 + 1"})x", finish}));

    const auto reasoning = desk.ask(model, "1 + 2?").result.reasoning;

    REQUIRE(reasoning.size() == 3);
    CHECK(reasoning[0].thought == "I add.");
    CHECK(reasoning[0].reply == "add(1, b=1 + 1");
    CHECK(reasoning[0].tool == "add");
    CHECK(reasoning[0].arguments.text == R"({"a":1,"b":2})");
    CHECK(reasoning[1].text == "3");
    CHECK(reasoning[1].call == reasoning[0].call);
    CHECK(reasoning[2].text == "It is 3.");
    CHECK(from_json<std::vector<ReasoningStep>>(to_json(reasoning)).size() == 3);
}
// shows D-12
TEST_CASE("llm_tool is available to the planner, and can be switched off") {
    Desk desk;
    AskedModel model([](const models::ChatRequest& request) {
        const auto& text = request.messages.back().content;
        if (text == "capital?") return say("Paris.");
        return say(has(text, "Paris.") || has(text, "no tool") ? R"x({"action": "finish(\"Paris or not\")"})x"
                                                               : R"x({"action": "llm_tool(\"capital?\")"})x");
    });
    const auto without = desk.ask(model, "x", false);
    CHECK(has(without.observations.at(0).text, "there is no tool 'llm_tool'"));
    const auto with = desk.ask(model, "x", true);
    CHECK(with.observations.at(0).text == "Paris.");
    CHECK(with.result.sources.at(0).tool == "llm_tool");
}
namespace {
/// A model that asks llm_tool a number of questions in one action, and finishes after a step.
AskedModel curious(const std::string& action) {
    return AskedModel([action](const models::ChatRequest& request) {
        const auto& text = request.messages.back().content;
        if (text.ends_with("?") && text.size() < 20) return say(text.starts_with("What") ? "1" : "2");
        return say(has(text, "Observation") || has(text, "budget") ? finish : R"x({"action": ")x" + action + "\"}");
    });
}
}
// shows D-24: questions of `llm_tool` count, and keep to the budget
TEST_CASE("llm_tool's requests, tokens and money count in the usage of the run") {
    Desk desk;
    desk.options.prices = std::make_shared<models::PriceTable>(
        models::PriceTable::from_json(R"({"*": {"prompt": 1, "completion": 1}})", "test"));
    auto model = curious(R"(add(a=llm_tool(\"What?\"), b=llm_tool(\"How?\")))");

    const auto told = desk.ask(model, "x", true);

    INFO(told.error);
    CHECK(told.outcome == AnswerOutcome::answered);
    REQUIRE(told.result.sources.size() == 3);
    CHECK(told.result.sources[2].output == "3");
    CHECK(model.requests.size() == 4);
    CHECK(told.result.requests == 4);
    CHECK(told.result.usage.prompt_tokens == 40);
    CHECK(told.result.cost == doctest::Approx(4 * 13e-6));
}
TEST_CASE("llm_tool sends no request beyond the rest of the budget") {
    Desk desk;
    desk.options.budget.requests = 3;
    auto model = curious(R"(add(a=llm_tool(\"What?\"), b=llm_tool(\"How?\")))");
    const auto told = desk.ask(model, "x", true);
    CHECK(told.outcome == AnswerOutcome::limit);
    CHECK(told.result.limit == "requests");
    CHECK(has(told.observations.at(1).text, "Error: the budget of this task (requests) has no room for another "
                                            "question to the model: answer with what is known"));
    CHECK(told.result.requests == 3);
    CHECK(model.requests.size() == 3);

    Desk other;
    other.options.budget = {.tokens = 90};
    other.options.max_retries = 4;
    other.ask(model, "x", true);
    CHECK(model.requests.at(4).messages.size() == 2);
    CHECK(model.requests.at(4).sampling.max_tokens == 90 - 13);
    CHECK(model.requests.at(4).max_retries == 4);
}
TEST_CASE("llm_tool's failed attempts count in the usage, and its notes are reported") {
    Desk desk;
    desk.options.max_retries = 4;
    AskedModel model([](const models::ChatRequest& request) -> models::ChatReply {
        const auto& text = request.messages.back().content;
        if (text != "capital?") return say(has(text, "nobody") ? finish : R"x({"action": "llm_tool(\"capital?\")"})x");
        request.on_note({.model = "asked", .text = "it is slow"});
        throw models::ModelError(Code::model_unreachable, "nobody is there", {.attempts = 3});
    });

    const auto told = desk.ask(model, "x", true);

    CHECK(told.observations.at(0).text == "Error: nobody is there");
    CHECK(told.result.requests == 2 + 3);
    CHECK(told.result.retries == 2);
    CHECK(model.requests.back().max_retries == 2);
    CHECK(std::count(told.names.begin(), told.names.end(), "CallNoteEvent") == 1);
}
namespace {
AnswerEvent run_script(const models::Script& script) {
    ScriptedModel model(script);
    Pool pool;
    tools::Database database(pool);
    const auto tools = function_tools(tools::standard(database), model);
    const FunctionDialect dialect(tools);
    const ReactOptions options{.max_steps = FunctionDialect::usual_steps};
    auto answer = run(workflows::react.with(model, dialect, no_memory(), tools, options), {.text = script.question});
    CHECK(answer.outcome == AnswerOutcome::answered);
    for (const auto& part : script.expect) CHECK_MESSAGE(has(answer.response, part), part);
    return answer;
}
std::vector<std::string> outputs(const AnswerEvent& answer) {
    std::vector<std::string> all;
    for (const auto& source : answer.sources) all.push_back(source.output);
    return all;
}
}
// shows D-21: the arithmetic example comes out right
TEST_CASE("a scripted run gives Paris, 149265, 244562 and 18527.424242424244 in five steps, each from its tool") {
    const auto answer = run_script(catalog::bundled_script("arithmetic-function-call"));

    CHECK(answer.steps == 5);
    CHECK(outputs(answer) ==
          std::vector<std::string>{"The capital of France is Paris.", "149265", "244562", "18527.424242424244"});
}
// shows D-22: the example of rhymes and a poem comes out right
TEST_CASE("a scripted run gives five rhymes and a poem of four lines in three steps: llm_tool, llm_tool, finish") {
    const auto answer = run_script(catalog::bundled_script("poem-function-call"));

    CHECK(answer.steps == 3);
    REQUIRE(answer.sources.size() == 2);
    for (const auto& source : answer.sources) CHECK(source.tool == "llm_tool");
    const auto& poem = answer.sources[1].output;
    CHECK(std::count(poem.begin(), poem.end(), '\n') == 3);
    CHECK(has(answer.response, poem));
    for (const auto* word : {"school", "tool", "fool", "rule", "pool"}) CHECK(has(poem, word));
}
// shows A-31
TEST_CASE("the question about sales ends in the function-call dialect with the tools' results") {
    const auto answer = run_script(catalog::bundled_script("sales-function-call"));
    CHECK(answer.sources.size() == 6);
}
TEST_CASE("a script's aside answers requests without its question, and does not count as a reply") {
    const auto script = models::Script::from_json(
        R"({"question": "Q?", "replies": [{"aside": true, "when": "a", "reply": "1"},
        {"when": "Q?", "reply": "2"}, {"aside": true, "when": "b", "reply": "3"}]})",
        "s");
    ScriptedModel model(script);
    const auto ask = [&](const char* text) {
        models::ChatRequest request;
        request.messages.push_back(models::user(text));
        return testing::await(model.chat(request)).text;
    };
    CHECK(ask("b") == "3");
    CHECK(ask("a, b") == "1");
    CHECK(ask("Q? a") == "2");
    CHECK_THROWS_WITH_AS(ask("c"), doctest::Contains("expected the question \"Q?\""), Error);
    CHECK_THROWS_WITH_AS(models::Script::from_json(R"({"replies": [{"aside": true, "reply": "1"}]})", "s"),
                         doctest::Contains("an aside needs"), Error);
}
