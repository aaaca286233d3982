// The offers and results of an MCP server, for clients of both eras, without any I/O: a request goes in, its result
// comes out. Peer (workflows/mcp/peer.hpp) passes on requests of a client, over stdio or HTTP.
//
//     Core core({.name = "shop", .version = "1.0"});
//     core.add(offer_run(server::offer(engine, refund, "asks before a refund")));      // workflows/mcp/run_offer.hpp
//     for (auto& offer : offer_tools(registry)) core.add(std::move(offer));            // workflows/mcp/tool_offer.hpp
//     auto answering = core.answer(call, envelope);
//     json result = co_await std::move(answering);                                     // throws RpcFailure
//
// Add everything before the first client comes; afterwards only the number of open calls changes. A core serves on one
// loop. Copies share one state with the open calls, so a core may be destroyed before its calls have ended.
#pragma once
#include "engine/json/text.hpp"
#include "workflows/mcp/check.hpp"
#include <memory>

namespace weft::mcp_server {
/// Handles a call, and returns its result, an object. The Call outlives the awaitable.
using ToolAction = std::function<awaitable<nlohmann::json>(Call&)>;

/// A tool for clients.
struct ServedTool {
    /// The entry in tools/list: name, description, inputSchema; optional title, outputSchema, annotations.
    nlohmann::json tool;
    /// Returns a result: text_result(), or a JSON object with content. The arguments are not checked yet.
    ToolAction act;
    /// Called at the server's end: ends everything that was kept between calls. May be empty.
    std::function<void()> leave = {};
};
/// The former name of ToolAction.
using Act [[deprecated("its name is ToolAction")]] = ToolAction;
/// The former name of ServedTool.
using Offer [[deprecated("its name is ServedTool")]] = ServedTool;
/// Another method of the server: prompts/get, resources/read.
struct Method {
    ToolAction act;          // returns the result for the client
    bool legacy = true,      // older clients may call it
        modern = true;       // clients of 2026-07-28 may call it
    bool asks = false;       // the method may call Call::ask: prompts/get and resources/read
    bool cacheable = false;  // its results name their lifetime to modern clients
};
/// A server's description of itself, and its limits.
struct CoreOptions {
    std::string name = "weft",  // the server's, for programs
        title,                  // the server's, for people; empty: not sent
        version = "1.0",        // the server's, for people
        instructions;           // for the client's model; empty: not sent
    /// Capabilities besides the tools', such as {"prompts": {}}. Only older clients get older_capabilities, such as
    /// {"logging": {}} for the level of Call::log; a modern request names its level itself.
    nlohmann::json capabilities = nlohmann::json::object(),
                   older_capabilities = nlohmann::json::object();  // merged into the others
    std::size_t page = 100;                                        // maximum tools in a reply
    std::size_t calls_at_once = 1000;                              // maximum of all clients
    /// Maximum calls with one token, or of the client over stdio; no limit over HTTP without tokens.
    std::size_t calls_of_caller = 200;
    std::chrono::nanoseconds answer_time = std::chrono::hours(1);  // maximum time for an answer
    std::optional<std::chrono::nanoseconds> timeout;               // a call's, with the time for questions
    std::size_t result_bytes = 16u << 20;  // maximum of a response; a longer one becomes an error
    /// RunOptions::values of every run, and ToolContext::values of every tool: a JSON object, or empty. Clients cannot
    /// add values, since values name the user.
    JsonText values;
};

class Core {
public:
    /// Throws Error{usage} for values that are not an object or too large (engine/run_options.hpp).
    explicit Core(CoreOptions);
    /// Throws Error{usage} for a name that is taken or that MCP does not allow, and for a schema that does not describe
    /// an object.
    void add(ServedTool);
    void add(std::string method, Method);

    /// The result of a request for sending. Throws RpcFailure for an error reply, and system_error(operation_aborted)
    /// after cancellation. The call and the envelope must outlive it.
    awaitable<nlohmann::json> answer(Call&, const Envelope&) const;
    /// The result of `initialize`, with the requested revision or the newest revision with a handshake.
    nlohmann::json agree(const nlohmann::json& params, CallClient&) const;

    /// Ends everything that was kept between calls, such as runs with an open question.
    void leave() const;

    const CoreOptions& options() const;  // the constructor's
    std::size_t calls() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};
/// The purpose of a sealed state: the caller, the method and its params.
std::string purpose_of(const Call&);
}
