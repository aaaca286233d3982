// Prompts cost their full price once: each begins with the one before it, in every agent and protocol, and has marks
// for a provider's cache where the protocol needs them.
#include "steps/agents/react/dialects/function_dialect.hpp"
#include "steps/agents/react/dialects/langchain_dialect.hpp"
#include "steps/agents/react/dialects/pause_dialect.hpp"
#include "steps/agents/react/dialects/thinking_dialect.hpp"
#include "tests/support/prompt_cache.hpp"
#include "tests/support/reflect.hpp"
#include "tests/support/tool_agent.hpp"
#include "tools/make_tool.hpp"
#include <doctest/doctest.h>
using namespace test;

namespace {
using Requests = std::vector<models::ChatRequest>;
constexpr int turns = 10, faulty_turn = 4;
const Budget bound{.requests = 11};  // the prompts of the last turns name the rest

tools::Registry one_tool() {
    tools::Registry tools;
    tools.add(tools::make_tool("look", "Looks at a page of the book.",
                               [](int n) { return "Page " + std::to_string(n) + ": " + std::string(2000, 'x'); },
                               {"n"}));
    return tools;
}
const std::string rules = "The rules of the house: " + std::string(4000, 'r');

/// Returns a turn's reply in the form of a dialect.
struct Style {
    const char *name, *before, *behind, *fault, *answer;
};
constexpr Style styles[] = {
    {"react", "Thought: I look.\nAction: look\nAction Input: {\"n\": ", "}", "Action: \nAction Input: {",
     "Thought: I know.\nAnswer: Done."},
    {"thinking", "Action: look\nAction Input: {\"n\": ", "}", "Action: \nAction Input: {", "Answer: Done."},
    {"pause", "Thought: I look.\nAction: look: ", "\nPAUSE", "Action: \nPAUSE", "Thought: I know.\nAnswer: Done."},
    {"langchain", " I look.\nAction: look\nAction Input: {\"n\": ", "}", " I do not know.",
     " So.\nFinal Answer: Done."},
    {"function-call", R"x({"thought": "I look.", "action": "look(n=)x", R"x()"})x", R"x({"thought": "Hm."})x",
     R"x({"action": "finish(answer='Done.')"})x"},
};
std::string words_of(const Style& style, int turn) {
    if (turn == faulty_turn) return style.fault;
    return turn == turns ? style.answer : style.before + std::to_string(turn) + style.behind;
}
Requests run_of_react(const Style& style) {
    Agent agent;
    agent.tools = one_tool();
    const PauseDialect pause(agent.tools);
    const LangchainDialect langchain(agent.tools);
    const FunctionDialect function(agent.tools);
    const ThinkingDialect thinking;
    const std::pair<const char*, const Dialect*> all[] = {{"react", &text_dialect},
                                                          {"thinking", &thinking},
                                                          {"pause", &pause},
                                                          {"langchain", &langchain},
                                                          {"function-call", &function}};
    for (const auto& [name, dialect] : all)
        if (std::string_view(name) == style.name) agent.dialect = dialect;
    agent.options.max_steps = 20;
    agent.options.budget = bound;
    agent.options.system = rules;
    int turn = 0;
    AskedModel model([&](auto&) { return say(words_of(style, ++turn)); });
    const auto told = agent.ask(model, "What is in the book?");
    CHECK(told.result.response == "Done.");
    CHECK(told.faults.size() == 1);
    return model.requests;
}
Requests run_of_native() {
    NativeAgent agent;
    agent.tools = one_tool();
    agent.options.max_steps = 20;
    agent.options.budget = bound;
    agent.options.system = rules;
    int turn = 0;
    AskedModel model([&](auto&) {
        if (++turn == turns) return say("Done.");
        const auto n = std::to_string(turn);
        if (turn == faulty_turn) return say("Cut o", models::FinishReason::length);
        return calls({{"c" + n, "look", "{\"n\": " + n + "}"}}, "I look.");
    });
    const auto told = agent.ask(model, "What is in the book?");
    CHECK(told.result.response == "Done.");
    CHECK(told.faults.size() == 1);
    return model.requests;
}
/// Returns the requests with one of its two prompts.
Requests run_of_reflect(Request::Kind kind) {
    Reflector agent;
    agent.tools = one_tool();
    agent.options.max_steps = 20;
    agent.options.budget = {.requests = 21};
    agent.options.system = rules;
    int turn = 0;
    Thinking model([&](const Request&) {
        return ++turn == turns ? request("final_answer", "Done.") : request("look", {{"n", turn}});
    });
    const auto told = agent.ask(model, "What is in the book?");
    CHECK(told.result.response == "Done.");
    Requests of_kind;
    for (const auto& one : model.requests)
        if (read_request(one).kind == kind) of_kind.push_back(one);
    return of_kind;
}
struct Case {
    std::string name;
    Requests requests;
};
/// Runs of agents with conversations as prompts, and of agents with a whole run in one message.
std::vector<Case> conversations() {
    return {{"native", run_of_native()},
            {"react", run_of_react(styles[0])},
            {"thinking", run_of_react(styles[1])},
            {"pause", run_of_react(styles[2])}};
}
std::vector<Case> growing() {
    return {{"langchain", run_of_react(styles[3])},
            {"function-call", run_of_react(styles[4])},
            {"reflect: reflections", run_of_reflect(Request::reflection)},
            {"reflect: actions", run_of_reflect(Request::action)}};
}
std::vector<cache_parts::Block> blocks_of(const models::Protocol& protocol, const models::ChatRequest& request) {
    return cache_parts::blocks_of(nlohmann::json::parse(protocol.request(request, "any-model", true, {})));
}
int notes_in(const models::ChatRequest& request) {
    int notes = 0;
    for (const auto& message : request.messages)
        for (auto at = message.content.find("Little is left"); at != std::string::npos;
             at = message.content.find("Little is left", at + 1))
            ++notes;
    return notes;
}
/// Returns the part of full-price tokens that the cache saves.
double saved(const Requests& requests, const models::Protocol& protocol, bool asked_to_cache) {
    PromptCache cache(protocol, asked_to_cache);
    models::Usage sum;
    for (const auto& request : requests) sum += cache.read(request);
    return 1 - double(full_price(sum)) / double(sum.prompt_tokens);
}
const models::Protocol& protocol_named(std::string_view name) {
    for (const auto* protocol : models::protocols())
        if (protocol->name == name) return *protocol;
    FAIL("there is no such protocol");
    return *models::protocols().front();
}
}

