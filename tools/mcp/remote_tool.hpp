// A tool of an MCP server as a tool of weft, for any agent on any loop.
//
//     auto tool = std::make_shared<mcp::RemoteTool>(server, info, mcp::tool_name("files", info.name, {}));
//     registry.add(tool);
//
// The model gets the server's schema unchanged. The client validates the arguments by the part of the schema that it
// can validate, and the server validates the rest. Failures, also the server's end, are observations. Calls run on the
// loop of the server's client, wherever the agent runs; a cancelled or timed-out run cancels its call there. The
// server's progress becomes the tool's progress, and its question a question of the run (ToolContext::ask); without an
// answer the question is declined, and the observation says so. If ToolContext::can_ask is false, a modern server is
// not offered elicitation, and a question of a legacy server is cancelled. A durable run does not repeat a call after a
// crash, unless a trusted server declares this harmless.
//
// A call needs a permission, unless a trusted server declares the tool read-only. A tool whose description, schema or
// hints have changed since the model first saw it needs an approval in any case: each call is refused with an
// explanation until a person approves a call of the present version.
#pragma once
#include "engine/clock.hpp"
#include "tools/mcp/client/client.hpp"
#include "tools/tool.hpp"
#include <atomic>

namespace weft::tools::mcp {
/// The server of some tools; lives as long as its tools.
struct RemoteServer {
    RemoteServer(std::unique_ptr<Transport> transport, ClientOptions options, Runtime loop)
        : client(std::move(transport), std::move(options)), runtime(std::move(loop)) {}
    Client client;
    const Runtime runtime;       // the client's runtime; outlives all calls
    bool trusted = false;        // believe the server's hints
    bool approve = true;         // require approval, except for tools that a trusted server declares read-only
    std::atomic<bool> closed{};  // start no more calls
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
    /// The server's description of the tool.
    const ToolInfo& info() const;

private:
    awaitable<Observation> cross(nlohmann::json arguments, ToolContext&);
    struct State;
    const std::shared_ptr<State> state_;
};
}
