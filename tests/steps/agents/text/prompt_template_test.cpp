// Templates of prompts.
#include "engine/error.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/agents/text/prompt_template.hpp"
#include <doctest/doctest.h>
using namespace weft::agents;
using weft::Error;

// shows L-12
TEST_CASE("places are replaced by their values, and all other braces stay unchanged") {
    const PromptTemplate t("{tools} {\"a\": {}} {A} { tools } {{tools}} {tools", {"tools"});

    CHECK(t.render({{"tools", "x{tools}"}}) == "x{tools} {\"a\": {}} {A} { tools } {x{tools}} {tools");
}
TEST_CASE("unknown and missing places are listed in one error") {
    CHECK_THROWS_WITH_AS(
        PromptTemplate("{tols} {names} {tols}", {"tools", "tool_names"}, {"system"}),
        "the template has places that nothing is known for: {tols} {names}; the template lacks {tools} "
        "{tool_names}; what it may use is {tools} {tool_names} {system}",
        Error);
    CHECK_THROWS_AS(TextDialect("no places"), Error);
}
TEST_CASE("a template's header is replaceable, and a user's addition has its place or the end") {
    weft::tools::Registry none;
    const Conversation conversation{{}, "?"};
    const CurrentReasoning reasoning;
    const PromptInput now{conversation, reasoning, none, "Be brief."};

    CHECK(TextDialect("{system} {tools} {tool_names}").prompt(now)[0].content ==
          "Be brief. There are none: answer from what you know. (there are none)");
    CHECK(TextDialect("{tools}{tool_names}").prompt(now)[0].content.ends_with("\n\nBe brief."));
}