TEST_CASE("a prompt begins with all of the one before it when the agent talks in messages") {
    for (const auto& [name, requests] : conversations())
        for (const auto* protocol : models::protocols()) {
            const auto& shown = name;
            CAPTURE(shown);
            CAPTURE(protocol->name);
            REQUIRE(requests.size() == turns);
            for (std::size_t i = 1; i < requests.size(); ++i) {
                const auto before = blocks_of(*protocol, requests[i - 1]), now = blocks_of(*protocol, requests[i]);
                REQUIRE(now.size() > before.size());
                for (std::size_t k = 0; k < before.size(); ++k) REQUIRE(now[k].text == before[k].text);
                CHECK(requests[i].kept == requests[i].messages.size());
            }
        }
}
TEST_CASE("a prompt begins with the last one up to its end when the agent writes all into one message") {
    constexpr std::size_t longest_end = 80;  // the text before a reply
    for (const auto& [name, requests] : growing()) {
        const auto& shown = name;
        CAPTURE(shown);
        REQUIRE(requests.size() == turns);
        for (std::size_t i = 1; i < requests.size(); ++i) {
            const auto &before = requests[i - 1].messages, &now = requests[i].messages;
            const auto& grown = before.back();
            REQUIRE(now.size() == before.size());
            for (std::size_t k = 0; k + 1 < before.size(); ++k) REQUIRE(now[k] == before[k]);
            REQUIRE(!grown.joints.empty());
            const auto end = grown.joints.back();
            REQUIRE(end + longest_end > grown.content.size());
            REQUIRE(now.back().content.substr(0, end) == grown.content.substr(0, end));
        }
    }
}
TEST_CASE("a note on the budget keeps its place in further turns") {
    auto all = conversations();
    for (auto& one : growing()) all.push_back(std::move(one));
    for (const auto& [name, requests] : all) {
        const auto& shown = name;
        CAPTURE(shown);
        CHECK(notes_in(requests.front()) == 0);
        CHECK(notes_in(requests.back()) >= 2);
        for (std::size_t i = 1; i < requests.size(); ++i) CHECK(notes_in(requests[i]) >= notes_in(requests[i - 1]));
    }
}
TEST_CASE("a run of ten turns has 60 % fewer full-price tokens when the provider caches") {
    const auto &anthropic = protocol_named("anthropic"), &openai = protocol_named("openai");
    auto all = conversations();
    for (auto& one : growing()) all.push_back(std::move(one));
    for (const auto& [name, requests] : all) {
        const auto& shown = name;
        CAPTURE(shown);
        CHECK(saved(requests, anthropic, true) >= 0.6);
        CHECK(saved(requests, anthropic, false) == 0);
        CHECK(saved(requests, openai, true) >= 0.6);
        CHECK(saved(requests, openai, false) >= 0.6);  // a cache without marks
    }
}
