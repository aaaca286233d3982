// A model behind HTTP, its substitute, and the cost. No server listens at the address, so the program runs anywhere.
#include "engine/engine.hpp"
#include "steps/models/fallback.hpp"
#include "steps/models/http/providers.hpp"
#include "steps/models/prices.hpp"
#include "steps/models/script/scripted.hpp"
#include <iostream>
using namespace weft;

int main() {
    Engine engine;
    // [make]
    const auto settings = models::Settings::of_process();  // the environment, then .env
    models::ModelOptions options;
    options.base_url = "http://127.0.0.1:1/v1";  // else the service's own address
    options.retry.attempts = 1;                  // else 3
    std::shared_ptr<models::ChatModel> first = models::make_model(models::parse_model_name("openai:gpt-4o-mini"),
                                                                  settings, options);
    // [/make]
    // [fallback]
    auto second = std::make_shared<models::ScriptedModel>(std::initializer_list<std::string>{"42"});
    models::FallbackModel model({first, second});
    models::ChatRequest request{.messages = {models::instruction("Be brief."), models::user("6 * 7?")}};
    request.on_note = [](const models::CallNote& note) {
        std::cout << (note.kind == models::CallNote::Kind::fallback ? "another model is asked\n" : "...\n");
    };
    const auto reply = engine.wait(model.chat(request));
    std::cout << reply.text << ", says " << reply.answered_by << '\n';
    // [/fallback]
    // [prices]
    const auto prices = models::PriceTable::from_json(R"({
        "openai:gpt-4o-mini":         {"prompt": 0.15, "completion": 0.60, "cached": 0.075},
        "anthropic:claude-sonnet-4*": {"prompt": 3, "completion": 15, "cached": 0.30, "cache_write": 3.75},
        "ollama:*":                   {"prompt": 0, "completion": 0}})",
                                                      "prices.json");
    models::Usage usage{.prompt_tokens = 10'000, .completion_tokens = 500, .cached_tokens = 8'000};
    std::cout << *prices.cost("openai:gpt-4o-mini", usage) << '\n';
    // [/prices]
}
// prints:
// another model is asked
// 42, says script:replies
// 0.0012
