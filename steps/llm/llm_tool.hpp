// llm_tool: asks the model for what it knows by itself. For tasks that no other tool helps with.
//
//     tools.add(llm_tool(model, sampling));      // the model and the sampling of the agent itself
//
// What goes wrong is an observation, as with any tool: a model that cannot be reached, that refuses, or says nothing.
#pragma once
#include "steps/llm/chat_model.hpp"
#include "tools/tool.hpp"
#include <memory>

namespace weft::llm {
/// The model outlives the tool.
std::shared_ptr<tools::Tool> llm_tool(ChatModel&, Sampling = {});
}
