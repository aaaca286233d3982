// A native agent for tests: a model that is a function, tools that are functions, and a run on the test's clock.
#pragma once
#include "steps/agents/native/options.hpp"
#include "tests/support/react.hpp"
#include "tools/parallel.hpp"
#include "workflows/tool_agent.hpp"

namespace test {
inline models::ChatReply calls(std::vector<models::ToolCall> list, std::string text = {}) {
    auto reply = say(std::move(text), models::FinishReason::tool_calls);
    reply.calls = std::move(list);
    return reply;
}

struct NativeAgent {
    tools::Registry tools;
    ConversationMemory memory;
    ToolAgentOptions options;
    testing::ManualClock clock;

    void add(std::string name, FunctionTool::Function function, bool parallel = true) {
        std::shared_ptr<tools::Tool> tool = std::make_shared<FunctionTool>(std::move(name), std::move(function));
        tools.add(parallel ? tools::parallel(std::move(tool)) : std::move(tool));
    }
    void add(std::shared_ptr<tools::Tool> tool) { tools.add(std::move(tool)); }
    Told ask(models::ChatModel& model, const std::string& text = "What?") {
        asio::io_context io{1};
        Loop loop(Runtime{io.get_executor(), &clock}, {.seed = 1});
        Told told;
        UserMessageEvent question;
        question.text = text;
        const auto agent = workflows::tool_agent.with(model, memory, tools, options);
        spawn(io.get_executor(), listen(loop.start(agent, question), told), asio::detached);
        testing::drive(io, clock);
        return told;
    }
};
}
