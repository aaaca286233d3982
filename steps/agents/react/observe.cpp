// Streams one event for each observation, in the order of the calls.
#include "steps/agents/common/observation.hpp"
#include "steps/agents/react/steps.hpp"

namespace weft::agents::inline react_steps {
PrepEvent observe(Context& ctx, std::vector<ToolOutputEvent> outputs) {
    for (auto& output : outputs) {
        auto display = std::move(output.display);
        auto step = add_observation(ctx, std::move(output));
        ctx.stream(ObservationEvent{step.call, step.tool, step.text, step.note, step.ok, std::move(display)});
    }
    return {};
}
}
