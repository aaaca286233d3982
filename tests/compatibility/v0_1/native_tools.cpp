// An agent whose model calls tools through its protocol. The model is scripted, so the program answers anywhere.
#include "engine/engine.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/make_tool.hpp"
#include "tools/parallel.hpp"
#include "workflows/tool_agent.hpp"
#include <iostream>
using namespace weft;
using namespace weft::agents;

// [tools]
std::string weather(std::string city) { return city == "Oslo" ? "snow, -4 C" : "sun, 19 C"; }
std::string book(std::string city) { return "booked: " + city; }

tools::Registry travel_tools() {
    tools::Registry tools;
    tools.add(tools::parallel(tools::make_tool("weather", "Tells the weather of a city.", weather, {"city"})));
    tools.add(tools::make_tool("book", "Books a trip to a city.", book, {"city"}));  // changes something: one at a time
    return tools;
}
// [/tools]

const auto script = R"({"replies": [
    {"calls": [{"tool": "weather", "arguments": {"city": "Oslo"}},
               {"tool": "weather", "arguments": {"city": "Rome"}}]},
    {"reply": "Rome is warm.", "calls": [{"tool": "book", "arguments": {"town": "Rome"}}]},
    {"calls": [{"tool": "book", "arguments": {"city": "Rome"}}]},
    {"reply": "You go to Rome: 19 C and sun."}]})";

// [watch]
template <class R> awaitable<AnswerEvent> watch(R run) {
    while (auto event = co_await run.next_event()) {
        if (auto* action = event->template get_if<ActionEvent>())
            std::cout << action->id << ' ' << action->tool << ' ' << action->arguments.text << '\n';
        if (auto* seen = event->template get_if<ObservationEvent>())
            std::cout << seen->id << " -> " << seen->text << '\n';
    }
    auto answer = co_await run.result();
    co_return answer;
}
// [/watch]

int main() {
    models::ScriptedModel model(models::Script::from_json(script, "travel"));
    // [agent]
    const auto tools = travel_tools();
    ConversationMemory memory;
    ToolAgentOptions options;
    options.budget.tool_calls = 8;
    options.budget.tokens = 20'000;
    auto agent = workflows::tool_agent.with(model, memory, tools, options);

    Engine engine;
    auto answer = engine.wait(
        watch(engine.start(agent, {.text = "Book me a trip to where it is warmer, Oslo or Rome."})));
    std::cout << answer.response << '\n' << answer.requests << " requests, " << answer.tool_calls << " calls\n";
    // [/agent]
}
// prints:
// call_1_1 weather {"city":"Oslo"}
// call_1_2 weather {"city":"Rome"}
// call_1_1 -> snow, -4 C
// call_1_2 -> sun, 19 C
// call_2 book {"town":"Rome"}
// call_2 -> Error: wrong arguments for book: arguments.city: missing. Expected: {"city": string}
// call_3 book {"city":"Rome"}
// call_3 -> booked: Rome
// You go to Rome: 19 C and sun.
// 4 requests, 4 calls
