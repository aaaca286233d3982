// A client of one MCP server, in both eras of the protocol, over any transport.
//
//     mcp::Client client(std::move(transport), mcp::ClientOptions());
//     auto tools = co_await client.tools();
//     mcp::ToolCall call{.tool = "read_file", .arguments = {{"path", "a.txt"}}};
//     mcp::CallResult result = co_await client.call(std::move(call), mcp::CallOptions());
//     co_await client.close();
//
// It connects when it is first needed: it asks the server in the words of 2026-07-28, and turns to the handshake of the
// older revisions if the server does not know them. What it found is remembered. A server that ended is started again
// by the next request; a call is never made twice, except where the server has said that it did not look at it.
// Everything that comes from the server is bounded (ClientLimits). After close() it does not connect any more.
//
// Errors: TransportError for the transport, Refused for an error that the server answers with, Error{timed_out}, and
// Error{step_failed} for answers that make no sense. Their sentences name the server as it is configured. A result that
// says isError is a result. All is called on one loop, by any number of coroutines at once, which end before the client
// does. A call that is cancelled is cancelled on the server.
#pragma once
#include "engine/clock.hpp"
#include "tools/mcp/client/elicitation.hpp"
#include "tools/mcp/client/tool_info.hpp"
#include "tools/mcp/client/transport.hpp"
#include <memory>
#include <span>

namespace weft::tools::mcp {
enum class Era { legacy, modern };

/// An error that the server answered with.
class Refused : public Error {
public:
    Refused(RpcError error, const std::string& sentence)
        : Error(Code::step_failed, sentence), error_(std::move(error)) {}
    const RpcError& error() const noexcept { return error_; }

private:
    RpcError error_;
};

struct ClientLimits {
    Duration start = std::chrono::seconds(30);   // of a server, handshake included
    Duration probe = std::chrono::seconds(3);    // for the era: old servers may be silent
    Duration answer = std::chrono::seconds(30);  // to anything but a call
    Duration list = std::chrono::minutes(1);     // all pages of it
    Duration quiet = std::chrono::seconds(60);   // of a call without result, progress and question
    Duration call = std::chrono::minutes(10);    // in all, without the time that people take to answer
    std::size_t pages = 100, tools = 1000, list_bytes = 8u << 20;
    int rounds = 10;  // of a call that asks for input again and again
};
struct ClientOptions {
    ClientLimits limits;
    std::string name = "weft", version = "0.1";
    bool elicitation = true;                      // a legacy server is told that questions can be answered
    std::optional<Era> era;                       // the only one that is tried
    Duration recheck = std::chrono::minutes(5);   // a list is believed for so long; longer if a modern server says so
                                                  // (an hour at most), or while the server tells of its changes
    std::function<void(std::string_view)> noise;  // lines that are no messages, and logs; what it throws is dropped
};
struct Progress {
    double progress = 0;
    std::optional<double> total;
    std::string message;  // without hidden characters
};
struct CallOptions {
    std::function<void(const Progress&)> progress;    // given: the server is asked for it; on the client's loop, and
                                                      // what it throws is dropped
    Elicit elicit;                                    // given: the server may ask
    std::function<void(const std::string&)> unasked;  // without it: the message of a question that was cancelled
    std::string traceparent;
    std::optional<Duration> quiet, total;  // instead of the client's limits
};
struct ToolCall {
    std::string tool;
    nlohmann::json arguments = nlohmann::json::object();
    nlohmann::json answers;            // by the keys of the questions, for a call that goes on
    std::optional<std::string> state;  // of InputRequired, for a call that goes on
};
struct CallResult {
    nlohmann::json content = nlohmann::json::array();  // blocks, as they came
    std::optional<nlohmann::json> structured;
    bool is_error = false;
    std::string mismatch;  // why the structured content does not fit the tool's schema; empty: it does
};
/// A modern server wants answers before it goes on, and forgets the call until then.
struct InputRequired {
    std::vector<std::pair<std::string, ElicitRequest>> questions;
    std::optional<std::string> state;
};
struct ToolList {
    std::vector<ToolInfo> tools;
    std::vector<std::string> notes;  // sentences: what was left out and why
    const ToolInfo* find(std::string_view name) const;
};

class ClientCore;
class Client {
public:
    Client(std::unique_ptr<Transport>, ClientOptions);
    ~Client();
    Client(const Client&) = delete;

    const std::string& server() const;
    awaitable<void> connect();
    std::optional<Era> era() const;           // once it has connected
    const std::string& instructions() const;  // of the server, for the model: without hidden characters, untrusted

    /// The list as it is known, if it may still be true; else it is fetched.
    awaitable<std::shared_ptr<const ToolList>> tools();
    /// Questions are put to options.elicit; without it, a call that needs an answer is an Error{step_failed}.
    awaitable<CallResult> call(ToolCall, CallOptions);
    /// One round of it: whoever keeps InputRequired may go on another day, and in another process.
    awaitable<std::variant<CallResult, InputRequired>> call_once(ToolCall, CallOptions);
    /// Whether the server is there. A modern one is asked what it speaks, for it knows no ping.
    awaitable<void> ping();
    awaitable<void> close();

private:
    std::shared_ptr<ClientCore> core_;
};
}
