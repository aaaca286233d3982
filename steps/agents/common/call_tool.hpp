// The step that executes a tool call: one for all agents.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/options.hpp"
#include "tools/registry.hpp"
#include <string>

namespace weft::agents {
/// The calls among the arguments first, each streamed as an action and an observation of its own. One that
/// fails is the observation, and what would have taken its result is not called. What a tool asks a model keeps to the
/// budget, and is part of the event. A call that was rejected or is blocked, or needs an approval and has
/// none, does not run: that is its observation.
awaitable<ToolOutputEvent> call_tool(Context&, ToolCallEvent, const tools::Registry&,
                                     const ReactOptions& = usual_options());
/// The same with a key for the tool, and with keys made of it for those of the calls among the arguments.
awaitable<ToolOutputEvent> call_tool_with_key(Context&, ToolCallEvent, const tools::Registry&, const ReactOptions&,
                                              std::string key);
}
