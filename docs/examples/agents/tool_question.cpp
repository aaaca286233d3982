// A tool that asks the run's user, and continues with the answer.
#include "steps/agents/common/tool_question.hpp"
#include "engine/engine.hpp"
#include "steps/agents/react/dialects/text_dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/make_tool.hpp"
#include "tools/registry.hpp"
#include "workflows/react.hpp"
#include <iostream>
#include <nlohmann/json.hpp>
using namespace weft;
using namespace weft::agents;

// [tool]
awaitable<std::string> balance(tools::ToolContext& context) {
    tools::ToolQuestion question;
    question.message = "Of which account?";
    question.form.text = R"({"type": "object", "required": ["account"],
        "properties": {"account": {"type": "string", "enum": ["current", "savings"]}}})";
    auto asking = context.ask(std::move(question));
    const auto answer = co_await std::move(asking);
    if (answer.action != tools::AnswerAction::accept) co_return "The customer did not say of which account.";
    const auto said = nlohmann::json::parse(answer.content.text);
    co_return said.at("account") == "savings" ? "1200 EUR" : "80 EUR";
}
// [/tool]

// [clerk]
awaitable<AnswerEvent> customer(RunOf<workflows::react> run) {
    while (auto event = co_await run.next_event())
        if (auto* ask = event->get_if<ToolQuestionEvent>()) {
            std::cout << "? " << ask->tool << ": " << ask->message << '\n';
            ToolAnswerEvent answer;
            answer.action = tools::AnswerAction::accept;
            answer.content.text = R"({"account": "savings"})";
            run.send_to_child(std::move(answer), event->question());
        }
    auto answer = co_await run.result();
    co_return answer;
}
// [/clerk]

int main() {
    tools::Registry registry;
    registry.add(tools::make_tool("balance", "Tells what is on the customer's account.", balance));
    models::ScriptedModel model{"Thought: I look.\nAction: balance\nAction Input: {}", "Answer: You have 1200 EUR."};
    ReactOptions options;
    auto agent = workflows::react.with(model, text_dialect, no_memory(), registry, options);
    Engine engine;
    std::cout << engine.wait(customer(engine.start(agent, {.text = "How much do I have?"}))).response << '\n';
}
// prints:
// ? balance: Of which account?
// You have 1200 EUR.
