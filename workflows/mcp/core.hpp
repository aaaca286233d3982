// The offers and results of an MCP server, for clients of both eras, without any I/O: a request goes in, its result
// comes out. Peer (workflows/mcp/peer.hpp) passes on requests of a client, over stdio or HTTP.
//
//     Core core({.name = "shop", .version = "1.0"});
//     core.add(offer_run(server::offer(engine, refund, "asks before a refund")));      // workflows/mcp/run_offer.hpp
//     for (auto& offer : offer_tools(registry)) core.add(std::move(offer));            // workflows/mcp/tool_offer.hpp
//     auto answering = core.answer(call, envelope);
//     json result = co_await std::move(answering);                                     // throws RpcFailure
//
// All is added before the first client comes; then it is immutable but for the number of calls that go on. It serves
// on one loop. Copies are the same core, and calls that go on share it: it may be destroyed before they have ended.
#pragma once
#include "engine/json/text.hpp"
#include "workflows/mcp/check.hpp"
#include <memory>

namespace weft::mcp_server {
using Act = std::function<awaitable<nlohmann::json>(Call&)>;

/// A tool as clients see it.
struct Offer {
    /// As it stands in tools/list: name, description, inputSchema; perhaps title, outputSchema, annotations.
    nlohmann::json tool;
    /// Gives a result: text_result(), or one of your own with content. The arguments have not been checked.
    Act act;
    /// The server ends: what it has kept between calls ends. May be empty.
    std::function<void()> leave = {};
};
/// Another method that is answered: prompts/get, resources/read.
struct Method {
    Act act;
    bool legacy = true, modern = true;  // the eras that have it
    bool asks = false;                  // it may ask by Call::ask: prompts/get and resources/read
    bool cacheable = false;             // lists, and what is read: modern clients are told for how long
};
struct CoreOptions {
    std::string name = "weft", title, version = "1.0", instructions;
    /// Beside those for tools: {"prompts": {}}. And what only older clients are told: {"logging": {}}, with which they
    /// may set the level of Call::log; a modern request says by itself what it wants.
    nlohmann::json capabilities = nlohmann::json::object(), older_capabilities = nlohmann::json::object();
    std::size_t page = 100;            // so many tools in an answer
    std::size_t calls_at_once = 1000;  // of all clients
    // Of those with the same token, or of the client over stdio; no bound over HTTP without tokens.
    std::size_t calls_of_caller = 200;
    std::chrono::nanoseconds answer_time = std::chrono::hours(1);  // that a human has for a question
    std::optional<std::chrono::nanoseconds> timeout;               // of a call, the time for questions included
    std::size_t result_bytes = 16u << 20;
    /// RunOptions::values of every run, and ToolContext::values of every tool: a JSON object, or empty. Clients can add
    /// nothing to it, as it says whom they are served for.
    JsonText values;
};

class Core {
public:
    /// Throws Error{usage} for values that are no object, or too large (engine/run_options.hpp).
    explicit Core(CoreOptions);
    /// Throws Error{usage} for a name that is taken or that MCP does not allow, and for a schema that is not that of an
    /// object.
    void add(Offer);
    void add(std::string method, Method);

    /// The result of a request, as it is sent. Throws RpcFailure for whatever is told as an error, and
    /// system_error(operation_aborted) if it is cancelled. The call and the envelope outlive it.
    awaitable<nlohmann::json> answer(Call&, const Envelope&) const;
    /// What `initialize` gives, for the revision that was asked for: that one, or the newest that has a handshake.
    nlohmann::json agree(const nlohmann::json& params, Asker&) const;

    /// What was kept between calls ends, such as runs whose question is open.
    void leave() const;

    const CoreOptions& options() const;
    std::size_t calls() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};
/// What a sealed state belongs to: the caller, the method and what it is asked with.
std::string purpose_of(const Call&);
}
