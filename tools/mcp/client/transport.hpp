// The connection to an MCP server: a child process and its pipes (stdio), or HTTP. A client
// (tools/mcp/client/client.hpp) makes the messages; a transport carries them, and assigns each response to its request.
//
//     co_await transport.open(listener);
//     mcp::Request request{.id = std::int64_t(1), .method = "tools/list"};
//     mcp::Response response = co_await transport.request(std::move(request), mcp::SendOptions());
//
// Its awaitables throw TransportError, with a sentence that contains the server's configured name and no secret. A
// transport does not limit the time of a request: its caller does, by with_timeout. A request that times out in this
// way, or ends with its run, is cancelled on the server: by `notifications/cancelled`, or over modern HTTP by closing
// its stream; a later response is dropped. A request is never sent twice.
//
// A transport lives on the loop that opened it; make all calls there. Any number of requests may wait at once. Close it
// and end all waits before you destroy it; otherwise the destructor stops its process and connections without waiting.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/error.hpp"
#include "tools/mcp/protocol/message.hpp"
#include <vector>

namespace weft::tools::mcp {
enum class TransportFailure {
    unreachable,   // it cannot be started; its address refuses connections; its certificate is invalid
    ended,         // its process ended, or the connection broke: the effect of the request is unknown
    unusable,      // the data is not a valid response, or too large
    refused,       // HTTP: a status of 4xx whose body is not a response
    failed,        // HTTP: a status of 5xx whose body is not a response, or a redirect
    needs_token,   // HTTP 401
    forbidden,     // HTTP 403
    session_lost,  // HTTP 404 of a session, or 400 without a request id: not processed, and may be sent in a
                   // new session
};
class TransportError : public Error {
public:
    TransportError(TransportFailure trouble, const std::string& sentence)
        : Error(trouble == TransportFailure::unreachable ? Code::configuration : Code::step_failed, sentence),
          trouble_(trouble) {}
    TransportFailure trouble() const noexcept { return trouble_; }

private:
    TransportFailure trouble_;
};

/// Gets all messages other than responses. Called on the transport's loop, also during request(), and not after
/// close(). It must not throw, block, or destroy the transport.
class TransportListener {
public:
    /// `during`: the request whose stream carried it; null: unknown, as with stdio.
    virtual void noticed(Notification, const Id* during) = 0;
    /// A request of the server, for Transport::answer.
    virtual void asked(Request, const Id* during) = 0;
    /// The process or the connection has ended without close(). Waiting requests have thrown, or will immediately. The
    /// argument is a sentence.
    virtual void ended(const std::string& why) = 0;
    /// Messages of the server may have been lost, and will not be repeated.
    virtual void missed() {}
    /// A line that is not a message, such as a banner, or a line of stderr: unchanged, for people who search for an
    /// error.
    virtual void noise(std::string_view) {}

protected:
    ~TransportListener() = default;
};

/// Options for carrying a request.
struct SendOptions {
    bool quiet = false;  // do not cancel it on the server: initialize, and the probe for the era
    bool stays = false;  // expect no response for hours: subscriptions/listen
    std::vector<std::pair<std::string, std::string>> headers = {};  // HTTP only: Mcp-Param-*, with raw values
};

class Transport {
public:
    enum class Kind { stdio, http };

    virtual ~Transport() = default;
    virtual Kind kind() const = 0;
    /// The configured name.
    virtual const std::string& server() const = 0;

    /// Starts the process; with HTTP, only sets the listener. After an end, starts the process again: immediately if
    /// `at_once`, because the end was expected; otherwise after a pause that grows each time. A response makes the next
    /// pause short again. The listener must outlive close().
    virtual awaitable<void> open(TransportListener&, bool at_once = false) = 0;
    virtual bool is_open() const = 0;
    /// Sets the agreed revision: HTTP sends it with each request, and for a legacy one opens the stream for the
    /// server's own messages. Before that, HTTP takes the revision from the request.
    virtual void agree(std::string_view) {}
    /// The id of a response without a request, which may explain a missing response. Empty: none.
    virtual std::string odd_id() const { return {}; }
    /// The first line of standard output that is not a message, without secrets. Empty: none.
    virtual std::string odd_line() const { return {}; }
    /// Whether the server's own messages arrive here.
    virtual bool hears() const { return is_open(); }

    /// Returns the response, also an error of the server. Its id is the request's.
    virtual awaitable<Response> request(Request, SendOptions) = 0;
    /// Returns once it is sent.
    virtual awaitable<void> notify(Notification) = 0;
    /// Answers a request of the server.
    virtual awaitable<void> answer(Response) = 0;
    /// Ends the session: closes stdin, and kills a process that does not end. Waiting requests throw. No error if it is
    /// not open.
    virtual awaitable<void> close() = 0;
};
}
