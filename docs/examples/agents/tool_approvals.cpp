// An agent whose tool needs an approval. The model is scripted, so the program runs anywhere.
#include "engine/engine.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/make_tool.hpp"
#include "tools/needs_approval.hpp"
#include "workflows/tool_agent.hpp"
#include <iostream>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::agents;

// [tools]
std::string pay(int amount, std::string to) { return std::to_string(amount) + " EUR were paid to " + to; }

tools::Registry till() {
    const auto is_much = [](const nlohmann::json& arguments) { return arguments.at("amount") >= 100; };
    tools::Registry tools;
    tools.add(tools::needs_approval(tools::make_tool("pay", "Pays an amount.", pay, {"amount", "to"}), is_much));
    return tools;
}
// [/tools]

const auto script = R"({"replies": [
    {"calls": [{"tool": "pay", "arguments": {"amount": 20, "to": "Ada"}},
               {"tool": "pay", "arguments": {"amount": 500, "to": "Bob"}},
               {"tool": "pay", "arguments": {"amount": 900, "to": "Eve"}}]},
    {"reply": "Ada and Bob have their money."}]})";

// [clerk]
template <class R> awaitable<AnswerEvent> clerk(R run) {
    while (auto event = co_await run.next_event()) {
        if (auto* ask = event->template get_if<ToolApprovalRequestEvent>()) {
            std::cout << "? " << ask->tool << ' ' << ask->arguments.text << '\n';
            ToolApprovalEvent answer;
            if (ask->arguments.text.find("Bob") != std::string::npos) {
                answer.decision = Decision::edit;
                answer.arguments.text = R"({"amount": 50, "to": "Bob"})";
            } else answer.reason = "she has it already";  // the default decision is to reject
            run.send(std::move(answer), event->question());
        }
        if (auto* seen = event->template get_if<ObservationEvent>()) std::cout << seen->text << '\n';
        if (auto* seen = event->template get_if<ObservationEvent>(); seen && !seen->note.empty())
            std::cout << "  " << seen->note << '\n';
    }
    auto answer = co_await run.result();
    co_return answer;
}
// [/clerk]

int main() {
    models::ScriptedModel model(models::Script::from_json(script, "payday"));
    const auto tools = till();
    ConversationMemory memory;
    ToolAgentOptions options;
    auto agent = workflows::tool_agent.with(model, memory, tools, options);
    Engine engine;
    std::cout << engine.wait(clerk(engine.start(agent, {.text = "Pay Ada 20, Bob 500 and Eve 900."}))).response << '\n';
}
// prints:
// ? pay {"amount":500,"to":"Bob"}
// ? pay {"amount":900,"to":"Eve"}
// 20 EUR were paid to Ada
// 50 EUR were paid to Bob
//   the arguments of this call were changed by the person who approved it. It ran with {"amount": 50, "to": "Bob"}
// Error: pay was not called: the person who was asked to approve it has rejected it. The reason: she has it already.
// Ada and Bob have their money.
