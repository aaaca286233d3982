// An MCP server that is a program of this machine: it is started, and spoken to by its standard input and output, one
// message a line.
//
//     mcp::StdioSettings settings{.server = "files"};
//     settings.program.command = "npx";
//     settings.program.arguments = {"-y", "@modelcontextprotocol/server-filesystem", "/users/me/notes"};
//     settings.program.environment["NODE_ENV"] = "production";
//     mcp::StdioTransport transport(settings);
//
// There is no shell, and the program gets the environment of `program` only (engine/process/process.hpp). What it
// writes to standard output and is no message is noise, which the listener hears: banners, logs, JSON of other kinds,
// answers to nothing, and second ones. Standard error is noise always. A line beyond the bound fails the call that it
// belongs to, if its id can be seen, and no other.
//
// When the process ends, or closes its output, what waits for an answer fails at once with a sentence that says how it
// ended and the last of what it wrote to standard error, without what stands in `secrets` and without the values of
// variables that other programs do not get. open() starts it anew after a pause: none after an end that was to be
// expected, else half a second, doubled with each end since the last answer, 10 seconds at most.
#pragma once
#include "engine/process/process.hpp"
#include "tools/mcp/client/transport.hpp"

namespace weft::tools::mcp {
class StdioSession;

struct StdioSettings {
    std::string server;        // the configured name
    process::Options program;  // its `longest_line` and `on_error_line` are not used
    MessageLimits limits = answers_of_servers;
    std::vector<std::string> secrets;  // taken out of all that the server says
    std::chrono::nanoseconds first_pause = std::chrono::milliseconds(500), longest_pause = std::chrono::seconds(10);
};

class StdioTransport final : public Transport {
public:
    explicit StdioTransport(StdioSettings);
    ~StdioTransport() override;
    Kind kind() const override { return Kind::stdio; }
    const std::string& server() const override { return settings_.server; }
    awaitable<void> open(Listener&, bool at_once = false) override;
    bool is_open() const override;
    std::string odd_id() const override;
    std::string odd_line() const override;
    awaitable<Response> request(Request, Sending) override;
    awaitable<void> notify(Notification) override;
    awaitable<void> answer(Response) override;
    awaitable<void> close() override;

private:
    awaitable<void> send(Message);
    [[noreturn]] void throw_not_open() const;
    const StdioSettings settings_;
    std::shared_ptr<StdioSession> session_;  // of the process that runs, or ran last
};
}
