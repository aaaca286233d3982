// How an MCP server is reached: a child process and its pipes (stdio), or HTTP. A client (tools/mcp/client/client.hpp)
// knows what to say; a transport carries it, and knows which answer belongs to which request.
//
//     co_await transport.open(listener);
//     mcp::Request request{.id = std::int64_t(1), .method = "tools/list"};
//     mcp::Response response = co_await transport.request(std::move(request), mcp::Sending());
//
// What is awaited here throws TransportError, with a sentence that names the server as it is configured and has no
// secret in it. A transport sets no limit to the time of a request: whoever awaits it does, by with_timeout. A request
// that is given up in this way, or with its run, is cancelled where it runs: with `notifications/cancelled`, or on
// modern HTTP by closing its stream; an answer that comes later is dropped. A request is never sent a second time.
//
// A transport lives on the loop that opened it, and all is called there. Any number of requests may wait at once. It
// is closed, and nothing of it is awaited any more, before it is destroyed; if it is destroyed without that, it stops
// its process and its connections without waiting for them.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/error.hpp"
#include "tools/mcp/protocol/message.hpp"
#include <vector>

namespace weft::tools::mcp {
enum class Trouble {
    unreachable,   // it cannot be started; nobody listens at its address; its certificate is not to be trusted
    ended,         // its process ended, or the connection broke: nobody knows what became of the request
    unusable,      // what came is no answer: no message, too large
    refused,       // HTTP: a status of 4xx whose body is no answer
    failed,        // HTTP: a status of 5xx whose body is no answer, or a redirect
    needs_token,   // HTTP 401
    forbidden,     // HTTP 403
    session_lost,  // HTTP 404 of a session, or 400 that names no request: it was not read, and may be sent again in a
                   // new session
};
class TransportError : public Error {
public:
    TransportError(Trouble trouble, const std::string& sentence)
        : Error(trouble == Trouble::unreachable ? Code::configuration : Code::step_failed, sentence),
          trouble_(trouble) {}
    Trouble trouble() const noexcept { return trouble_; }

private:
    Trouble trouble_;
};

/// Hears what is no answer. Called on the loop of the transport, also while its request() is awaited, and not after
/// close(). It does not throw, it waits for nothing, and it does not destroy the transport.
class Listener {
public:
    /// `during`: the request on whose stream it came; null if that cannot be told, as with stdio.
    virtual void noticed(Notification, const Id* during) = 0;
    /// A request of the server, for Transport::answer.
    virtual void asked(Request, const Id* during) = 0;
    /// The process or the connection has ended without close(). Requests that waited have thrown by then, or will at
    /// once. A sentence.
    virtual void ended(const std::string& why) = 0;
    /// What the server said by itself may have been lost, and will not be repeated.
    virtual void missed() {}
    /// A line that is no message, such as a banner, or what stderr says: as it came, for people who look for a fault.
    virtual void noise(std::string_view) {}

protected:
    ~Listener() = default;
};

/// How a request is carried.
struct Sending {
    bool quiet = false;  // given up, it is not cancelled on the other side: initialize, and the probe for the era
    bool stays = false;  // no answer is expected for hours: subscriptions/listen
    std::vector<std::pair<std::string, std::string>> headers;  // HTTP only: Mcp-Param-*, the values as they are
};

class Transport {
public:
    enum class Kind { stdio, http };

    virtual ~Transport() = default;
    virtual Kind kind() const = 0;
    /// The configured name.
    virtual const std::string& server() const = 0;

    /// Starts the process; with HTTP it only begins to listen. Again after an end: a process that ended by itself is
    /// started anew, but only after a pause that grows with each time, unless `at_once` says that the end was to be
    /// expected. An answered request makes the next pause short again. The listener outlives close().
    virtual awaitable<void> open(Listener&, bool at_once = false) = 0;
    virtual bool is_open() const = 0;
    /// The client and the server speak this revision from now on: HTTP names it in each request, and of a legacy one
    /// opens the stream for what the server says by itself. Before that, HTTP takes the revision from the request.
    virtual void agree(std::string_view) {}
    /// The id of an answer that belongs to no request: why one that waits may have none. Empty: there was none.
    virtual std::string odd_id() const { return {}; }
    /// The first line of standard output that is no message, without secrets. Empty: there was none.
    virtual std::string odd_line() const { return {}; }
    /// Whether what the server says by itself arrives here.
    virtual bool hears() const { return is_open(); }

    /// The answer, an error of the server included. Its id is the request's.
    virtual awaitable<Response> request(Request, Sending) = 0;
    /// Returns when it is sent.
    virtual awaitable<void> notify(Notification) = 0;
    /// Answers a request of the server.
    virtual awaitable<void> answer(Response) = 0;
    /// Ends the session; stdin is closed, and a process that does not end by itself is killed. Requests that wait
    /// throw. Not an error if it is not open.
    virtual awaitable<void> close() = 0;
};
}
