// The test of an agent of one's own that needs neither network nor key: docs/tutorial/14 quotes it.
#include "engine/run.hpp"
#include "steps/models/http/providers.hpp"
#include "steps/models/recording/recorded.hpp"
#include "tools/make_tool.hpp"
#include "workflows/tool_agent.hpp"
#include <doctest/doctest.h>
using namespace weft;

namespace {
std::string price_of_stay(std::string city, int nights) { return city + ": " + std::to_string(120 * nights) + " EUR"; }
}

// [test]
TEST_CASE("the agent looks prices up") {
    auto model = models::recorded(WEFT_RECORDINGS "/stay.jsonl", [] {
        return models::make_model(models::parse_model_name("openai:gpt-4o-mini"), models::Settings::of_process());
    });
    tools::Registry tools;
    tools.add(
        tools::make_tool("price_of_stay", "What some nights in a hotel cost.", price_of_stay, {"city", "nights"}));
    const agents::ToolAgentOptions options;

    auto answer = run(workflows::tool_agent.with(*model, agents::no_memory(), tools, options),
                      {.text = "What do three nights in Rome cost?"});

    CHECK(answer.response.find("360 EUR") != std::string::npos);
    CHECK(answer.sources.size() == 1);
}
// [/test]
// [changed]
TEST_CASE("a prompt that has changed is told line by line") {
    auto model = models::recorded(WEFT_RECORDINGS "/stay.jsonl", {});
    tools::Registry tools;
    tools.add(tools::make_tool("price_of_stay", "What nights in a hotel cost.", price_of_stay, {"city", "nights"}));
    const agents::ToolAgentOptions options;
    const auto agent = workflows::tool_agent.with(*model, agents::no_memory(), tools, options);

    CHECK_THROWS_WITH_AS(run(agent, {.text = "What do three nights in Rome cost?"}),
                         doctest::Contains("What nights in a hotel cost."), Error);
}
// [/changed]
