// A model behind HTTP, one that stands in for it, and what it costs. Nobody listens at the address, so it runs
// anywhere.
#include "engine/engine.hpp"
#include "steps/llm/fallback.hpp"
#include "steps/llm/prices.hpp"
#include "steps/llm/providers.hpp"
#include "steps/llm/scripted.hpp"
#include <iostream>
using namespace weft;

int main() {
    Engine engine;
    // [make]
    const auto settings = llm::Settings::of_process();  // the environment, then .env
    llm::ModelOptions options;
    options.base_url = "http://127.0.0.1:1/v1";  // else the service's own address
    options.retry.attempts = 1;                  // else 3
    std::shared_ptr<llm::ChatModel> first = llm::make_model(llm::parse_model_name("openai:gpt-4o-mini"), settings,
                                                            options);
    // [/make]
    // [fallback]
    auto second = std::make_shared<llm::ScriptedModel>(std::initializer_list<std::string>{"42"});
    llm::FallbackModel model({first, second});
    llm::ChatRequest request{.messages = {llm::instruction("Be brief."), llm::user("6 * 7?")}};
    request.on_note = [](const llm::CallNote& note) {
        std::cout << (note.kind == llm::CallNote::Kind::fallback ? "another model is asked\n" : "...\n");
    };
    const auto reply = engine.wait(model.chat(request));
    std::cout << reply.text << ", says " << reply.answered_by << '\n';
    // [/fallback]
    // [prices]
    const auto prices = llm::PriceTable::from_json(R"({
        "openai:gpt-4o-mini": {"prompt": 0.15, "completion": 0.60, "cached": 0.075},
        "ollama:*":           {"prompt": 0,    "completion": 0}})",
                                                   "prices.json");
    llm::Usage usage{.prompt_tokens = 10'000, .completion_tokens = 500, .cached_tokens = 8'000};
    std::cout << *prices.cost("openai:gpt-4o-mini", usage) << '\n';
    // [/prices]
}
// prints:
// another model is asked
// 42, says script:replies
// 0.0012
