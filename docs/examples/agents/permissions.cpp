// Permissions of an agent's tools: a changing tool needs approval, a rule blocks one call, and a tool is allowed for
// the rest of the run. The model is scripted, so the program runs anywhere.
#include "engine/engine.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/changing.hpp"
#include "tools/make_tool.hpp"
#include "workflows/tool_agent.hpp"
#include <iostream>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::agents;

// [tools]
int balance() { return 1200; }
std::string pay(int amount, std::string to) { return std::to_string(amount) + " EUR were paid to " + to; }

tools::Registry till() {
    tools::Registry tools;
    tools.add(tools::make_tool("balance", "Tells what there is.", balance));
    tools.add(tools::changing(tools::make_tool("pay", "Pays an amount.", pay, {"amount", "to"})));
    return tools;
}
// [/tools]

// [rule]
std::optional<tools::Verdict> not_too_much(std::string_view tool, const nlohmann::json& arguments) {
    if (tool != "pay" || arguments.at("amount") <= 1000) return std::nullopt;  // no rule for this call
    return tools::Verdict{tools::Permission::block, "more than 1000 EUR are not paid"};
}
// [/rule]

const auto script = R"({"replies": [
    {"calls": [{"tool": "balance", "arguments": {}}, {"tool": "pay", "arguments": {"amount": 5000, "to": "Eve"}}]},
    {"calls": [{"tool": "pay", "arguments": {"amount": 20, "to": "Ada"}}]},
    {"calls": [{"tool": "pay", "arguments": {"amount": 30, "to": "Bob"}}]},
    {"reply": "Ada and Bob have their money."}]})";

// [clerk]
template <class R> awaitable<AnswerEvent> clerk(R run) {
    while (auto event = co_await run.next_event()) {
        if (auto* ask = event->template get_if<ToolApprovalRequestEvent>()) {
            std::cout << "? " << ask->tool << ' ' << ask->arguments.text << ", as " << ask->why << '\n';
            ToolApprovalEvent answer;
            answer.decision = Decision::always;
            run.send(std::move(answer), event->question());
        }
        if (auto* seen = event->template get_if<ObservationEvent>()) std::cout << seen->text << '\n';
    }
    auto answer = co_await run.result();
    co_return answer;
}
// [/clerk]

int main() {
    models::ScriptedModel model(models::Script::from_json(script, "payday"));
    // [permit]
    auto tools = till();
    tools::Permissions permissions;
    permissions.rules.push_back(not_too_much);
    tools.permit(std::move(permissions));
    // [/permit]
    ConversationMemory memory;
    ToolAgentOptions options;
    auto agent = workflows::tool_agent.with(model, memory, tools, options);
    Engine engine;
    std::cout << engine.wait(clerk(engine.start(agent, {.text = "Pay Eve 5000, Ada 20 and Bob 30."}))).response << '\n';
}
// prints:
// 1200
// Error: pay was not called: it is blocked, because more than 1000 EUR are not paid.
// ? pay {"amount":20,"to":"Ada"}, as it may change something
// 20 EUR were paid to Ada
// 30 EUR were paid to Bob
// Ada and Bob have their money.
