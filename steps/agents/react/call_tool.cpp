// Calls among the arguments run one after another before the call itself; the first that fails ends it.
#include "engine/context.hpp"
#include "engine/error.hpp"
#include "engine/once.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/common/asking.hpp"
#include "steps/agents/common/observed.hpp"
#include "steps/agents/react/inner_calls.hpp"
#include "steps/agents/react/steps.hpp"
#include "steps/models/call_ids.hpp"

namespace weft::agents {
namespace {
void tell(Context& ctx, const Source& call) { ctx.stream(ActionEvent{call.call, "", call.tool, call.arguments, ""}); }
void tell(Context& ctx, const Source& call, const tools::Observation& observation) {
    ctx.stream(ObservationEvent{call.call, call.tool, observation.text, "", observation.ok, observation.display});
}
tools::Observation not_called(const std::string& tool, const std::string& why) {
    tools::Observation observation;
    observation.text = "Error: " + tool + " was not called" + why;
    observation.ok = false;
    return observation;
}
/// In the place of a call that needs an approval, and has none. No agent that asks for approvals comes here but by a
/// call among arguments, or with one among its own, whose arguments nobody could have seen when the question was asked.
awaitable<tools::Observation> refuse(std::string name) {
    auto observation = not_called(name, ", because it needs an approval, which is only asked for a call that stands by "
                                        "itself: not among the arguments of another one, and with plain values as its "
                                        "own.");
    observation.ran = false;
    co_return observation;
}
/// Every call of a tool: whoever asks for its key gets this one.
awaitable<tools::Observation> run_tool(Context& ctx, const tools::Registry& tools, std::string name,
                                       std::string arguments, std::string id, ToolAsker& asker, std::string key,
                                       std::size_t number = 0, bool approved = false) {
    if (ctx.replaying()) throw Error(Code::cancelled, "tools do not run again");
    asker.begin_call(id, name, std::move(key), number);
    if (!approved && tools.needs_approval(name, arguments)) return refuse(std::move(name));
    if (!ctx.observed()) return tools.call(std::move(name), std::move(arguments), asker);
    ObservedCall call{name, arguments, std::move(id)};
    auto work = tools.call(std::move(name), std::move(arguments), asker);
    return call_observed(ctx, tools, std::move(call), std::move(work));
}
tools::Observation rejection(const ToolCallEvent& call) {
    auto observation = not_called(
        call.tool, ": whoever was asked to approve the call has rejected it" +
                       (call.note.empty() ? std::string(", without a reason.") : ". The reason: " + call.note));
    observation.ran = false;
    return observation;
}
std::string key_of_inner(const std::string& key, std::size_t number) {
    return key.empty() ? key : key + '/' + std::to_string(number);
}
/// Runs them in their order. What is wrong: empty if each has done what it was asked.
awaitable<std::string> run_inner(Context& ctx, ToolCallEvent& call, const tools::Registry& tools, ToolAsker& asker,
                                 const std::string& key, std::vector<Source>& within) {
    InnerCalls calls(call, tools);
    if (!calls.mistake().empty()) co_return calls.mistake();
    for (std::size_t i = 0; i < call.inner.size(); ++i) {
        Source source;
        source.call = models::call_ids::of_inner(call.id, i + 1);
        source.tool = call.inner[i].tool;
        source.arguments.text = calls.arguments(i);
        tell(ctx, source);
        auto running = run_tool(ctx, tools, source.tool, source.arguments.text, source.call, asker,
                                key_of_inner(key, i + 1), i + 1);
        auto observation = co_await ctx.once("inner " + source.tool, std::move(running));
        tell(ctx, source, observation);
        if (!observation.ok) co_return source.tool + " among its arguments failed. " + observation.text;
        calls.take(i, observation.text);
        source.output = std::move(observation.text);
        within.push_back(std::move(source));
    }
    call.arguments.text = calls.arguments(call.inner.size());
    co_return std::string();
}
}

awaitable<ToolOutputEvent> call_tool(Context& ctx, ToolCallEvent call, const tools::Registry& tools,
                                     const ReactOptions& options) {
    return call_tool_with_key(ctx, std::move(call), tools, options, ctx.key());
}
awaitable<ToolOutputEvent> call_tool_with_key(Context& ctx, ToolCallEvent call, const tools::Registry& tools,
                                              const ReactOptions& options, std::string key) {
    ToolOutputEvent output;
    tools::Observation observation;
    std::string why;
    const auto& clock = co_await this_clock();
    ToolAsker asker(ctx, options, clock);
    const bool rejected = call.approval == Approval::rejected, approved = call.approval == Approval::approved;
    if (!call.inner.empty() && !rejected) why = co_await run_inner(ctx, call, tools, asker, key, output.within);
    if (rejected) {
        observation = rejection(call);
        call.note.clear();
    } else if (why.empty()) {
        auto running = run_tool(ctx, tools, call.tool, call.arguments.text, call.id, asker, std::move(key), 0,
                                approved);
        observation = co_await std::move(running);
    } else observation = not_called(call.tool, ": " + why);
    output.id = std::move(call.id);
    output.tool = std::move(call.tool);
    output.arguments = std::move(call.arguments);
    output.output = std::move(observation.text);
    output.ok = observation.ok;
    output.ran = observation.ran;
    output.display = std::move(observation.display);
    output.spent = asker.spent();
    output.rejected = rejected;
    output.note = std::move(call.note);
    co_return output;
}
}
