// One process of an MCP server from start to end, and its waiting requests. The coroutines that read its output hold
// the session. Internal to tools/mcp.
#pragma once
#include "engine/clock.hpp"
#include "engine/signal.hpp"
#include "tools/mcp/client/redactor.hpp"
#include "tools/mcp/client/stdio_transport.hpp"
#include <map>

namespace weft::tools::mcp {
class StdioSession : public std::enable_shared_from_this<StdioSession> {
public:
    StdioSession(const StdioSettings& settings, TransportListener& listener, const Runtime& runtime)
        : settings_(settings),
          redactor_(settings.secrets),
          stderr_redactor_(all_secrets(settings)),
          listener_(&listener),
          runtime_(runtime) {}
    /// Starts the process. Throws TransportError if it cannot be started.
    void begin();
    bool is_open() const { return process_ && !ended_; }
    awaitable<Response> request(Request, bool quiet);
    awaitable<void> write(std::string line);
    awaitable<void> close();
    /// Ends it without waiting, and without a call to the listener.
    void abandon();

    // Read for the next process:
    bool ended_by_itself() const { return ended_ && !closed_; }
    bool has_answered() const { return has_answered_; }
    Clock::Time end() const { return end_; }
    const std::string& odd_id() const { return odd_id_; }
    const std::string& odd_line() const { return odd_line_; }
    unsigned failures = 0;  // unexpected ends of earlier processes since the last response

private:
    struct PendingResponse {
        std::optional<Response> response;
        std::optional<TransportError> error;
        Signal signal;
        void fail(const TransportError& why) { error = why, signal.ring(); }
    };
    using Self = std::shared_ptr<StdioSession>;
    static awaitable<void> read(Self);
    static awaitable<void> watch_process(Self);
    static awaitable<bool> ends_within(Self, Duration);
    void take(const process::SplitLine&);
    void take_line(std::string_view);
    void take_response(Response, std::string_view line);
    bool is_late(const std::optional<Id>&) const;  // a response that no request waits for any more
    void take_unreadable(std::string_view begin, std::string_view end, const std::string& what);
    void no_message(std::string_view line);
    void noise(std::string_view);
    void give_up(const Id&, const std::shared_ptr<PendingResponse>&, bool quiet);
    void fail_all(const std::string& sentence);
    void finish();
    std::string who() const { return "the MCP server \"" + settings_.server + "\""; }
    std::string how_it_ended() const;
    static std::vector<std::string> all_secrets(const StdioSettings&);

    const StdioSettings settings_;
    const ServerRedactor redactor_, stderr_redactor_;  // for all output; for the output before the end
    TransportListener* listener_;                      // null: gets no more calls
    const Runtime runtime_;
    std::optional<process::Process> process_;
    std::map<Id, std::shared_ptr<PendingResponse>> waiting_;
    std::int64_t last_asked_ = 0;
    std::string odd_id_;    // id of a response without a request
    std::string odd_line_;  // the first line that is not a message
    std::vector<Signal> at_end_;
    std::string end_sentence_;
    Clock::Time end_{};
    bool has_answered_ = false, ended_ = false, closed_ = false;
};
}
