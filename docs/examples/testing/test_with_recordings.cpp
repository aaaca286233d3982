// Tests a user's agent without network and key; docs/tutorial/14 quotes it.
#include "engine/run.hpp"
#include "engine/testing/await.hpp"
#include "steps/models/http/providers.hpp"
#include "steps/models/recording/cache.hpp"
#include "steps/models/recording/recorded.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/make_tool.hpp"
#include "workflows/tool_agent.hpp"
#include <doctest/doctest.h>
#include <filesystem>
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
TEST_CASE("an error shows a changed prompt line by line") {
    auto model = models::recorded(WEFT_RECORDINGS "/stay.jsonl", {});
    tools::Registry tools;
    tools.add(tools::make_tool("price_of_stay", "What nights in a hotel cost.", price_of_stay, {"city", "nights"}));
    const agents::ToolAgentOptions options;
    const auto agent = workflows::tool_agent.with(*model, agents::no_memory(), tools, options);

    CHECK_THROWS_WITH_AS(run(agent, {.text = "What do three nights in Rome cost?"}),
                         doctest::Contains("What nights in a hotel cost."), Error);
}
// [/changed]
TEST_CASE("the same request is paid for once") {
    const auto file = (std::filesystem::temp_directory_path() / "weft_example_cache.jsonl").string();
    std::filesystem::remove(file);
    // [cache]
    models::ScriptedModel real{"42"};
    models::CachedModel model(real, file);
    models::ChatRequest request{.messages = {models::user("6 * 7?")}};

    const auto first = testing::await(model.chat(request));
    const auto again = testing::await(model.chat(request));

    CHECK(!first.cached);
    CHECK((again.cached && again.text == "42" && again.usage == models::Usage()));
    // [/cache]
    std::filesystem::remove(file);
}
