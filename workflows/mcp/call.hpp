// A request of a client on its way through the server: what a handler sees, and how it asks back.
//
//     awaitable<json> greet(Call& call) {
//         json form = json::parse(R"({"type": "object", "properties": {"name": {"type": "string"}}})");
//         json questions = {{"name", elicitation("Who are you?", std::move(form))}};
//         json answers = co_await call.ask(std::move(questions));
//         const bool given = answers["name"].value("action", "") == "accept";      // else: decline, cancel
//         co_return text_result("Hello, " + (given ? answers["name"]["content"].value("name", "you") : "stranger"));
//     }
//
// A client of the older revisions is asked while the call goes on. One of 2026-07-28 gets the questions as the result
// of this call and calls again, so ask() throws the first time, and the handler is called anew: what it has done before
// ask() it does twice. Whoever cannot do that keeps what it has in a place that a text names, which it gives to ask().
//
// Errors of a handler: RpcFailure is told as it is; anything else that a tool throws becomes a result with isError and
// the sentence, and -32603 in other methods. Only cancellation (operation_aborted) passes: nobody waits any more. All
// of it happens on the loop of the server.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/clock.hpp"
#include "tools/mcp/protocol/message.hpp"
#include <functional>
#include <stdexcept>

namespace weft::mcp_server {
namespace rpc = tools::mcp;

/// Which of the two ways to talk a client uses: with a handshake, or with all it needs in each request.
enum class Era { legacy, modern };

/// The client of a call.
struct Asker {
    Era era = Era::legacy;
    std::string version;    // of the protocol
    std::string principal;  // whom its token belongs to; the same for all that have none
    nlohmann::json capabilities = nlohmann::json::object();
    bool takes_streams = true;  // else no question gets to one of the legacy era
};

/// The error of a client's request.
struct RpcFailure : std::runtime_error {
    /// The sentence loses what people would not see.
    RpcFailure(int c, const std::string& sentence, nlohmann::json d = nullptr, unsigned s = 200);
    int code;
    nlohmann::json data;
    unsigned status;  // over HTTP, if nothing was sent before
};
/// What a modern client has to answer before it calls again. `state` comes back with that call.
struct InputRequired {
    nlohmann::json requests;
    std::string state;  // empty: none is sent
};

/// The way to the client while a call of it goes on. What is sent for a call that has ended goes nowhere.
class Channel {
public:
    virtual ~Channel() = default;
    /// Dropped if the client takes too little of what it is sent.
    virtual void notify(rpc::Notification) = 0;
    /// Of a legacy client only. Returns its answer, whatever that is.
    virtual awaitable<rpc::Response> request(std::string method, nlohmann::json params) = 0;
};

class Call {
public:
    Call(rpc::Request, Asker, Channel&);
    Call(const Call&) = delete;

    const std::string& method() const { return request_.method; }
    const nlohmann::json& params() const { return request_.params; }
    /// params.arguments; an empty object if there are none.
    const nlohmann::json& arguments() const;
    /// Takes out of them what n8n adds to the arguments of every call, where this schema of a tool would refuse it.
    void pass_over_extras(const nlohmann::json& schema);
    const Asker& asker() const { return asker_; }
    bool modern() const { return asker_.era == Era::modern; }
    /// Whether the client has declared this, and can be asked: "elicitation", "sampling", "roots".
    bool can(std::string_view capability) const;

    /// What a modern client has answered to the questions of an earlier call, by their keys.
    const nlohmann::json& answers() const { return answers_; }
    /// What went with these questions; nothing if this call is not about any.
    const std::optional<std::string>& state() const { return state_; }
    void set_state(std::string opened) { state_ = std::move(opened); }
    /// What the server gives to every run and every tool (CoreOptions::values): an object, never the client's.
    const nlohmann::json& values() const { return values_; }
    void set_values(nlohmann::json values) { values_ = std::move(values); }

    /// {"key": {"method": "elicitation/create", "params": {...}}, ...} -> the results of all of them, by their keys.
    /// Throws RpcFailure for what the client has not declared that it can, and InputRequired to a modern client that
    /// has not answered all of these. `state`: answers count only if they come with the same one.
    awaitable<nlohmann::json> ask(nlohmann::json requests, std::string state = {});

    /// How far it is, for a client that wants to know. What does not rise is left out.
    void progress(double done, std::optional<double> total = {}, std::string_view message = {});
    bool wants_progress() const { return token_.has_value(); }
    /// For a client that wants such messages of this level: debug, info, notice, warning, error, critical, alert,
    /// emergency.
    void log(std::string_view level, nlohmann::json data);
    /// From which level on it wants them; empty: none.
    void set_log_level(std::string level) { log_level_ = std::move(level); }
    void notify(rpc::Notification);

private:
    rpc::Request request_;
    const Asker asker_;
    Channel& channel_;
    nlohmann::json answers_ = nlohmann::json::object(), values_ = nlohmann::json::object();
    std::optional<std::string> state_;
    std::optional<nlohmann::json> token_;
    double told_ = -1;
    std::size_t progressed_ = 0, logged_ = 0;
    std::string log_level_;
};
/// Throws RpcFailure for a form of the answers that is none: its params are not those of a call.
void check_answers(const nlohmann::json& params);
/// Whether it is the name of a level of messages.
bool is_log_level(std::string_view);

/// A result of a tool: one text.
nlohmann::json text_result(std::string_view text, bool is_error = false);
/// A question to the human at the client: an object of plain fields.
nlohmann::json elicitation(std::string_view message, nlohmann::json form);
}
