// The prompts of the reflect agent, replaced by users.
#include "steps/agents/reflect/prompts.hpp"
#include "steps/agents/reflect/templates.hpp"
#include "tests/support/react.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
std::string mistake(const std::string& text) {
    try {
        ReflectTemplates templates(text);
    } catch (const Error& error) {
        CHECK(error.code() == Code::configuration);
        return error.what();
    }
    return "none";
}
}

TEST_CASE("a section replaces its prompt, and a prompt without a section stays unchanged") {
    tools::Registry tools;
    add_tool(tools, "look", [](const nlohmann::json&) { return tools::Observation{""}; });
    ReflectOptions own, usual;
    own.templates = std::make_shared<const ReflectTemplates>(
        "\n=== reflection ===\r\nThink, {an_assistant}{tools}|{actions}|{system}|\n\n=== summary ===\n\nSum {\"up\": "
        "1}\n");
    own.system = "Be brief.";

    CHECK(reflection_prompt({tools, true}, own) ==
          "Think, the assistant, - look: Does look. Argument: null|- final_answer: Ends the work. The argument is the "
          "whole answer to the question that was asked, in its language. Argument: answer (string)|Be brief.|");
    CHECK(reflection_prompt({tools, false}, own).starts_with("Think, - look"));
    CHECK(summary_prompt(own) == "Sum {\"up\": 1}\n\nBe brief.");
    CHECK(action_prompt({tools, true}, own, "", "") == action_prompt({tools, true}, usual, "", "") + "\n\nBe brief.");
    CHECK(decomposition_prompt(tools, own) == decomposition_prompt(tools, usual) + "\n\nBe brief.");
}
TEST_CASE("the usual templates as a text are a valid file of templates") {
    const ReflectTemplates usual;
    const ReflectTemplates again(usual.text());
    CHECK(again.text() == usual.text());
    CHECK(again.reflection.text() == usual.reflection.text());
    CHECK(again.action.text() == usual.action.text());
    CHECK(again.decomposition.text() == usual.decomposition.text());
    CHECK(again.summary.text() == usual.summary.text());
}
TEST_CASE("an error in a file of templates is one sentence that names the section") {
    CHECK(mistake("=== action ===\n{tools} {toolz}") ==
          "the section action: the template has places that nothing is known for: {toolz}; the template lacks "
          "{actions}; what it may use is {tools} {actions} {assistants} {an_assistant} {assistant_name} {examples} "
          "{system}");
    CHECK(mistake("{tools} {actions}") == "the template begins without the name of its prompt, a line such as === "
                                          "reflection ===; there are reflection, action, decomposition and summary");
    CHECK(mistake("=== acting ===\nx") ==
          "the template has a section \"acting\"; there are reflection, action, decomposition and summary");
    CHECK(mistake("=== summary ===\na\n=== summary ===\nb") == "the template has two sections summary");
    CHECK(mistake("=== summary ===\n \n=== decomposition ===\n{tools}") == "the template's section summary is empty");
    CHECK(mistake("=== decomposition ===\n{tools}\n== summary ==\nShort.") ==
          "the template has a line \"== summary ==\": a section begins with a line such as === reflection ===");
    CHECK(mistake("=== summary ===") == "the template's section summary is empty");
    CHECK(mistake("=== summary ===\n\xFF").find("is not UTF-8") != std::string::npos);
    CHECK(mistake("=== summary ===\n=====\nx ===") == "none");
    CHECK(mistake(" \n") == "none");
}
