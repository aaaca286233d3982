// llm_tool: asks the model for what it knows by itself. For tasks that no other tool helps with.
//
//     tools.add(llm_tool(model, sampling));      // the model and the sampling of the agent itself
//
// Called by an agent, its requests count in the account of that run, keep to its budget, and have the same notes as
// the agent's own: its context is then an Asker (steps/agents/common/call_tool.cpp). What goes wrong is an observation,
// as with any tool: a model that cannot be reached, that refuses or says nothing, a budget without room for it.
#pragma once
#include "steps/models/chat_model.hpp"
#include "tools/tool.hpp"
#include "tools/tool_context.hpp"
#include <memory>

namespace weft::agents {
/// A context through which tools ask models.
class Asker : public tools::ToolContext {
public:
    /// The model outlives the call. Throws tools::ToolError if the budget has no room for the request, and
    /// what the model throws.
    virtual awaitable<models::ChatReply> ask(models::ChatModel&, models::ChatRequest) = 0;
    using tools::ToolContext::ask;

protected:
    using tools::ToolContext::ToolContext;
};

/// The model outlives the tool.
std::shared_ptr<tools::Tool> llm_tool(models::ChatModel&, models::Sampling = {});
}
