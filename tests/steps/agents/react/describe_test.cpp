// The description of an agent, and a model's plain answer.
#include "steps/agents/react/describe.hpp"
#include "steps/view/side_by_side.hpp"
#include "tests/support/react.hpp"
#include "workflows/plain_answer.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace weft::view;

namespace {
struct Bare final : Dialect {
    std::string_view name() const override { return "bare"; }
    std::vector<models::Message> prompt(const PromptInput&) const override { return {}; }
    std::vector<std::string> stop() const override { return {}; }
    std::unique_ptr<ReplyParser> parser() const override { return text_dialect.parser(); }
};
bool has(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }
AnswerEvent ask_plainly(models::ChatModel& model, std::string question, const ReactOptions& options = {}) {
    UserMessageEvent start;
    start.text = std::move(question);
    return weft::run(workflows::plain_answer.with(model, options), start);
}
}

// shows D-17: an agent describes itself
// shows D-18: the prompt can be shown
TEST_CASE("an agent's description has its arguments, tools, template, places, model and parser") {
    Agent agent;
    add_tool(agent.tools, "look", [](const nlohmann::json&) { return tools::Observation{"x"}; });
    agent.options.system = "Be brief.\nBe kind.";
    agent.options.sampling.seed = 7;
    const TextDialect dialect("Tools:\n\n{tools}\n{tool_names} as {\"a\": 1} {tools}");
    const auto text = describe_agent({"react", dialect, agent.tools, agent.options, "openai:gpt-4o-mini"});
    CHECK(text == "workflow: react\n"
                  "dialect: react\n"
                  "model: openai:gpt-4o-mini\n"
                  "arguments:\n"
                  "  budget.cost: 0.0\n"
                  "  budget.requests: 0\n"
                  "  budget.time_ms: 0\n"
                  "  budget.tokens: 0\n"
                  "  budget.tool_calls: 0\n"
                  "  context_tokens: 0\n"
                  "  max_faults: 3\n"
                  "  max_retries: 10\n"
                  "  max_steps: 20\n"
                  "  restart: false\n"
                  "  sampling.max_tokens: (not set)\n"
                  "  sampling.seed: 7\n"
                  "  sampling.temperature: (not set)\n"
                  "  summarise: false\n"
                  "  system:\n"
                  "    | Be brief.\n"
                  "    | Be kind.\n"
                  "tools: 1\n"
                  "  1. look\n"
                  "     Does look.\n"
                  "     arguments: {\"type\":\"object\"}\n"
                  "template:\n"
                  "  | Tools:\n"
                  "\n"
                  "  | {tools}\n"
                  "  | {tool_names} as {\"a\": 1} {tools}\n"
                  "places: {tools} {tool_names}\n"
                  "parser:\n"
                  "  Thought: TEXT / Action: TOOL / Action Input: {ARGUMENTS}\n"
                  "  Thought: TEXT / Answer: TEXT\n"
                  "  Labels stand at the beginnings of lines; text without any label is an answer.\n"
                  "  a reply ends before: \"Observation:\"\n");
}
// shows D-19: the template is replaceable
TEST_CASE("a dialect without a template, and an agent without tools, are described too") {
    Agent agent;
    const auto text = describe_agent({"react", Bare(), agent.tools, agent.options, ""});
    CHECK(has(text, "\nmodel: (none is chosen)\n"));
    CHECK(has(text, "\ntools: 0\nparser:\n  a reply ends before: nothing but its end\n"));
}
// shows D-20: an answer without tools is there for comparison
TEST_CASE("a model answers without tools for a comparison with an agent") {
    AskedModel model([](const models::ChatRequest&) { return say("about 18,544.09"); });
    ReactOptions options;
    options.system = "Be brief.";
    options.sampling.temperature = 0.5;
    const auto answer = ask_plainly(model, "465 * 321?", options);
    CHECK(answer.response == "about 18,544.09");
    CHECK(answer.outcome == AnswerOutcome::answered);
    CHECK(answer.usage.prompt_tokens == 10);
    REQUIRE(model.requests.size() == 1);
    CHECK(model.requests[0].messages.size() == 2);
    CHECK(model.requests[0].messages[1].content == "465 * 321?");
    CHECK(model.requests[0].tools.empty());
    CHECK(model.requests[0].sampling.temperature == 0.5);
}
TEST_CASE("a refused plain answer fails, and a truncated one is marked as incomplete") {
    AskedModel refuses(
        [](const models::ChatRequest&) { return say("I would rather not.", models::FinishReason::refused); });
    AskedModel stops([](const models::ChatRequest&) { return say("and then", models::FinishReason::length); });
    const auto code_of = [](models::ChatModel& model, const char* question) {
        try {
            ask_plainly(model, question);
        } catch (const Error& error) { return error.code(); }
        return Code::step_failed;
    };
    CHECK(code_of(refuses, "?") == Code::model_refused);
    CHECK(code_of(stops, " \n") == Code::usage);
    CHECK(ask_plainly(stops, "?").outcome == AnswerOutcome::limit);
}
TEST_CASE("two answers are shown side by side, wrapped, as harmless text") {
    CHECK(side_by_side({"without the agent", "about 18,544.09 or so"}, {"with", "18527.42\n\x1B[2J"}, 43) ==
          "without the agent    | with\n"
          "---------------------+---------------------\n"
          "about 18,544.09 or   | 18527.42\n"
          "so                   | <U+001B>[2J\n");
    CHECK(side_by_side({"日本", ""}, {"b", ""}, 0) == "日本       | b\n-----------+-----------\n           |\n");
}
