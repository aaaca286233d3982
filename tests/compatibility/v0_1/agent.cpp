// The react agent with a tool of one's own. The model is scripted, so the program answers anywhere.
#include "engine/engine.hpp"
#include "steps/agents/common/outcome.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/make_tool.hpp"
#include "workflows/react.hpp"
#include <iostream>
using namespace weft;
using namespace weft::agents;

// [tool]
struct Stay {
    std::string city;
    std::optional<int> nights;
};
BOOST_DESCRIBE_STRUCT(Stay, (), (city, nights))

std::string price_of_stay(Stay stay) {
    if (stay.city != "Rome") throw tools::ToolError("there is no hotel in " + stay.city + "; there is one in Rome");
    return std::to_string(120 * stay.nights.value_or(1)) + " EUR";
}
// [/tool]

// [script]
models::ScriptedModel model{
    "Thought: I have to look up the price.\n"
    "Action: price_of_stay\n"
    "Action Input: {\"city\": \"Rome\", \"nights\": 3}",
    "Thought: Now I know.\n"
    "Answer: Three nights in Rome cost 360 EUR.",
};
// [/script]

// [trace]
template <class R> awaitable<AnswerEvent> watch(R run) {
    while (auto event = co_await run.next_event()) {
        if (auto* action = event->template get_if<ActionEvent>())
            std::cout << action->tool << ' ' << action->arguments.text << '\n';
        if (auto* seen = event->template get_if<ObservationEvent>()) std::cout << "-> " << seen->text << '\n';
        if (auto outcome = outcome_of(*event)) std::cout << "answered: " << (outcome == Outcome::answered) << '\n';
    }
    auto answer = co_await run.result();
    co_return answer;
}
// [/trace]

int main() {
    // [agent]
    tools::Registry tools;
    tools.add(tools::make_tool("price_of_stay", "What some nights in a hotel cost.", price_of_stay));
    ConversationMemory memory;
    ReactOptions options{.max_steps = 5};
    auto agent = workflows::react.with(model, text_dialect, memory, tools, options);

    Engine engine;
    auto answer = engine.wait(watch(engine.start(agent, {.text = "What do three nights in Rome cost?"})));
    std::cout << answer.response << '\n' << answer.sources.size() << " source\n";
    std::cout << memory.read("").size() << " messages remembered\n";
    // [/agent]
}
// prints:
// price_of_stay {"city":"Rome","nights":3}
// -> 360 EUR
// answered: 1
// Three nights in Rome cost 360 EUR.
// 1 source
// 2 messages remembered
