// A client's request as its handler sees it, with the functions that ask the client.
//
//     awaitable<json> greet(Call& call) {
//         json form = json::parse(R"({"type": "object", "properties": {"name": {"type": "string"}}})");
//         json questions = {{"name", elicitation("Who are you?", std::move(form))}};
//         json answers = co_await call.ask(std::move(questions));
//         const bool given = answers["name"].value("action", "") == "accept";      // else: decline, cancel
//         co_return text_result("Hello, " + (given ? answers["name"]["content"].value("name", "you") : "stranger"));
//     }
//
// A client of the older revisions answers while the call is executing. A client of 2026-07-28 gets the questions as the
// result of this call and calls again. So ask() throws the first time, and the handler executes its code before ask()
// twice. A handler that must not repeat this work keeps its state, and passes a name of the state to ask().
//
// Errors of a handler: RpcFailure is sent unchanged. Any other exception of a tool becomes a result with isError and
// the sentence; in other methods it becomes -32603. Cancellation (operation_aborted) sends nothing. All functions are
// called on the server's loop.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/clock.hpp"
#include "tools/mcp/protocol/message.hpp"
#include <functional>
#include <stdexcept>

namespace weft::mcp_server {
namespace rpc = tools::mcp;

/// The era of a client's protocol.
enum class ClientEra {
    legacy,  // older revisions, which begin with a handshake
    modern   // 2026-07-28, which has all data in each request
};

/// The client of a call.
struct CallClient {
    ClientEra era = ClientEra::legacy;  // decides how the client gets questions
    std::string version;                // the protocol's
    std::string principal;              // the owner of its token; equal for all clients without one
    nlohmann::json capabilities = nlohmann::json::object();  // as the client declares them, by name
    bool takes_streams = true;                               // false: a legacy client gets no questions
};

/// The error of a client's request.
struct RpcFailure : std::runtime_error {
    /// Removes hidden characters from the sentence.
    RpcFailure(int c, const std::string& sentence, nlohmann::json d = nullptr, unsigned s = 200);
    int code;
    nlohmann::json data;
    unsigned status;  // for HTTP, if the reply has not begun
};
/// Thrown with the questions that a modern client answers in its next call, which also returns `state`.
struct InputRequiredResult {
    nlohmann::json requests;  // by key, as Call::ask() gets them
    std::string state;        // empty: not sent
};

/// Sends messages to the client during its call. Messages for an ended call are dropped.
class Channel {
public:
    virtual ~Channel() = default;
    /// Drops the message if the client reads too slowly.
    virtual void notify(rpc::Notification) = 0;
    /// Sends a request to a legacy client. Returns its answer, also an error.
    virtual awaitable<rpc::Response> request(std::string method, nlohmann::json params) = 0;
};

class Call {
public:
    Call(rpc::Request, CallClient, Channel&);
    Call(const Call&) = delete;

    /// The request's method, such as tools/call.
    const std::string& method() const { return request_.method; }
    /// The request's params, as received but for pass_over_extras().
    const nlohmann::json& params() const { return request_.params; }
    /// params.arguments; an empty object without arguments.
    const nlohmann::json& arguments() const;
    /// Removes the arguments that n8n adds to every call, if the tool's schema would refuse them.
    void pass_over_extras(const nlohmann::json& schema);
    /// The client that has sent this call.
    const CallClient& asker() const { return asker_; }
    /// Whether the client is of the modern era.
    bool modern() const { return asker_.era == ClientEra::modern; }
    /// Whether the client has declared this capability and is reachable: "elicitation", "sampling", "roots".
    bool can(std::string_view capability) const;

    /// A modern client's answers to the questions of an earlier call, by key.
    const nlohmann::json& answers() const { return answers_; }
    /// The state of these questions; std::nullopt in a call without answers.
    const std::optional<std::string>& state() const { return state_; }
    /// Sets the state that comes with the answers. The core calls it, before the handler.
    void set_state(std::string opened) { state_ = std::move(opened); }
    /// The server's values for runs and tools (CoreOptions::values): an object, never the client's.
    const nlohmann::json& values() const { return values_; }
    /// Sets values(). The core calls it, before the handler.
    void set_values(nlohmann::json values) { values_ = std::move(values); }

    /// {"key": {"method": "elicitation/create", "params": {...}}, ...} -> the results of all requests, by key.
    /// Throws RpcFailure if the client has not declared the capability, and InputRequiredResult if a modern client has
    /// not answered all requests yet. Answers count only if they come with the same `state`.
    awaitable<nlohmann::json> ask(nlohmann::json requests, std::string state = {});

    /// Sends progress if the client wants it. Drops a value that does not rise.
    void progress(double done, std::optional<double> total = {}, std::string_view message = {});
    /// Whether the client has asked for the progress of this call.
    bool wants_progress() const { return token_.has_value(); }
    /// Sends a log message if the client wants this level: debug, info, notice, warning, error, critical, alert,
    /// emergency.
    void log(std::string_view level, nlohmann::json data);
    /// The lowest level that the client wants; empty: no messages.
    void set_log_level(std::string level) { log_level_ = std::move(level); }
    /// Sends a notification of any method. Drops it if the client reads too slowly, or the call has ended.
    void notify(rpc::Notification);

private:
    rpc::Request request_;
    const CallClient asker_;
    Channel& channel_;
    nlohmann::json answers_ = nlohmann::json::object(), values_ = nlohmann::json::object();
    std::optional<std::string> state_;
    std::optional<nlohmann::json> token_;
    double told_ = -1;
    std::size_t progressed_ = 0, logged_ = 0;
    std::string log_level_;
};
/// Throws RpcFailure if inputResponses or requestState are malformed.
void check_answers(const nlohmann::json& params);
/// Whether the text is the name of a log level.
bool is_log_level(std::string_view);

/// A result of a tool: one text.
nlohmann::json text_result(std::string_view text, bool is_error = false);
/// A question to the human at the client; the form is the schema of an object with plain fields.
nlohmann::json elicitation(std::string_view message, nlohmann::json form);
}
