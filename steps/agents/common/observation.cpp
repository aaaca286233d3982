// A repeated call may be intended: the model gets a note at the third time, and must stop at the fifth.
#include "steps/agents/common/observation.hpp"
#include "engine/text/utf8.hpp"
#include "steps/agents/common/limits.hpp"

namespace weft::agents {
namespace {
constexpr int told_after = 2, ended_after = 4;  // repeats

bool same(const ReasoningStep& a, const ReasoningStep& b) {
    return a.kind == b.kind && a.ok == b.ok && a.tool == b.tool && a.arguments == b.arguments && a.text == b.text;
}
}

ReasoningStep add_observation(Context& ctx, ToolOutputEvent output) {
    ReasoningStep step{.kind = ReasoningKind::observation};
    step.call = std::move(output.id);
    step.tool = std::move(output.tool);
    step.arguments = std::move(output.arguments);
    step.text = repair_utf8(output.output);
    step.ok = output.ok;
    step.within = std::move(output.within);
    step.note = std::move(output.note);
    int repeats = 0;
    for (const auto& earlier : ctx.get<CurrentReasoning>()) repeats += same(earlier, step);
    if (repeats >= told_after) {
        if (!step.note.empty()) step.note += ". ";
        step.note += "the same call has given the same observation " + std::to_string(repeats + 1) +
                     " times. Do something else, or answer with what you know.";
    }
    ctx.edit<Progress>([&](auto& progress) {
        progress.spent.tool_calls += 1 + static_cast<int>(step.within.size());
        add(progress.spent, output.spent);
        if (repeats >= ended_after) close(progress, "repeated_calls");
    });
    ctx.edit<CurrentReasoning>([&step](auto& reasoning) { reasoning.push_back(step); });
    return step;
}
}
