// The parts of a client: handshake.cpp connects, listing.cpp lists, calling.cpp calls, call_questions.cpp waits for the
// events of a call, client.cpp has the rest. Internal to tools/mcp. Detached coroutines hold the core, so that it
// outlives them.
#pragma once
#include "engine/core/wait/withdrawal.hpp"
#include "engine/impl/async_mutex.hpp"
#include "engine/signal.hpp"
#include "tools/mcp/client/client.hpp"
#include "tools/schema/arguments.hpp"
#include <algorithm>
#include <boost/asio/cancellation_signal.hpp>
#include <deque>
#include <limits>
#include <map>

namespace weft::tools::mcp {
/// A call that waits for its response, with its events.
struct OpenCall {
    OpenCall(const CallOptions& given, Duration most_quiet, Duration in_all, Clock::Time now)
        : options(&given), quiet(most_quiet), longest(in_all), heard(now), end(later(now, in_all)) {}

    const CallOptions* options;  // the waiting caller's; null: the caller is gone
    core::Withdrawal request;    // cancels it
    const Duration quiet, longest;
    Clock::Time heard, end;        // the server's last sign of life; the end of the whole call
    std::optional<Duration> late;  // the exceeded limit
    double progress = -std::numeric_limits<double>::infinity();
    bool done = false;  // the response has come, or the caller is gone
    std::deque<Request> asked;
    std::optional<Id> asking;  // the question before a person now
    Clock::Time began_to_ask;
    bool withdrawn = false, answered = false;  // state of that question
    std::exception_ptr question_error;         // exception of the person's side
    asio::cancellation_signal withdraw;
    std::optional<Signal> question_ended;  // for the coroutine that waits for its end

    static Clock::Time later(Clock::Time time, Duration by) {
        return by > Clock::Time::max() - time ? Clock::Time::max() : time + by;
    }
    Clock::Time limit() const { return std::min(later(heard, quiet), end); }
    /// The caller needs no answer any more. An answer that was given is still sent.
    void withdraw_question() {
        if (!asking || answered || withdrawn) return;
        withdrawn = true;
        withdraw.emit(asio::cancellation_type::terminal);
    }
};
/// Runs a user's callback. Drops its exception, which would otherwise end the reading of a server.
template <class Callback> void undisturbed(Callback callback) {
    try {
        callback();
    } catch (...) {}
}

class ClientCore final : public TransportListener, public std::enable_shared_from_this<ClientCore> {
public:
    ClientCore(std::unique_ptr<Transport> transport, ClientOptions options)
        : transport_(std::move(transport)), options_(std::move(options)), era_(options_.era) {}

    Transport& transport() { return *transport_; }
    std::optional<ServerEra> era() const { return ready_ ? era_ : std::nullopt; }
    const std::string& instructions() const { return instructions_; }

    awaitable<void> connect();
    awaitable<std::shared_ptr<const ToolList>> tools();
    awaitable<CallResult> call(CallToolParams, CallOptions);
    awaitable<std::variant<CallResult, InputRequest>> call_once(CallToolParams, CallOptions);
    awaitable<void> ping();
    awaitable<void> close();
    void abandon();

    void noticed(Notification, const Id* during) override;
    void asked(Request, const Id* during) override;
    void ended(const std::string& why) override;
    void noise(std::string_view line) override;
    void missed() override { ++changes_; }

private:
    enum class ProbeResult { modern, legacy, silence };
    // handshake.cpp
    awaitable<void> shake_hands();
    awaitable<ProbeResult> probe(Duration limit);
    ProbeResult judge(const Response&);
    awaitable<void> initialize();
    void take_capabilities(const nlohmann::json& result);
    // listing.cpp
    awaitable<std::shared_ptr<const ToolList>> list();
    /// One page; null for a server that has not declared tools, and refuses the method or does not answer soon.
    awaitable<nlohmann::json> fetch_page(nlohmann::json params);
    awaitable<void> subscribe(Request, std::uint64_t connection);
    void begin_to_listen();
    bool list_is_fresh(Clock::Time now) const;
    const Validator* output_validator(const ToolInfo&);
    // calling.cpp
    awaitable<std::variant<CallResult, InputRequest>> round(const CallToolParams&, const CallOptions&);
    std::variant<CallResult, InputRequest> read_call(nlohmann::json result, const std::string& tool);
    InputRequest read_required(const nlohmann::json& result, const std::string& tool) const;
    // call_questions.cpp
    class Registration;
    awaitable<Response> converse(Request, SendOptions, const std::string& tool, const CallOptions&);
    void put_next_question(const std::shared_ptr<OpenCall>&);
    void question_ended(const std::shared_ptr<OpenCall>&, std::exception_ptr);
    awaitable<void> answer_question(Request, Elicit, std::shared_ptr<OpenCall>);
    void take_back_question(const nlohmann::json& params);
    void hear_progress(const nlohmann::json& params);
    bool take_question(Request&, const Id* during);
    std::shared_ptr<OpenCall> call_of(const Id* during) const;
    void watch(Clock::Time limit);
    void look_at_limits();
    void rest();
    // client.cpp
    Request make(std::string_view method, nlohmann::json params, bool may_ask = false);
    awaitable<nlohmann::json> ask(std::string method, nlohmann::json params);  // a request that may be repeated
    /// The result; throws ErrorResponse for an error.
    nlohmann::json result_of(Response, const std::string& what) const;
    void send_answer(Response);
    std::string who() const { return "the MCP server \"" + transport_->server() + "\""; }
    /// Reconnects on next use, unless that has happened since.
    void lose(std::uint64_t connection) { ready_ = ready_ && connections_ != connection; }
    [[noreturn]] static void lost_again(const TransportError&);
    void refuse_if_closed() const;
    [[noreturn]] void invalid_answer(const std::string& what) const;

    const std::unique_ptr<Transport> transport_;
    const ClientOptions options_;
    std::optional<ServerEra> era_;
    bool ready_ = false, closed_ = false;
    std::uint64_t connections_ = 0;   // since construction
    std::optional<Runtime> runtime_;  // of the coroutine that connected
    core::AsyncMutex connecting_, listing_;
    std::int64_t last_id_ = 0;
    bool declares_tools_ = false, tells_changes_ = false, listening_ = false;
    std::string instructions_;
    std::shared_ptr<const ToolList> list_;
    Clock::Time listed_, fresh_until_;
    std::uint64_t changes_ = 0, listed_changes_ = 0;  // count of the list's changes; count at the time of list_
    std::uint64_t refused_to_tell_ = 0;               // the connection whose server does not report changes
    int answering_ = 0;                               // number of the server's requests being answered
    std::map<std::string, std::unique_ptr<const Validator>, std::less<>> outputs_;
    std::map<std::int64_t, std::shared_ptr<OpenCall>> open_;
    std::unique_ptr<Alarm> alarm_;  // rings at their earliest limit or before; null: not set
    Clock::Time alarm_at_;
    asio::cancellation_signal stop_listening_;
};
}
