// Records the observation of a tool, for agents that keep their reasoning in CurrentReasoning.
#pragma once
#include "engine/context.hpp"
#include "steps/agents/common/events.hpp"

namespace weft::agents {
/// Appends the observation to CurrentReasoning, and returns it. If the same call repeats with the same observation, the
/// second repeat gets a note for the model, and the fourth sets Progress::closing.
ReasoningStep add_observation(Context&, ToolOutputEvent);
}
