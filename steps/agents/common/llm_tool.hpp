// llm_tool: asks the model for its own knowledge, for tasks that no other tool helps with.
//
//     tools.add(llm_tool(model, sampling));      // the model and the sampling of the agent itself
//
// If an agent calls the tool, its context is a ModelContext (steps/agents/common/call_tool.cpp): the requests count in
// the run, keep to its budget, and have the same notes as the agent's own. As with any tool, a failure is an
// observation: an unreachable model, a refusal, an empty reply, a budget without room.
#pragma once
#include "steps/models/chat_model.hpp"
#include "tools/tool.hpp"
#include "tools/tool_context.hpp"
#include <memory>

namespace weft::agents {
/// A context through which tools ask models.
class ModelContext : public tools::ToolContext {
public:
    /// The model must outlive the call. Throws tools::ToolError if the budget has no room for the request, and the
    /// model's own exceptions.
    virtual awaitable<models::ChatReply> ask(models::ChatModel&, models::ChatRequest) = 0;
    using tools::ToolContext::ask;

protected:
    using tools::ToolContext::ToolContext;
};

/// The model must outlive the tool.
std::shared_ptr<tools::Tool> llm_tool(models::ChatModel&, models::Sampling = {});
}
