// One process of an MCP server, from its start to its end, and the requests that wait for its answers. Its reading goes
// on by itself, and holds it. Internal to tools/mcp.
#pragma once
#include "engine/bell.hpp"
#include "engine/clock.hpp"
#include "tools/mcp/client/redactor.hpp"
#include "tools/mcp/client/stdio_transport.hpp"
#include <map>

namespace weft::tools::mcp {
class StdioSession : public std::enable_shared_from_this<StdioSession> {
public:
    StdioSession(const StdioSettings& settings, Listener& listener, const Runtime& runtime)
        : settings_(settings),
          redactor_(settings.secrets),
          last_words_(all_secrets(settings)),
          listener_(&listener),
          runtime_(runtime) {}
    /// Starts the process. Throws TransportError if it cannot be started.
    void begin();
    bool is_open() const { return process_ && !ended_; }
    awaitable<Response> request(Request, bool quiet);
    awaitable<void> write(std::string line);
    awaitable<void> close();
    /// Without waiting, and without a word to the listener.
    void abandon();

    // For the next process:
    bool ended_by_itself() const { return ended_ && !closed_; }
    bool has_answered() const { return has_answered_; }
    Clock::Time end() const { return end_; }
    const std::string& odd_id() const { return odd_id_; }
    const std::string& odd_line() const { return odd_line_; }
    unsigned failures = 0;  // processes before this one that ended by themselves, since the last answer

private:
    struct Waiting {
        std::optional<Response> response;
        std::optional<TransportError> error;
        Bell bell;
        void fail(const TransportError& why) { error = why, bell.ring(); }
    };
    using Self = std::shared_ptr<StdioSession>;
    static awaitable<void> read(Self);
    static awaitable<void> watch_process(Self);
    static awaitable<bool> ends_within(Self, Duration);
    void take(const process::Line&);
    void take_line(std::string_view);
    void take_response(Response, std::string_view line);
    bool is_late(const std::optional<Id>&) const;  // an answer that nobody waits for any more
    void take_unreadable(std::string_view begin, std::string_view end, const std::string& what);
    void no_message(std::string_view line);
    void noise(std::string_view);
    void give_up(const Id&, const std::shared_ptr<Waiting>&, bool quiet);
    void fail_all(const std::string& sentence);
    void finish();
    std::string who() const { return "the MCP server \"" + settings_.server + "\""; }
    std::string how_it_ended() const;
    static std::vector<std::string> all_secrets(const StdioSettings&);

    const StdioSettings settings_;
    const Redactor redactor_, last_words_;  // of all that it says; of what it said before it ended
    Listener* listener_;                    // null when it is to hear no more
    const Runtime runtime_;
    std::optional<process::Process> process_;
    std::map<Id, std::shared_ptr<Waiting>> waiting_;
    std::int64_t last_asked_ = 0;
    std::string odd_id_;    // of an answer that belongs to no request
    std::string odd_line_;  // the first that is no message
    std::vector<Bell> at_end_;
    std::string end_sentence_;
    Clock::Time end_{};
    bool has_answered_ = false, ended_ = false, closed_ = false;
};
}
