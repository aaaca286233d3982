// Servers refuse a conversation unless every call of a reply has exactly one result, in the order of the calls. A call
// that did not run gets an error as its result.
#include "steps/agents/common/answer.hpp"
#include "steps/agents/common/observation.hpp"
#include "steps/agents/native/steps.hpp"
#include <utility>

namespace weft::agents::inline native_steps {
namespace {
/// The calls of the last reply with calls, to which the results belong.
const std::vector<models::ToolCall>& calls_of(const Transcript& transcript) {
    static const std::vector<models::ToolCall> none;
    for (auto i = transcript.size(); i-- > 0;)
        if (!transcript[i].calls.empty()) return transcript[i].calls;
    return none;
}
void note_refused(Context& ctx, ToolCallEvent call, const std::string& text) {
    ReasoningStep step{.kind = ReasoningKind::observation, .ok = false};
    step.call = std::move(call.id);
    step.tool = std::move(call.tool);
    step.arguments = std::move(call.arguments);
    step.text = text;
    ctx.stream(ObservationEvent{step.call, step.tool, step.text, "", false});
    ctx.edit<CurrentReasoning>([&step](auto& reasoning) { reasoning.push_back(std::move(step)); });
}
}

std::variant<std::vector<ToolCallEvent>, AskEvent> return_results(Context& ctx, std::vector<ToolOutputEvent> outputs,
                                                                  const ToolAgentOptions& options) {
    const auto calls = calls_of(ctx.get<Transcript>());
    auto open = ctx.get<OpenCalls>();
    auto why = "the budget of calls is spent";
    for (auto& output : outputs) {
        open.ran = open.ran || output.ran || output.rejected;
        auto display = std::move(output.display);
        auto step = add_observation(ctx, std::move(output));
        ctx.stream(ObservationEvent{step.call, step.tool, step.text, step.note, step.ok, std::move(display)});
        if (!step.note.empty()) (step.text += "\nNote: ") += step.note;
        if (open.results.size() < calls.size())
            open.results.push_back(models::result(calls[open.results.size()], std::move(step.text), step.ok));
    }
    if (ctx.get<Progress>().closing && !open.waiting.empty()) {
        open.refused.insert(open.refused.begin(), open.waiting.begin(), open.waiting.end());
        open.waiting.clear();
        why = "no tool runs any more";
    }
    if (!open.waiting.empty()) {
        std::vector<ToolCallEvent> next{std::move(open.waiting.front())};
        open.waiting.erase(open.waiting.begin());
        ctx.edit<OpenCalls>([&open](auto& slot) { slot = std::move(open); });
        return next;
    }
    for (auto& call : open.refused) {
        const auto text = std::string("Error: this was not called: ") + why;
        note_refused(ctx, std::move(call), text);
        if (open.results.size() < calls.size())
            open.results.push_back(models::result(calls[open.results.size()], text, false));
    }
    const auto last = open.results.empty() ? std::string() : open.results.back().content;
    const bool ran = open.ran;
    ctx.edit<Transcript>([&open](auto& transcript) {
        for (auto& result : open.results) transcript.push_back(std::move(result));
    });
    ctx.edit<OpenCalls>([](auto& slot) { slot = {}; });
    if (ran || outputs.empty()) ctx.edit<Progress>([](auto& progress) { progress.faults = 0; });
    else count_fault(ctx, last, options.max_faults);
    return AskEvent{};
}
}
