// Writes down what a tool has said, for any agent that keeps its reasoning as react does.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"

namespace weft::agents {
/// Appends the observation to CurrentReasoning, and gives it back. The second repeat of the same call with the same
/// observation is noted for the model, and the fourth sets Progress::closing.
ReasoningStep add_observation(Context&, ToolOutputEvent);
}
