// A tool that reports its progress, knows its user, and shows the human more than the model.
#include "engine/engine.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "steps/view/trace_printer.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include "workflows/react.hpp"
#include <iostream>
using namespace weft;
using namespace std::chrono_literals;

// [tool]
awaitable<tools::Observation> load_orders(tools::ToolContext& context, std::string file) {
    for (int part = 1; part <= 2; ++part) {
        co_await sleep_for(1ms);  // pass context.key(), so that no part is loaded twice
        context.progress(part, 2, "parts of " + file);
    }
    tools::Observation observation;
    observation.text = "2 orders";
    auto& display = observation.display.emplace();
    display.text = "The orders of " + context.values().value("tenant", "nobody");
    display.tables.push_back({"orders", {"order", "total"}, {{"7", "1250"}, {"8", "990"}}});
    display.files.push_back(tools::shown_file("orders.csv", "text/csv", "order,total\n7,1250\n8,990\n"));
    co_return observation;
}
// [/tool]

awaitable<void> show(RunOf<workflows::react> run) {
    view::TracePrinter trace([](std::string_view text) { std::cout << text; });
    while (auto event = co_await run.next_event()) trace.on(*event);
}

int main() {
    // [run]
    tools::Registry registry;
    registry.add(tools::make_tool("load_orders", "Loads a file of orders.", load_orders, {"file"}));
    models::ScriptedModel model{"Thought: I load it.\nAction: load_orders\nAction Input: {\"file\": \"may.csv\"}",
                                "Answer: There are two orders."};
    agents::ReactOptions options;
    auto agent = workflows::react.with(model, agents::text_dialect, agents::no_memory(), registry, options);

    Engine engine;
    RunOptions run;
    run.values.text = R"({"tenant": "Ada's tea house"})";
    engine.wait(show(engine.start(agent, {.text = "How many orders are in may.csv?"}, run)));
    // [/run]
}
// prints:
// Thought: I load it.
// Action: load_orders
// Action Input: {"file": "may.csv"}
// Progress: load_orders: 1 of 2: parts of may.csv
// Progress: load_orders: 2 of 2: parts of may.csv
// Observation: The orders of Ada's tea house
//   [file orders.csv (text/csv, 25 bytes)]
//   [table orders (2 columns, 2 rows)]
