// Starts an MCP server as a program on this machine, and talks to it by its standard input and output, one message a
// line.
//
//     mcp::StdioSettings settings{.server = "files"};
//     settings.program.command = "npx";
//     settings.program.arguments = {"-y", "@modelcontextprotocol/server-filesystem", "/users/me/notes"};
//     settings.program.environment["NODE_ENV"] = "production";
//     mcp::StdioTransport transport(settings);
//
// There is no shell, and the program gets only the environment in `program` (engine/process/process.hpp). Lines of
// standard output that are not messages are noise for the listener: banners, logs, other JSON, responses without a
// request, and second responses. Standard error is always noise. A line beyond the limit fails only the call that it
// belongs to, if its id can be read.
//
// When the process ends or closes its output, waiting requests fail immediately. Their error tells how the process
// ended, and the end of its standard error, without `secrets` and without values of variables that other programs do
// not get. open() starts it again after a pause: none after an expected end, else half a second, doubled with each end
// since the last response, 10 seconds at most.
#pragma once
#include "engine/process/process.hpp"
#include "engine/retry.hpp"
#include "tools/mcp/client/transport.hpp"

namespace weft::tools::mcp {
class StdioSession;

struct StdioSettings {
    std::string server = {};   // the configured name
    process::Options program;  // without `longest_line` and `on_error_line`, which the transport sets
    MessageLimits limits = answers_of_servers;
    std::vector<std::string> secrets = {};  // removed from all texts of the server
    Wait pause = exponential(std::chrono::milliseconds(500), std::chrono::seconds(10), 2, 0);
};

class StdioTransport final : public Transport {
public:
    explicit StdioTransport(StdioSettings);
    ~StdioTransport() override;
    Kind kind() const override { return Kind::stdio; }
    const std::string& server() const override { return settings_.server; }
    awaitable<void> open(TransportListener&, bool at_once = false) override;
    bool is_open() const override;
    std::string odd_id() const override;
    std::string odd_line() const override;
    awaitable<Response> request(Request, SendOptions) override;
    awaitable<void> notify(Notification) override;
    awaitable<void> answer(Response) override;
    awaitable<void> close() override;

private:
    awaitable<void> send(RpcMessage);
    [[noreturn]] void throw_not_open() const;
    const StdioSettings settings_;
    std::shared_ptr<StdioSession> session_;  // session of the current or last process
};
}
