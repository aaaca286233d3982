// Workload K: the full-price part of the tokens in ten turns of an agent, if the provider caches the beginnings of
// prompts. The provider is simulated (tests/support/prompt_cache.hpp), so the figures are the same on each machine.
// One JSON line per figure.
#include "tests/support/prompt_cache.hpp"
#include "tests/bench/measure.hpp"
#include "tests/support/tool_agent.hpp"
#include "tools/make_tool.hpp"
using namespace test;

namespace {
using Requests = std::vector<models::ChatRequest>;
constexpr int turns = 10;
const std::string page(2000, 'x'), rules(4000, 'r');

/// A model that requests a page in each turn, and answers in the last one.
template <class Agent>
Requests run_of(Agent& agent, const std::function<models::ChatReply(int turn)>& look, const std::string& answer) {
    agent.tools.add(tools::make_tool("look", "Looks at a page.", [](int) { return page; }, {"n"}));
    agent.options.system = rules;
    int turn = 0;
    AskedModel model([&](auto&) { return ++turn == turns ? say(answer) : look(turn); });
    require(agent.ask(model, "What is in the book?").result.response == "Done.", "K");
    return model.requests;
}
void tell(const std::string& agent, const Requests& requests) {
    for (const auto* protocol : models::protocols()) {
        const std::string_view name = protocol->name;
        if (name != "anthropic" && name != "openai") continue;
        PromptCache cache(*protocol);
        models::Usage sum;
        for (const auto& request : requests) sum += cache.read(request);
        out(("weft: " + agent + ", " + protocol->name).c_str(), "K", "tokens at full price / all tokens read",
            double(full_price(sum)) / double(sum.prompt_tokens), "x");
    }
}
}

int main() {
    NativeAgent native;
    tell("agent", run_of(
                      native,
                      [](int turn) {
                          const auto n = std::to_string(turn);
                          return calls({{"c" + n, "look", "{\"n\": " + n + "}"}}, "I look.");
                      },
                      "Done."));
    Agent react;
    tell("react",
         run_of(
             react,
             [](int turn) {
                 return say("Thought: I look.\nAction: look\nAction Input: {\"n\": " + std::to_string(turn) + "}");
             },
             "Thought: I know.\nAnswer: Done."));
}
