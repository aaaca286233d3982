#include "engine/error.hpp"
#include "steps/agents/common/ask_for.hpp"
#include "steps/agents/common/budget.hpp"
#include "steps/models/model_error.hpp"
#include "steps/models/prices.hpp"
#include "tests/support/tool_agent.hpp"
#include <doctest/doctest.h>
using namespace test;
using namespace std::chrono_literals;

namespace {
/// A model that calls a tool as long as tools are offered. Every reply costs 13 tokens.
models::ChatReply busy(const models::ChatRequest& request) {
    if (request.choice == models::ToolChoice::none) return say("What I have.");
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

TEST_CASE("a run ends before it exceeds a bound of its budget, and names the bound") {
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
        agent.options.prices = std::make_shared<models::PriceTable>(
            models::PriceTable::from_json(R"({"*": {"prompt": 1, "completion": 1}})", "t"));
        AskedModel model(busy);
        const auto told = agent.ask(model);
        CAPTURE(one.limit);
        CHECK(told.outcome == AnswerOutcome::limit);
        CHECK(told.result.limit == one.limit);
        CHECK(told.result.response == "What I have.");
        CHECK(model.requests.size() == one.requests);
        CHECK(told.result.cost == doctest::Approx(13e-6 * double(one.requests)));
        CHECK(told.result.usage.prompt_tokens == 10 * std::int64_t(one.requests));
    }
}
TEST_CASE("calls beyond the budget do not run, and have results that say so") {
    Busy agent;
    agent.options.budget.tool_calls = 2;
    AskedModel model([](const models::ChatRequest& request) {
        if (request.messages.size() > 2) return say("Enough.");
        return calls({{"a", "count", R"({"n": 1})"}, {"b", "count", R"({"n": 2})"}, {"c", "count", R"({"n": 3})"}});
    });
    agent.ask(model);
    CHECK(agent.ran == 2);
    const auto& messages = model.requests.at(1).messages;
    CHECK(messages[5].call == "c");
    CHECK(messages[5].content.find("this was not called") != std::string::npos);
}
TEST_CASE("a bound of time includes the time of tools") {
    Busy agent;
    agent.options.budget.time_ms = 60'000;
    AskedModel model(busy);
    model.delay = 10s;
    const auto told = agent.ask(model);
    CHECK(told.result.limit == "time");
    CHECK(model.requests.size() == 6);
}
TEST_CASE("the prompt names the rest of the budget when it is small, and replies are no longer than it") {
    Busy agent;
    agent.options.budget = {.tokens = 80};
    AskedModel model(busy);
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
    AskedModel model([n = 0](const models::ChatRequest& request) mutable {
        if (request.messages.back().content.find("budget of this task") != std::string::npos)
            return say("Answer: enough");
        return say("Thought: on\nAction: count\nAction Input: {\"n\": " + std::to_string(++n) + "}");
    });
    const auto told = agent.ask(model, "Count.");
    CHECK(told.result.limit == "requests");
    CHECK(told.result.response == "enough");
    CHECK(model.requests.size() == 3);
}
TEST_CASE("a price is found by the longest matching name, and a model without one has no known price") {
    const auto prices = models::PriceTable::from_json(
        R"({"openai:*": {"prompt": 2, "completion": 4},
            "openai:small": {"prompt": 1, "completion": 1, "cached": 0.5}})",
        "test");
    const models::Usage usage{1'000'000, 500'000, 400'000};
    CHECK(prices.cost("openai:big", usage) == doctest::Approx(4.0));
    CHECK(prices.cost("openai:small", usage) == doctest::Approx(0.6 + 0.2 + 0.5));
    CHECK_FALSE(prices.cost("ollama:x", usage));
    for (const auto* bad : {"[]", "{", R"({"a": 1})", R"({"a": {"prompt": -1, "completion": 1}})", R"({"a": {}})"})
        CHECK_THROWS_AS(models::PriceTable::from_json(bad, "test"), Error);
}
namespace {
struct Sales {
    double q1 = 0, q2 = 0;
    std::optional<std::string> comment;
};
BOOST_DESCRIBE_STRUCT(Sales, (), (q1, q2, comment))
}
TEST_CASE("a reply becomes a described struct, after repairs if need be") {
    AskedModel model([n = 0](const models::ChatRequest&) mutable {
        return say(++n == 1 ? "5500 and 17200" : R"({"q1": 5500, "q2": 17200, "comment": null})");
    });
    models::ChatRequest request;
    request.messages.push_back(models::user("Sales?"));
    const auto sales = testing::await(ask_for<Sales>(model, request));
    CHECK((sales.q1 == 5500 && sales.q2 == 17200 && !sales.comment));
    const auto schema = nlohmann::json::parse(model.requests[0].schema.schema);
    CHECK(schema["required"] == nlohmann::json({"comment", "q1", "q2"}));
    CHECK(schema["additionalProperties"] == false);
    AskedModel liar([](auto&) { return say(R"({"q1": 1, "q2": 2, "comment": null, "more": 3})"); });
    CHECK_THROWS_WITH_AS(testing::await(ask_for<Sales>(liar, request)), doctest::Contains("in 3 tries"), Error);
}
TEST_CASE("retries and failures count against the bound of requests, and never exceed it") {
    Busy agent;
    agent.options.budget.requests = 6;
    AskedModel model([](const models::ChatRequest& request) {
        auto reply = busy(request);
        reply.attempts = 1 + std::min(2, request.max_retries.value_or(9));  // it fails up to the bound of retries
        return reply;
    });
    const auto told = agent.ask(model);
    CHECK(told.result.limit == "requests");
    CHECK(told.result.requests <= 6);
}
TEST_CASE("a bound of cost without a price of the model is refused, not ignored") {
    Busy agent;
    agent.options.budget.cost = 1;
    AskedModel model(busy);
    CHECK(agent.ask(model).error.find("the table of prices has no price for asked") != std::string::npos);
    agent.options.prices = std::make_shared<models::PriceTable>(
        models::PriceTable::from_json(R"({"other": {"prompt": 1, "completion": 1}})", "test"));
    CHECK(agent.ask(model).error.find("the table of prices has no price for asked") != std::string::npos);
}
TEST_CASE("tokens not counted by a server are estimated when they are bounded") {
    const auto run = [](Budget budget, std::size_t turns) {
        Busy agent;
        agent.options.budget = budget;
        agent.options.prices = std::make_shared<models::PriceTable>(
            models::PriceTable::from_json(R"({"*": {"prompt": 1, "completion": 1}})", "t"));
        AskedModel model([turns](const models::ChatRequest& request) {
            auto reply = request.messages.size() > 2 * turns ? say("Done.") : busy(request);
            reply.usage = {};
            return reply;
        });
        return agent.ask(model).result;
    };
    const auto by_tokens = run({.tokens = 500}, 1000), by_cost = run({.cost = 500e-6}, 1000);
    CHECK(by_tokens.limit == "tokens");
    CHECK(by_tokens.usage.prompt_tokens > 0);
    CHECK(by_cost.limit == "cost");
    CHECK(by_cost.cost.value_or(0) > 0);
    const auto unbounded = run({}, 2);
    CHECK(unbounded.usage == models::Usage());
    CHECK_MESSAGE(!unbounded.cost, "what no server has counted is not known, and not 0");
}
TEST_CASE("a run with a form gives only a fitting answer, also at a limit") {
    for (const auto* last : {"", "prose", R"({"m": 1})"}) {
        Busy agent;
        agent.options.form = answer_form<Sales>();
        agent.options.max_steps = 1;
        AskedModel model([last](const models::ChatRequest& request) {
            return request.choice == models::ToolChoice::none ? say(last) : busy(request);
        });
        const auto told = agent.ask(model);
        CAPTURE(last);
        CHECK(told.outcome == AnswerOutcome::failed);
        CHECK(told.error.find("the run came to its limit") != std::string::npos);
    }
}
TEST_CASE("the budget counts and bounds the requests that put a text agent's answer into a form") {
    NativeAgent agent;
    agent.options.form = answer_form<Sales>();
    agent.options.prices = std::make_shared<models::PriceTable>(
        models::PriceTable::from_json(R"({"*": {"prompt": 1, "completion": 1}})", "t"));
    AskedModel model([n = 0](const models::ChatRequest& request) mutable {
        ++n;
        if (n == 1) throw models::ToolsUnsupported("it cannot call tools (400)");
        return say(request.schema.schema.empty() ? "Thought: t\nAnswer: 1 and 2"
                                                 : R"({"q1": 1, "q2": 2, "comment": null})");
    });
    const auto told = agent.ask(model);
    CHECK(told.result.response == R"({"comment":null,"q1":1,"q2":2})");
    CHECK(told.result.requests == 3);
    CHECK(told.result.usage.prompt_tokens == 20);
    CHECK(told.result.cost == doctest::Approx(26e-6));
}
TEST_CASE("a repair of a form is requested only as long as the budget allows") {
    NativeAgent agent;
    agent.options.form = answer_form<Sales>();
    for (const int requests : {3, 4, 9}) {
        agent.options.budget.requests = requests;
        AskedModel model([n = 0](const models::ChatRequest& request) mutable {
            if (++n == 1) throw models::ToolsUnsupported("it cannot call tools (400)");
            return say(request.schema.schema.empty() ? "Thought: t\nAnswer: 1 and 2" : "1 and 2");
        });
        const auto told = agent.ask(model);
        CAPTURE(requests);
        CHECK(told.outcome == AnswerOutcome::failed);
        CHECK(int(model.requests.size()) == std::min(requests, 5));
        CHECK((told.error.find("the budget of the run is spent") != told.error.npos) == (requests < 9));
    }
}
TEST_CASE("a text agent as a substitute has the remaining retries") {
    NativeAgent agent;
    agent.options.max_retries = 5;
    AskedModel model([n = 0](const models::ChatRequest&) mutable {
        if (++n == 1) throw models::ToolsUnsupported("it cannot call tools (400)", {.attempts = 3});
        auto reply = say("Thought: t\nAnswer: 1 and 2");
        reply.attempts = 2;
        return reply;
    });
    const auto told = agent.ask(model);
    CHECK(told.outcome == AnswerOutcome::answered);
    CHECK(model.requests.at(1).max_retries == 3);
    CHECK(told.result.retries == 3);
    CHECK(told.result.requests == 5);
}
TEST_CASE("a child's budget is the rest of its parent's budget or a part of it") {
    const Budget budget{.tokens = 100, .cost = 1, .requests = 9, .tool_calls = 3, .time_ms = 50};
    Spent spent;
    spent.usage = {30, 10};
    spent.requests = 12;
    const auto left = left_of(budget, spent);
    CHECK((left.tokens == 60 && left.requests == -1 && left.tool_calls == 3));
    const auto part = part_of(left, 3);
    CHECK((part.tokens == 20 && part.requests == -1 && part.tool_calls == 1 && part.time_ms == 50));
    CHECK(left_of(Budget(), spent).requests == 0);
    CHECK(all_spent(part, Spent()) == "requests");
    CHECK(part_of({.requests = 2}, 3).requests == -1);
}
