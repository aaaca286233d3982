// Calls among the arguments run one after another before the call itself; the first failure ends it.
#include "steps/agents/common/call_tool.hpp"
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "engine/once.hpp"
#include "engine/text/utf8.hpp"
#include "engine/timeout.hpp"
#include "steps/agents/common/approvals.hpp"
#include "steps/agents/common/call_operations.hpp"
#include "steps/agents/common/model_request.hpp"
#include "steps/models/call_ids.hpp"
#include <nlohmann/json.hpp>

namespace weft::agents {
namespace {
using nlohmann::json;
constexpr JsonLimits limits{.bytes = 1u << 20, .depth = 64, .exact = true};

void tell(Context& ctx, const Source& call) { ctx.stream(ActionEvent{call.call, "", call.tool, call.arguments, ""}); }
void tell(Context& ctx, const Source& call, const tools::Observation& observation, const std::string& note) {
    ctx.stream(ObservationEvent{call.call, call.tool, observation.text, note, observation.ok, observation.display});
}
tools::Observation not_called(const std::string& tool, const std::string& why) {
    return {.text = "Error: " + tool + " was not called" + why, .ok = false};
}
tools::Observation not_run(const std::string& tool, const std::string& why) {
    auto observation = not_called(tool, why);
    observation.ran = false;
    return observation;
}
awaitable<tools::Observation> at_once(tools::Observation observation) { co_return observation; }

/// The observation of a call without its needed approval. An agent that asks for approvals gets here only with a call
/// that takes results of inner calls, because a question could not show these arguments.
tools::Observation not_approved(const std::string& tool) {
    return not_run(tool, ", because it needs an approval, which only a call with plain values can get: "
                         "make the calls among its arguments first, and then this one by itself.");
}
/// The observation of a call whose tool changed after the reply.
tools::Observation not_shown(const std::string& tool, const std::string& why) {
    return not_run(tool, ", because " + why + ". Call it again by itself, and a person is asked to approve it.");
}
tools::Observation blocked(const BlockedCall& part) {
    return not_run(part.tool, ": it is blocked, because " + part.why + '.');
}
/// The observation of a call that a person rejected, or that no person could approve.
tools::Observation not_allowed(const std::string& tool, Approval approval, const std::string& why) {
    const bool ends = why.ends_with('.') || why.ends_with('!') || why.ends_with('?');
    const auto because = why.empty() ? ", without a reason." : ". The reason: " + why + (ends ? "" : ".");
    if (approval == Approval::unanswered)
        return not_run(tool, ": it needs an approval, and there was no person to ask" + (why.empty() ? "." : because));
    return not_run(tool, ": the person who was asked to approve it has rejected it" + because);
}
bool is_refused(Approval approval) { return approval == Approval::rejected || approval == Approval::unanswered; }
struct RunningTool {
    awaitable<tools::Observation> work;
    bool is_blocked = false;
};
/// Starts the call of a tool, which gets this key from its context. A block holds even for an approved call.
RunningTool run_tool(Context& ctx, const tools::Registry& tools, std::string name, std::string arguments,
                     std::string id, ToolAsker& asker, std::string key, std::size_t number = 0, bool approved = false) {
    if (ctx.replaying()) throw Error(Code::cancelled, "tools do not run again");
    asker.begin_call(id, name, std::move(key), number);
    auto verdict = permission_of(ctx, tools, name, arguments);
    if (verdict.permission == tools::Permission::block) return {at_once(blocked({name, std::move(verdict.why)})), true};
    if (verdict.permission == tools::Permission::ask && !approved)
        return {at_once(verdict.changed ? not_shown(name, verdict.why) : not_approved(name))};
    if (!ctx.observed()) return {tools.call(std::move(name), std::move(arguments), asker)};
    ObservedCall call{name, arguments, std::move(id)};
    auto work = tools.call(std::move(name), std::move(arguments), asker);
    return {call_observed(ctx, tools, std::move(call), std::move(work))};
}
/// The tool of the first refused call, of the call itself and its inner calls; null if there is none.
const std::string* find_refused(const ToolCallEvent& call, Approval& approval, std::string& why) {
    if (is_refused(call.approval)) return approval = call.approval, why = call.note, &call.tool;
    for (const auto& inner : call.inner)
        if (is_refused(inner.approval)) return approval = inner.approval, why = inner.note, &inner.tool;
    return nullptr;
}
/// The observation of a call that must not run, because it or an inner call is refused or blocked.
std::optional<tools::Observation> refusal(const Context& ctx, const ToolCallEvent& call, const tools::Registry& tools) {
    auto approval = Approval::none;
    std::string why;
    const auto* refused = find_refused(call, approval, why);
    // A call without inner calls is checked right before it runs.
    const auto part = refused || call.inner.empty() ? std::nullopt : blocked_part(ctx, call, tools);
    if (!refused && !part) return std::nullopt;
    auto observation = refused ? not_allowed(*refused, approval, why) : blocked(*part);
    if ((refused ? *refused : part->tool) == call.tool && call.inner.empty()) return observation;
    return not_run(call.tool, ": a call among its arguments may not run. " + observation.text);
}
/// True if the schema allows only a string at this place.
bool wants_text(const json& schema, json::json_pointer place) {
    std::vector<std::string> steps;
    for (; !place.empty(); place.pop_back()) steps.push_back(place.back());
    const auto* at = &schema;
    const auto enter = [&at](const std::string& key) {
        const auto found = at->is_object() ? at->find(key) : at->end();
        if (!at->is_object() || found == at->end()) return false;
        at = &*found;
        return true;
    };
    for (auto step = steps.rbegin(); step != steps.rend(); ++step)
        if (!(enter("properties") ? enter(*step) : enter("items"))) return false;
    return enter("type") && *at == "string";
}
json value_of(const std::string& result) {
    try {
        auto value = parse_json(result, limits);
        if (!value.is_string()) return value;
    } catch (const Error&) {}  // no JSON: stays a text
    return result;
}
/// The arguments of a call and of its inner calls, while their results arrive. The source of the event is not trusted:
/// before any call runs, the constructor makes sure that each result goes to a later call.
class InnerCalls {
public:
    InnerCalls(const ToolCallEvent& call, const tools::Registry& tools) : call_(call), tools_(tools) {
        try {
            for (const auto& inner : call.inner) arguments_.push_back(parse_json(inner.arguments.text, limits));
            arguments_.push_back(parse_json(call.arguments.text, limits));
            check();
        } catch (const std::exception& error) { mistake_ = error.what(); }
    }
    /// The fault of the calls, such as a result without a receiver; empty if there is none. After a fault, the other
    /// functions must not be called.
    const std::string& mistake() const { return mistake_; }
    /// The arguments with the results so far. The index after the last inner call is the outermost call.
    std::string arguments(std::size_t call) const { return arguments_[call].dump(); }
    /// Puts the result of a call into its receiver: as text where the schema wants a string, else as the JSON value in
    /// it, if it is JSON.
    void take(std::size_t call, const std::string& result) {
        const auto& inner = call_.inner[call];
        const auto into = static_cast<std::size_t>(inner.into);
        const json::json_pointer place(inner.place);
        const auto* taker = tools_.find(into < call_.inner.size() ? call_.inner[into].tool : call_.tool);
        const auto text = repair_utf8(result);
        const bool as_text = taker && wants_text(taker->schema(), place);
        arguments_[into][place] = as_text ? json(text) : value_of(text);
    }

private:
    void check() {
        const auto n = call_.inner.size();
        if (n >= static_cast<std::size_t>(max_calls)) {
            mistake_ = "there are more than " + std::to_string(max_calls) + " calls in one action";
            return;
        }
        std::vector<int> depth(n + 1, 1);
        for (auto i = n; i-- > 0;) {
            const auto& inner = call_.inner[i];
            const auto into = static_cast<std::size_t>(inner.into);
            if (inner.into < 0 || into <= i || into > n || inner.place.empty() ||
                !arguments_[into].contains(json::json_pointer(inner.place)))
                mistake_ = "nothing takes the result of " + inner.tool;
            else if ((depth[i] = depth[into] + 1) > max_call_depth)
                mistake_ = "there are more than " + std::to_string(max_call_depth) + " calls in each other";
        }
    }
    const ToolCallEvent& call_;
    const tools::Registry& tools_;
    std::vector<json> arguments_;
    std::string mistake_;
};
/// Runs the inner calls in their order. Returns the first failure; empty if all succeeded.
awaitable<std::string> run_inner(Context& ctx, ToolCallEvent& call, const tools::Registry& tools, ToolAsker& asker,
                                 const std::string& key, std::vector<Source>& within) {
    InnerCalls calls(call, tools);
    if (!calls.mistake().empty()) co_return calls.mistake();
    for (std::size_t i = 0; i < call.inner.size(); ++i) {
        const auto& inner = call.inner[i];
        Source source;
        source.call = models::call_ids::of_inner(call.id, i + 1);
        source.tool = inner.tool;
        source.arguments.text = calls.arguments(i);
        tell(ctx, source);
        auto running = run_tool(ctx, tools, source.tool, source.arguments.text, source.call, asker,
                                key.empty() ? key : key + '/' + std::to_string(i + 1), i + 1,
                                inner.approval == Approval::approved);
        auto observation = co_await ctx.once("inner " + source.tool, std::move(running.work));
        tell(ctx, source, observation, inner.note);
        if (!inner.note.empty()) call.note += (call.note.empty() ? "" : ". ") + source.tool + ": " + inner.note;
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
    bool is_blocked = false;
    const auto& clock = co_await this_clock();
    ToolAsker asker(ctx, options, clock);
    auto refused = refusal(ctx, call, tools);
    if (!call.inner.empty() && !refused) why = co_await run_inner(ctx, call, tools, asker, key, output.within);
    if (refused) {
        observation = std::move(*refused);
        call.note.clear();
    } else if (why.empty()) {
        auto running = run_tool(ctx, tools, call.tool, call.arguments.text, call.id, asker, std::move(key), 0,
                                call.approval == Approval::approved);
        is_blocked = running.is_blocked;
        observation = co_await std::move(running.work);
    } else observation = not_called(call.tool, ": " + why);
    output.id = std::move(call.id);
    output.tool = std::move(call.tool);
    output.arguments = std::move(call.arguments);
    output.output = std::move(observation.text);
    output.ok = observation.ok;
    output.ran = observation.ran;
    output.display = std::move(observation.display);
    output.spent = asker.spent();
    output.rejected = refused.has_value() || is_blocked;
    output.note = std::move(call.note);
    co_return output;
}
}
