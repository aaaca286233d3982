// A reply that was cut off says so, because the model that asked would take it for the whole.
#include "steps/llm/llm_tool.hpp"
#include "engine/text.hpp"
#include "tools/make_tool.hpp"

namespace weft::llm {
std::shared_ptr<tools::Tool> llm_tool(ChatModel& model, Sampling sampling) {
    auto ask = [&model, sampling](std::string input) -> awaitable<std::string> {
        if (trimmed(input).empty()) throw tools::ToolError("the input is empty: say what is asked");
        ChatRequest request;
        request.messages.push_back(
            instruction("Do what you are asked, from what you know. Say it plainly and briefly."));
        request.messages.push_back(user(std::move(input)));
        request.sampling = sampling;
        auto reply = co_await model.chat(request);
        if (reply.finish == FinishReason::refused) throw tools::ToolError("the model refuses to reply to this");
        if (trimmed(reply.text).empty()) throw tools::ToolError("the model gave an empty reply");
        if (reply.finish == FinishReason::length) reply.text += "\n[cut off: longer than the model may write]";
        co_return std::move(reply.text);
    };
    return tools::make_tool("llm_tool",
                            "Answers any input from a language model's general knowledge. For what no other tool can "
                            "do, and for simple questions.",
                            std::move(ask), {"input"});
}
}
