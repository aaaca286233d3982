// A client of one MCP server, for both eras of the protocol and any transport.
//
//     mcp::Client client(std::move(transport), mcp::ClientOptions());
//     auto tools = co_await client.tools();
//     mcp::CallToolParams call{.tool = "read_file", .arguments = {{"path", "a.txt"}}};
//     mcp::CallResult result = co_await client.call(std::move(call), mcp::CallOptions());
//     co_await client.close();
//
// The first request connects: the client sends a request of 2026-07-28, and falls back to the handshake of older
// revisions if the server does not know it. The client remembers the era. The next request restarts a server that has
// ended; a call is never repeated unless the server has said that it did not process it. All data from the server is
// bounded (ClientLimits). After close() the client never connects again.
//
// Errors: TransportError from the transport, ErrorResponse for an error response, Error{timed_out}, and
// Error{step_failed} for invalid responses. Their sentences contain the server's configured name. A result with isError
// is a result. Any number of coroutines may call on one loop; they must end before the client does. Cancelling a call
// cancels it on the server.
#pragma once
#include "engine/clock.hpp"
#include "tools/mcp/client/elicitation.hpp"
#include "tools/mcp/client/tool_info.hpp"
#include "tools/mcp/client/transport.hpp"
#include <memory>

namespace weft::tools::mcp {
/// The era of a server's protocol.
enum class ServerEra {
    legacy,  // revisions before 2026-07-28, which begin with a handshake
    modern   // 2026-07-28, without a handshake
};

/// An error response of the server.
class ErrorResponse : public Error {
public:
    ErrorResponse(RpcError error, const std::string& sentence)
        : Error(Code::step_failed, sentence), error_(std::move(error)) {}
    const RpcError& error() const noexcept { return error_; }

private:
    RpcError error_;
};

struct ClientLimits {
    Duration start = std::chrono::seconds(30);   // start of a server with its handshake
    Duration probe = std::chrono::seconds(3);    // finding the era: old servers may be silent
    Duration answer = std::chrono::seconds(30);  // all requests except calls
    Duration list = std::chrono::minutes(1);     // all pages of the list
    Duration quiet = std::chrono::seconds(60);   // time of a call without result, progress and question
    Duration call = std::chrono::minutes(10);    // the whole call, without the time that people take to answer
    std::size_t pages = 100,                     // maximum pages of the list
        tools = 1000,                            // maximum tools in it; further ones are left out, with a note
        list_bytes = 8u << 20;                   // maximum bytes of these tools, as JSON
    int rounds = 10;                             // number of times that a call may ask for input
};
struct ClientOptions {
    ClientLimits limits = {};                          // of times, and of data from the server
    std::string name = "weft",                         // this program's, for the server
        version = "0.1";                               // this program's, for the server
    bool elicitation = true;                           // offer a legacy server that people answer questions
    std::optional<ServerEra> era = {};                 // the only era to try
    Duration recheck = std::chrono::minutes(5);        // lifetime of a list; longer if a modern server says so
                                                       // (an hour at most), or while the server reports changes
    std::function<void(std::string_view)> noise = {};  // logs, and lines that are not messages; exceptions are dropped
};
/// The progress of a call, as its server reports it.
struct CallProgress {
    double progress = 0;          // rises with each report, in any unit
    std::optional<double> total;  // the progress at the end; empty: unknown
    std::string message;          // without hidden characters
};
struct CallOptions {
    std::function<void(const CallProgress&)> progress = {};  // set: ask the server for it; called on the client's loop;
                                                             // exceptions are dropped
    Elicit elicit = {};                                      // set: the server may ask
    std::function<void(const std::string&)> unasked = {};  // without `elicit`: gets the message of a cancelled question
    std::string traceparent = {};                          // sent with the call, as _meta; empty: not sent
    std::optional<Duration> quiet = {},                    // replaces ClientLimits::quiet
        total = {};                                        // replaces ClientLimits::call
};
struct CallToolParams {
    std::string tool = {};
    nlohmann::json arguments = nlohmann::json::object();
    nlohmann::json answers = {};            // of a continued call, by the keys of its questions
    std::optional<std::string> state = {};  // of InputRequest, for a continued call
};
struct CallResult {
    nlohmann::json content = nlohmann::json::array();  // blocks as received
    std::optional<nlohmann::json> structured;          // the structuredContent of the result
    bool is_error = false;                             // the tool has failed, and the content says why
    std::string mismatch;  // reason why structured content violates the tool's schema; empty: the content fits
};
/// A modern server needs answers to continue the call, which it forgets until then.
struct InputRequest {
    std::vector<std::pair<std::string, ElicitRequest>> questions;  // by the keys of CallToolParams::answers
    std::optional<std::string> state;  // for CallToolParams::state, unchanged; the server may leave it out
};
/// The tools of a server.
struct ToolList {
    std::vector<ToolInfo> tools;
    std::vector<std::string> notes;                     // sentences about omitted tools, with the reason
    const ToolInfo* find(std::string_view name) const;  // null: unknown
};

class ClientCore;
class Client {
public:
    Client(std::unique_ptr<Transport>, ClientOptions);
    ~Client();
    Client(const Client&) = delete;

    const std::string& server() const;
    /// Starts the server and finds its era, unless it is connected already. Every request does this by itself.
    awaitable<void> connect();
    std::optional<ServerEra> era() const;     // set after connecting
    const std::string& instructions() const;  // the server's, for the model: without hidden characters, untrusted

    /// The known list while it is valid; otherwise a new one.
    awaitable<std::shared_ptr<const ToolList>> tools();
    /// options.elicit gets the questions; without it, a call that needs an answer is an Error{step_failed}.
    awaitable<CallResult> call(CallToolParams, CallOptions);
    /// One round of a call: a caller that keeps InputRequest may continue later, also in another process.
    awaitable<std::variant<CallResult, InputRequest>> call_once(CallToolParams, CallOptions);
    /// Checks that the server answers. A modern server has no ping: the client asks for its protocol versions.
    awaitable<void> ping();
    awaitable<void> close();

private:
    std::shared_ptr<ClientCore> core_;
};
}
