// The step that executes a tool call, shared by all agents.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"
#include "steps/agents/common/options.hpp"
#include "tools/registry.hpp"
#include <string>

namespace weft::agents {
/// Runs the calls among the arguments first, each streamed as a separate action and observation. If one fails,
/// its failure is the observation, and the outer call does not run. A tool's requests to models keep to the budget, and
/// the event has their costs. A rejected or blocked call, and a call without a needed approval, does not run: the
/// observation says so.
awaitable<ToolOutputEvent> call_tool(Context&, ToolCallEvent, const tools::Registry&,
                                     const ReactOptions& = usual_options());
/// The same with a key for the tool; calls among the arguments get keys that begin with it.
awaitable<ToolOutputEvent> call_tool_with_key(Context&, ToolCallEvent, const tools::Registry&, const ReactOptions&,
                                              std::string key);
}
