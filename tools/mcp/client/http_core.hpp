// The parts of the HTTP transport: http_transport.cpp sends, http_stream.cpp reads streams, http_answers.cpp makes
// heads and judges responses. Internal to tools/mcp. Detached coroutines hold the core.
#pragma once
#include "engine/clock.hpp"
#include "engine/core/wait/withdrawal.hpp"
#include "engine/net/sse.hpp"
#include "engine/signal.hpp"
#include "tools/mcp/client/http_transport.hpp"
#include "tools/mcp/client/redactor.hpp"
#include <boost/asio/cancellation_signal.hpp>

namespace weft::tools::mcp {
/// The position to resume a stream from.
struct Resumption {
    std::string last_id;
    Duration pause = std::chrono::seconds(1);
    bool heard = false;   // an event has come since the last resumption
    std::string session;  // session of the request
};

/// A request that waits for its response.
struct OpenExchange {
    core::Withdrawal stop;
    bool stopped = false;  // set by close()
    bool sent = false;     // the server may have begun to work on it
};
/// The media type of a Content-Type, such as "text/event-stream".
std::string media_type(const net::HttpHeaders&);
/// Whether this status says that the session has ended. The standard wants 404; some servers send 410.
constexpr bool is_gone(unsigned status) { return status == 404 || status == 410; }

class HttpCore final : public std::enable_shared_from_this<HttpCore> {
public:
    explicit HttpCore(HttpTransportOptions);
    awaitable<Response> request(Request, SendOptions);
    awaitable<void> post(RpcMessage, std::string version);  // sends a notification or a response
    awaitable<void> begin_session();  // call this after `initialized`; waits until the stream is open
    awaitable<void> close();
    void abandon();
    bool hears() const { return hears_itself_; }

    const HttpTransportOptions options;
    TransportListener* listener = nullptr;  // null: not open
    std::string agreed;                     // agreed revision; empty: none yet

private:
    // http_answers.cpp
    net::HttpRequest head(std::string_view method, std::string_view version, bool with_session) const;
    net::HttpRequest head_of(const Request&, const SendOptions&) const;
    awaitable<std::string> body_of(net::HttpStream&);
    [[noreturn]] void refuse(unsigned status, const net::HttpHeaders&, const std::string& body,
                             const std::string& session);
    [[noreturn]] void lose_session(const std::string& session, const std::string& how);
    bool denies_session(unsigned status, std::string_view body) const;
    std::string shown(std::string text) const;  // text for messages, without secrets
    [[noreturn]] void unusable(const std::string& why) const;
    [[noreturn]] void broken(const Error&) const;
    void take_session(const net::HttpHeaders&);
    std::string who() const { return "the MCP server \"" + options.server + "\""; }
    std::optional<Response> answer_in(const std::string& body, const Id&, unsigned status);
    static bool answers(const Response&, const Id&);
    [[noreturn]] void other_id(const Response&, const Id& wanted) const;
    // http_transport.cpp
    awaitable<Response> exchange(Request, SendOptions, std::shared_ptr<OpenExchange>);
    void stop_exchanges();
    void tell_cancelled(const Id&);
    // http_stream.cpp
    awaitable<std::optional<Response>> follow(net::HttpStream&, const Id* wanted, Resumption&);
    awaitable<Response> resume(const Id&, Resumption);
    awaitable<std::optional<net::HttpStream>> take_up(const Resumption&);
    awaitable<bool> begins_with_endpoint();
    awaitable<bool> is_of_the_first_revision();
    awaitable<void> hear();  // reads the stream of the server's own messages
    std::optional<Response> take(std::string data, const Id* wanted);

    const std::shared_ptr<net::HttpClient> client_;
    ServerRedactor redactor_;
    std::string session_;
    std::optional<Runtime> runtime_;
    asio::cancellation_signal stop_hearing_;
    bool hearing_ = false;
    bool hears_itself_ = false;  // the server's own messages arrive
    Signal hears_;               // rung once that stream is open, or is known to be absent
    std::vector<std::shared_ptr<OpenExchange>> open_;
};
}
