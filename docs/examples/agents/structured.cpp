// A reply and an answer as described structs. The models are scripted, so the program runs anywhere.
#include "engine/engine.hpp"
#include "steps/agents/common/ask_for.hpp"
#include "steps/models/script/scripted.hpp"
#include "workflows/tool_agent.hpp"
#include <iostream>
using namespace weft;
using namespace weft::agents;

// [sales]
struct Sales {
    double q1 = 0, q2 = 0;
    std::optional<std::string> comment;
};
BOOST_DESCRIBE_STRUCT(Sales, (), (q1, q2, comment))
// [/sales]

int main() {
    Engine engine;
    // [ask]
    models::ScriptedModel model{"Sales were 5500, then 17200.", R"({"q1": 5500, "q2": 17200, "comment": null})"};
    models::ChatRequest request;
    request.messages.push_back(models::user("How much was sold in Q1 and in Q2? Report: 55 orders of 100, then 172."));
    Sales sales = engine.wait(ask_for<Sales>(model, std::move(request)));
    std::cout << sales.q2 - sales.q1 << '\n';
    // [/ask]
    models::ScriptedModel other{"Thought: I know.\nAnswer: 5500 and 17200.",
                                R"({"q1": 5500, "q2": 17200, "comment": null})"};
    // [agent]
    tools::Registry tools;
    ConversationMemory memory;
    ToolAgentOptions options;
    options.form = answer_form<Sales>();
    auto agent = workflows::tool_agent.with(other, memory, tools, options);
    auto answer = engine.wait(engine.start(agent, {.text = "Sales of Q1 and Q2?"}).result());
    std::cout << answer.response << '\n' << answer_as<Sales>(answer.response).q2 << '\n';
    // [/agent]
    // [schema]
    const auto schema = nlohmann::json::parse(answer_form<Sales>()->schema().schema);
    std::cout << schema["required"] << ' ' << schema["properties"]["comment"] << '\n';
    // [/schema]
}
// prints:
// 11700
// {"comment":null,"q1":5500,"q2":17200}
// 17200
// ["comment","q1","q2"] {"type":["string","null"]}
