// A tool of an MCP server as a tool of weft, for any agent on any loop.
//
//     auto tool = std::make_shared<mcp::RemoteTool>(server, info, mcp::tool_name("files", info.name, {}));
//     registry.add(tool);
//
// The model is shown the server's schema as it is; the arguments are validated by the part of it that can be validated
// here, and by the server. What goes wrong, the server's end included, is an observation. Calls run on the loop of the
// server's client, wherever the agent runs; a run that is cancelled, or whose time is up, cancels its call there. What
// the server tells of its progress is the tool's, and what it asks is a question of the run (ToolContext::ask); if
// nobody answers, it is declined, and the observation says so. Where ToolContext::can_ask is false, a modern server is
// not offered elicitation, and a question of a legacy one is cancelled. In a durable run a call is not made again after
// a crash, unless a trusted server says that this does no harm.
//
// A call needs a permission, except of a tool that only reads by the word of a server that is trusted. A tool whose
// description, schema or hints have changed since the model was first shown it needs an approval in any case: until
// somebody has approved a call of it as it is now, each is refused, with a sentence that says so.
#pragma once
#include "engine/clock.hpp"
#include "tools/mcp/client/client.hpp"
#include "tools/tool.hpp"
#include <atomic>

namespace weft::tools::mcp {
/// The server of some tools. Lives as long as they do.
struct RemoteServer {
    RemoteServer(std::unique_ptr<Transport> transport, ClientOptions options, Runtime loop)
        : client(std::move(transport), std::move(options)), runtime(std::move(loop)) {}
    Client client;
    const Runtime runtime;       // where the client lives; it outlives all calls
    bool trusted = false;        // its hints are believed
    bool approve = true;         // what is not read-only by the word of a trusted server has to be approved
    std::atomic<bool> closed{};  // no call begins any more
};

class RemoteTool final : public ContextTool {
public:
    RemoteTool(std::shared_ptr<RemoteServer>, ToolInfo, std::string name);
    ~RemoteTool() override;
    const std::string& name() const override;
    const std::string& description() const override;
    const nlohmann::json& schema() const override;
    const nlohmann::json& checked_schema() const override;
    bool is_parallel() const override;
    std::string version() const override;
    std::string change() const override;
    void accept(const std::string& version) override;
    bool changes(const nlohmann::json& arguments) const override;
    using ContextTool::call;
    awaitable<Observation> call(const nlohmann::json& arguments, ToolContext&) override;
    /// As the server describes it.
    const ToolInfo& info() const;

private:
    awaitable<Observation> cross(nlohmann::json arguments, ToolContext&);
    struct State;
    const std::shared_ptr<State> state_;
};
}
