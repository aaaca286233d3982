// The pause dialect with its own prompt, a user's prompt, and a prompt without a required place.
#include "engine/error.hpp"
#include "engine/testing/recorder.hpp"
#include "steps/agents/react/dialects/pause_dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "steps/view/trace_printer.hpp"
#include "tools/alias.hpp"
#include "tools/calculator.hpp"
#include "workflows/catalog/scripts.hpp"
#include "workflows/react.hpp"
#include <iostream>
using namespace weft;
using namespace weft::agents;
using namespace weft::view;

int main() {
    // [agent]
    tools::Registry tools;
    tools.add(tools::alias("calculate", tools::math_calculator()));
    PauseDialect dialect(tools);
    models::ScriptedModel model(catalog::bundled_script("product-pause"));
    ReactOptions options{.max_steps = 5};
    auto agent = workflows::react.with(model, dialect, no_memory(), tools, options);
    // [/agent]
    TracePrinter trace([](std::string_view text) { std::cout << text; }, {.answer = true});
    auto on_event = [&](auto&, const AnyEvent& event) { trace.on(event); };
    testing::run(agent, {.text = model.script().question}, {}, on_event);

    // [template]
    PauseDialect brief(tools, "Write \"Action: name: argument\" and PAUSE, or \"Answer:\" and the answer. Actions:\n"
                              "{tools}");
    try {
        PauseDialect mistaken(tools, "You may use actions.");
    } catch (const Error& error) { std::cout << error.what() << '\n'; }
    // [/template]
}
// prints:
// Thought: This is a multiplication, which I calculate.
// Action: calculate
// Action Input: 15 * 25
// Observation: 375
// Answer: Fifteen times twenty-five is 375.
// the template lacks {tools}; what it may use is {tools} {tool_names} {system} {max_steps}
