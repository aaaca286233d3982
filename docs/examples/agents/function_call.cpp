// The react agent in the function-call dialect. The model is scripted, so the program runs anywhere.
#include "engine/run.hpp"
#include "steps/agents/react/dialects/function_dialect.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/arithmetic.hpp"
#include "workflows/react.hpp"
#include <iostream>
using namespace weft;
using namespace weft::agents;

models::ScriptedModel model(models::Script::from_json(R"y({
    "spoken": "\n\"Observation\": ",
    "replies": [
        {"reply": "{\"thought\": \"I need 2 * 3 first.\", \"action\": \"add(multiply(2, 3), b=1)\"}"},
        {"reply": "{\"thought\": \"That is all.\", \"action\": \"finish(answer='It is 7.')\"}"}
    ]})y",
                                                      "example"));

int main() {
    // [agent]
    tools::Registry tools;
    for (const auto& tool : tools::arithmetic()) tools.add(tool);
    ConversationMemory memory;
    const ReactOptions options{.max_steps = FunctionDialect::usual_steps};

    const auto all = function_tools(tools, model, options.sampling);  // the tools, then llm_tool
    const FunctionDialect dialect(all, {Example::from_call("Now the product.", "multiply", R"({"a": 3, "b": 4})")});
    const auto agent = workflows::react.with(model, dialect, memory, all, options);

    const AnswerEvent answer = run(agent, {.text = "What is 2 * 3 + 1?"});
    std::cout << answer.response << '\n';
    for (const auto& source : answer.sources) std::cout << source.tool << ": " << source.output << '\n';
    // [/agent]
}
// prints:
// It is 7.
// multiply: 6
// add: 7
