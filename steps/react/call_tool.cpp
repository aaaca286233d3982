#include "steps/react/steps.hpp"

namespace weft::steps {
awaitable<ToolOutputEvent> call_tool(Context&, ToolCallEvent call, const tools::Registry& tools) {
    auto observation = co_await tools.call(call.tool, call.arguments.text);
    ToolOutputEvent output;
    output.id = std::move(call.id);
    output.tool = std::move(call.tool);
    output.arguments = std::move(call.arguments);
    output.output = std::move(observation.text);
    output.ok = observation.ok;
    co_return output;
}
}
