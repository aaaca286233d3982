// A bundled script and real tools: the trace of a run in the driver's form.
#include "engine/testing/recorder.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "steps/view/trace_printer.hpp"
#include "tools/arithmetic.hpp"
#include "workflows/catalog/scripts.hpp"
#include "workflows/react.hpp"
#include <iostream>
using namespace weft;
using namespace weft::agents;
using namespace weft::view;

int main() {
    // [trace]
    tools::Registry tools;
    for (auto& tool : tools::arithmetic()) tools.add(tool);
    models::ScriptedModel model(catalog::bundled_script("arithmetic"));
    ReactOptions options;
    auto agent = workflows::react.with(model, text_dialect, no_memory(), tools, options);
    TracePrinter trace([](std::string_view text) { std::cout << text; }, {.answer = true});

    auto on_event = [&](auto&, const AnyEvent& event) { trace.on(event); };
    testing::run(agent, {.text = model.script().question}, {}, on_event);
    // [/trace]
}
// prints:
// Thought: I go one operation at a time.
// Action: multiply
// Action Input: {"a": 465, "b": 321}
// Observation: 149265
// Thought: Now the sum.
// Action: add
// Action Input: {"a": 149265, "b": 95297}
// Observation: 244562
// Thought: At last the division.
// Action: divide
// Action Input: {"a": 244562, "b": 13.2}
// Observation: 18527.424242424244
// Thought: All three operations are done.
// Answer: The result is 18527.424242424244.
