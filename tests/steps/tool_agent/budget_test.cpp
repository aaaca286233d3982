#include "engine/error.hpp"
#include "steps/budget/budget.hpp"
#include "steps/llm/prices.hpp"
#include "steps/structured/ask_for.hpp"
#include "tests/support/tool_agent.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace std::chrono_literals;

namespace {
/// Calls a tool for as long as it may. Every reply costs 13 tokens.
llm::ChatReply busy(const llm::ChatRequest& request) {
    if (request.choice == llm::ToolChoice::none) return say("What I have.");
    const auto n = std::to_string(request.messages.size());
    return calls({{"c" + n, "count", "{\"n\": " + n + "}"}});
}
struct Busy : NativeAgent {
    Busy() {
        add("count", [this](const nlohmann::json& a) {
            ++ran;
            return tools::Observation{a.dump()};
        });
    }
    int ran = 0;
};
}

TEST_CASE("a run closes before it passes a bound of its budget, and says which") {
    struct Case {
        Budget budget;
        const char* limit;
        std::size_t requests;
    };
    const Case cases[] = {{{.requests = 4}, "requests", 4},
                          {{.tool_calls = 2}, "tool_calls", 3},
                          {{.tokens = 60}, "tokens", 4},
                          {{.cost = 0.00006}, "cost", 4}};
    for (const auto& one : cases) {
        Busy agent;
        agent.options.budget = one.budget;
        agent.options.prices = std::make_shared<llm::PriceTable>(
            llm::PriceTable::from_json(R"({"*": {"prompt": 1, "completion": 1}})", "t"));
        Asked model(busy);
        const auto told = agent.ask(model);
        CAPTURE(one.limit);
        CHECK(told.outcome == Outcome::limit);
        CHECK(told.result.limit == one.limit);
        CHECK(told.result.response == "What I have.");
        CHECK(model.requests.size() == one.requests);
        CHECK(told.result.cost == doctest::Approx(13e-6 * double(one.requests)));
        CHECK(told.result.usage.prompt_tokens == 10 * std::int64_t(one.requests));
    }
}
TEST_CASE("calls beyond the budget are not run, and have results that say so") {
    Busy agent;
    agent.options.budget.tool_calls = 2;
    Asked model([](const llm::ChatRequest& request) {
        if (request.messages.size() > 2) return say("Enough.");
        return calls({{"a", "count", R"({"n": 1})"}, {"b", "count", R"({"n": 2})"}, {"c", "count", R"({"n": 3})"}});
    });
    agent.ask(model);
    CHECK(agent.ran == 2);
    const auto& messages = model.requests.at(1).messages;
    CHECK(messages[5].call == "c");
    CHECK(messages[5].content.find("this was not called") != std::string::npos);
}
TEST_CASE("time is a bound, too, and tools count") {
    Busy agent;
    agent.options.budget.time_ms = 60'000;
    Asked model(busy);
    model.delay = 10s;
    const auto told = agent.ask(model);
    CHECK(told.result.limit == "time");
    CHECK(model.requests.size() == 6);
}
TEST_CASE("the model is told what is left when it is little, and its replies are no longer than that") {
    Busy agent;
    agent.options.budget = {.tokens = 80};
    Asked model(busy);
    agent.ask(model);
    REQUIRE(model.requests.size() == 6);
    CHECK(model.requests[0].messages.back().content.find("Little is left") == std::string::npos);
    CHECK(model.requests[4].messages.back().content.find("Little is left for this task: about 28 tokens") !=
          std::string::npos);
    CHECK(model.requests[4].sampling.max_tokens == 28);
}
TEST_CASE("a text agent keeps to its budget in the same way") {
    Agent agent;
    add_tool(agent.tools, "count", [](const nlohmann::json& a) { return tools::Observation{a.dump()}; });
    agent.options.budget.requests = 3;
    Asked model([n = 0](const llm::ChatRequest& request) mutable {
        if (request.messages.back().content.find("budget of this task") != std::string::npos)
            return say("Answer: enough");
        return say("Thought: on\nAction: count\nAction Input: {\"n\": " + std::to_string(++n) + "}");
    });
    const auto told = agent.ask(model, "Count.");
    CHECK(told.result.limit == "requests");
    CHECK(told.result.response == "enough");
    CHECK(model.requests.size() == 3);
}
TEST_CASE("prices are found by the longest name that fits, and what has none is not known") {
    const auto prices = llm::PriceTable::from_json(
        R"({"openai:*": {"prompt": 2, "completion": 4},
            "openai:small": {"prompt": 1, "completion": 1, "cached": 0.5}})",
        "test");
    const llm::Usage usage{1'000'000, 500'000, 400'000};
    CHECK(prices.cost("openai:big", usage) == doctest::Approx(4.0));
    CHECK(prices.cost("openai:small", usage) == doctest::Approx(0.6 + 0.2 + 0.5));
    CHECK_FALSE(prices.cost("ollama:x", usage));
    for (const auto* bad : {"[]", "{", R"({"a": 1})", R"({"a": {"prompt": -1, "completion": 1}})", R"({"a": {}})"})
        CHECK_THROWS_AS(llm::PriceTable::from_json(bad, "test"), Error);
}
namespace {
struct Sales {
    double q1 = 0, q2 = 0;
    std::optional<std::string> comment;
};
BOOST_DESCRIBE_STRUCT(Sales, (), (q1, q2, comment))
}
TEST_CASE("a reply becomes a described struct, after repairs if need be") {
    Asked model([n = 0](const llm::ChatRequest&) mutable {
        return say(++n == 1 ? "5500 and 17200" : R"({"q1": 5500, "q2": 17200, "comment": null})");
    });
    llm::ChatRequest request;
    request.messages.push_back(llm::user("Sales?"));
    const auto sales = testing::await(ask_for<Sales>(model, request));
    CHECK((sales.q1 == 5500 && sales.q2 == 17200 && !sales.comment));
    const auto schema = nlohmann::json::parse(model.requests[0].schema.schema);
    CHECK(schema["required"] == nlohmann::json({"comment", "q1", "q2"}));
    CHECK(schema["additionalProperties"] == false);
    Asked liar([](auto&) { return say(R"({"q1": 1, "q2": 2, "comment": null, "more": 3})"); });
    CHECK_THROWS_WITH_AS(testing::await(ask_for<Sales>(liar, request)), doctest::Contains("in 3 tries"), Error);
}
