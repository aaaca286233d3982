// A call goes from the caller's loop to the client's and back (cross_loop_call.hpp). The tool shares its state with its
// calls, which may outlive it.
#include "tools/mcp/remote_tool.hpp"
#include "engine/timeout.hpp"
#include "tools/at_most_once.hpp"
#include "tools/mcp/client/cross_loop_call.hpp"
#include "tools/mcp/result_text.hpp"
#include <mutex>

namespace weft::tools::mcp {
using nlohmann::json;

struct RemoteTool::State {
    State(std::shared_ptr<RemoteServer> s, ToolInfo i, std::string n)
        : server(std::move(s)), info(std::move(i)), name(std::move(n)), checked(checkable(info.arguments, true)) {
        const auto& said = info.description.empty() ? info.title : info.description;
        description = said.empty() ? "The tool " + info.name + " of the server " + server->client.server() + "." : said;
        accepted = known = info.fingerprint;
        known_description = info.description;
    }
    bool is_trusted_reader() const { return server->trusted && info.hints.read_only; }
    /// Whether a call may be repeated after its process has died.
    bool may_repeat() const { return server->trusted && (info.hints.read_only || info.hints.idempotent); }
    /// Whether the present version may be called: it is the first one, or a person has accepted it.
    bool may_call(const ToolInfo& now) {
        std::lock_guard lock(mutex);
        known = now.fingerprint;
        known_description = now.description;
        return known == accepted;
    }
    awaitable<Observation> work(json arguments, CallOptions);

    const std::shared_ptr<RemoteServer> server;
    const ToolInfo info;
    const std::string name;
    const json checked;
    std::string description;
    std::mutex mutex;             // guards the next members
    std::string accepted, known;  // fingerprints
    std::string known_description;
};

namespace {
awaitable<Observation> kept([[maybe_unused]] std::shared_ptr<const void> alive, awaitable<Observation> work) {
    co_return co_await std::move(work);
}
}

awaitable<Observation> RemoteTool::State::work(json arguments, CallOptions options) {
    auto& client = server->client;
    const auto list = co_await client.tools();
    const auto* now = list->find(info.name);
    if (!now)
        throw ToolError("the MCP server \"" + client.server() + "\" has no usable tool \"" + quoted(info.name, 80) +
                        "\" any more");
    if (!may_call(*now))
        throw ToolError("the MCP server \"" + client.server() +
                        "\" has changed its description of this tool since it was " +
                        "first shown, so this call was not made: a person must approve the next one");
    CallToolParams call{.tool = info.name, .arguments = std::move(arguments)};
    const auto result = co_await client.call(std::move(call), std::move(options));
    Observation observation;
    observation.text = result_text(result);
    observation.ok = !result.is_error && result.mismatch.empty();
    co_return observation;
}

RemoteTool::RemoteTool(std::shared_ptr<RemoteServer> server, ToolInfo info, std::string name)
    : state_(std::make_shared<State>(std::move(server), std::move(info), std::move(name))) {}
RemoteTool::~RemoteTool() = default;
const std::string& RemoteTool::name() const { return state_->name; }
const std::string& RemoteTool::description() const { return state_->description; }
const json& RemoteTool::schema() const { return state_->info.arguments; }
const json& RemoteTool::checked_schema() const { return state_->checked; }
const ToolInfo& RemoteTool::info() const { return state_->info; }
bool RemoteTool::is_parallel() const { return state_->is_trusted_reader(); }
std::string RemoteTool::version() const {
    std::lock_guard lock(state_->mutex);
    return state_->known;
}
std::string RemoteTool::change() const {
    std::lock_guard lock(state_->mutex);
    if (state_->known == state_->accepted) return {};
    const auto who = "the MCP server \"" + state_->server->client.server() + "\" has changed ";
    if (state_->known_description == state_->info.description)
        return who + "the arguments, the results or the hints of this tool";
    return who + "its description of this tool, which is now: \"" + quoted(state_->known_description, 600) + '"';
}
void RemoteTool::accept(const std::string& version) {
    std::lock_guard lock(state_->mutex);
    if (version == state_->known) state_->accepted = state_->known;
}
bool RemoteTool::changes(const json&) const { return state_->server->approve && !state_->is_trusted_reader(); }
awaitable<Observation> RemoteTool::cross(json arguments, ToolContext& context) {
    const auto state = state_;
    if (state->server->closed)
        throw ToolError("the MCP server \"" + state->server->client.server() + "\" has been closed");
    const Runtime home = *co_await this_runtime();
    const auto crossing = std::make_shared<CrossLoopCall>(home, context);
    const CrossLoopCall::LoopWorkGuard stay(*crossing);
    auto options = crossing->options();
    auto work = kept(state, state->work(std::move(arguments), std::move(options)));
    crossing->begin(state->server->runtime, std::move(work));
    co_return co_await crossing->follow();
}
awaitable<Observation> RemoteTool::call(const json& arguments, ToolContext& context) {
    auto crossing = cross(arguments, context);
    return state_->may_repeat() ? std::move(crossing) : run_at_most_once(context, std::move(crossing));
}
}
