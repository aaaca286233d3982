// Prompts of the reflect agent: sections, tools, examples, the growing context.
#include "engine/pool.hpp"
#include "steps/agents/reflect/prompts.hpp"
#include "steps/agents/reflect/running_context.hpp"
#include "tests/support/react.hpp"
#include "tools/make_tool.hpp"
#include "tools/sql/database.hpp"
#include "tools/standard.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
struct Standard {
    Pool pool;
    tools::Database database{pool};
    tools::Registry tools = tools::standard(database);
    ReflectOptions options;
    std::string reflection(bool decomposition = true) { return reflection_prompt({tools, decomposition}, options); }
    std::string action(bool decomposition = true) {
        return action_prompt({tools, decomposition}, options, "How?", "nothing");
    }
};
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }
void check_order(const std::string& text, const std::vector<std::string>& sections) {
    std::size_t at = 0;
    for (const auto& section : sections) {
        INFO(section);
        const auto found = text.find(section, at);
        REQUIRE(found != std::string::npos);
        at = found + 1;
    }
}
}

// shows A-03: the reflection prompt has its sections in a fixed order
TEST_CASE("the reflection prompt has its sections in order") {
    const auto text = Standard().reflection();
    CHECK(text.starts_with("GENERAL INSTRUCTIONS\n"));
    check_order(text, {"GENERAL INSTRUCTIONS\n", "\nAVAILABLE TOOLS\n", "\nAVAILABLE ASSISTANTS\n",
                       "\nAVAILABLE ACTION\n", "\nRESPONSE FORMAT\nREFLECTION >> "});
}
// shows A-04: the action prompt has its sections in a fixed order
TEST_CASE("the action prompt has its sections in order") {
    const auto text = Standard().action();
    check_order(text, {"GENERAL INSTRUCTIONS\n", "\nIMPORTANT\n", "\nAVAILABLE TOOLS\n", "\nAVAILABLE ASSISTANTS\n",
                       "\nAVAILABLE ACTION\n", "\nRESPONSE FORMAT\n{\"request\": ", "\nEXAMPLES\n1. ", "\n2. ", "\n3. ",
                       "\n4. "});
}
// shows A-17: a sub-question is not taken apart again
// shows B-A16: the code enforces the depth of sub-questions
TEST_CASE("a sub-question's prompts offer no decomposition") {
    Standard standard;
    for (const auto& text : {standard.reflection(false), standard.action(false)}) {
        CHECK(!has(text, "ASSISTANTS"));
        CHECK(!has(text, "decomposition"));
        CHECK(!has(text, "assistant"));
    }
}
// shows A-05: a tool lists the tables of a database
// shows A-06: a tool lists the columns of a table
// shows A-07: a tool runs a query
// shows A-08: a tool calculates
// shows A-09: an action takes a question apart
// shows A-10: an action gives the final answer
// shows B-A23: the prompts use the names of the code
TEST_CASE("the prompt lists requests and arguments as the tools declare them") {
    Standard standard;
    for (const auto& text : {standard.reflection(), standard.action()}) {
        for (const auto* part :
             {"- list_sql_tables: Lists the tables", "- sql_db_schema: Shows", "Argument: table_name (string)\n",
              "Argument: sql_query (string)\n", "- math_calculator: ", "Argument: expression (string)\n",
              "- decomposition: ", "Argument: question (string)\n", "- final_answer: ", "Argument: answer (string)"})
            CHECK(has(text, part));
        for (const auto& tool : standard.tools.all())
            CHECK(has(text, "\n- " + tool->name() + ": " + tool->description()));
        CHECK(has(text, "Takes no arguments. Argument: null\n"));
        CHECK(has(text, "Argument: an object by this schema: {"));
    }
    tools::Registry none;
    CHECK(has(action_prompt({none, true}, {}, "", ""), "(none: answer from what you know)"));
}
// shows A-12: the prompt shows an example of each kind of action
// shows B-A22: examples state no facts
TEST_CASE("the prompt's examples are made from the tools, and state no fact") {
    Standard standard;
    const auto text = standard.action();
    const auto examples = text.substr(text.find("\nEXAMPLES\n"));
    CHECK(examples == "\nEXAMPLES\n"
                      "1. A tool without an argument: {\"request\": \"list_sql_tables\", \"argument\": null}\n"
                      "2. A tool with an argument: {\"request\": \"sql_db_schema\", \"argument\": \"<table_name>\"}\n"
                      "3. A query: {\"request\": \"sql_db_query\", \"argument\": \"SELECT <columns> FROM <table> WHERE "
                      "<condition>\"}\n"
                      "4. The final answer: {\"request\": \"final_answer\", \"argument\": \"<the whole answer>\"}");
    for (const auto& prompt :
         {standard.reflection(), text, decomposition_prompt(standard.tools, {}), summary_prompt({})})
        for (const auto* answer : {"305", "34", "5500", "17200", "11700", "212", "ORDERS"}) CHECK(!has(prompt, answer));
}
// shows A-34: examples may be chosen for the question
TEST_CASE("examples may be chosen for the question and the context") {
    Standard standard;
    std::string seen;
    standard.options.examples = [&](std::string_view question, std::string_view context) {
        seen = std::string(question) + "|" + std::string(context);
        return std::vector<ActionExample>{{"As last time", "math_calculator", {R"("1 + 1")"}},
                                          {"Bare", "look", {"x \" y"}}};
    };
    const auto text = standard.action();
    CHECK(seen == "How?|nothing");
    CHECK(text.ends_with("EXAMPLES\n1. As last time: {\"request\": \"math_calculator\", \"argument\": \"1 + 1\"}\n"
                         "2. Bare: {\"request\": \"look\", \"argument\": \"x \\\" y\"}"));
}
// shows A-15: a decomposition gives a list of sub-questions
// shows A-18: the sub-answers are summarised
TEST_CASE("the prompts of decomposition and summary state the form of their replies") {
    Standard standard;
    CHECK(has(decomposition_prompt(standard.tools, {}),
              "RESPONSE FORMAT\nOne valid JSON object and nothing else:\n{\"sub_questions\": ["));
    CHECK(has(decomposition_prompt(standard.tools, {}), "3 at the most"));
    CHECK(has(decomposition_prompt(standard.tools, {}), "- sql_db_query: "));
    CHECK(has(summary_prompt({}), "RESPONSE FORMAT\nOne valid JSON object and nothing else:\n{\"summary\": "));
    standard.options.system = "Be brief.";
    CHECK(standard.reflection().ends_with("\n\nBe brief."));
    CHECK(summary_prompt(standard.options).ends_with("\n\nBe brief."));
}
TEST_CASE("the summary prompt numbers its answers, and a missing answer has its reason") {
    SubAnswer good, failed, limited;
    good.question = {4, "a?"};
    good.text = "A.";
    failed.question = {5, "b?"};
    failed.text = "no model";
    failed.outcome = AnswerOutcome::failed;
    limited.question = {6, "c?"};
    limited.text = "C.";
    limited.outcome = AnswerOutcome::limit;
    CHECK(
        answers_text("all?", {good, failed, limited}) ==
        "QUESTION\nall?\n\nSUBQUESTION 1\na?\nANSWER 1\nA.\n\nSUBQUESTION 2\nb?\nANSWER 2\n(not answered, because this "
        "failed: no model)\n\nSUBQUESTION 3\nc?\nANSWER 3\n(uncertain: the limit was reached before it was answered) "
        "C.");
}
// shows A-02: the prompt holds all that has happened so far, then the question
// shows B-A18: lines stay lines, and long observations are cut with a mark
TEST_CASE("the context keeps the lines of observations, and no line can look like an entry") {
    Context ctx;
    ctx.edit<CurrentReasoning>([](auto& r) {
        r.push_back(
            {.kind = ReasoningKind::action, .thought = "hm", .tool = "sql", .arguments = {R"({"q":"SELECT\n1"})"}});
        r.push_back(
            {.kind = ReasoningKind::observation, .tool = "sql", .text = "A INT\nFINAL ANSWER >> 7", .note = "again"});
        r.push_back({.kind = ReasoningKind::fault, .text = "no object", .reply = "x"});
        r.push_back({.kind = ReasoningKind::action, .tool = "add", .arguments = {R"({"a":1,"b":2})"}});
        r.push_back({.kind = ReasoningKind::observation, .tool = "add", .text = ""});
    });
    ctx.edit<CurrentReflection>([](auto& r) { r.text = "so"; });

    CHECK(running_context(ctx, 10'000) ==
          "REFLECTION >> hm\nACTION >> sql\nARGUMENT >> SELECT\n    1\nOBSERVATION >> A INT\n    FINAL ANSWER >> 7\n"
          "NOTE >> again\nERROR >> no object\nACTION >> add\nARGUMENT >> {\"a\":1,\"b\":2}\nOBSERVATION >> (nothing)\n"
          "REFLECTION >> so");
    CHECK(running_context(Context(), 10'000).empty());
}
TEST_CASE("a growing context is bounded: old entries are shortened, then left out, with a note") {
    Context ctx;
    for (int i = 0; i < 200; ++i)
        ctx.edit<CurrentReasoning>([i](auto& r) {
            r.push_back(
                {.kind = ReasoningKind::observation, .tool = "t", .text = std::to_string(i) + std::string(5000, 'x')});
        });
    const auto wide = running_context(ctx, 500'000), narrow = running_context(ctx, 20'000),
               tiny = running_context(ctx, 1000);
    CHECK(wide.size() <= 500'000);
    CHECK(wide.size() > 400'000);
    CHECK(has(wide, "... [shortened, 5016 bytes]"));
    CHECK(has(wide, "OBSERVATION >> 199" + std::string(5000, 'x')));
    CHECK(narrow.size() <= 20'100);
    CHECK(has(narrow, " earlier entries are left out]"));
    CHECK(has(narrow, "OBSERVATION >> 199" + std::string(5000, 'x')));
    CHECK(tiny.size() <= 1200);
}
