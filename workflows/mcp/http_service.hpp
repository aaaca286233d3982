// Handles single requests of McpHttpServer. Internal to workflows/mcp.
//
//     const auto service = std::make_shared<HttpService>(core, options, runtime);
//     net::HttpServer http({.port = 8081},
//                          [service](net::HttpExchange& exchange) { return service->handle(exchange); });
//
// If the response is the first message, it is sent as JSON with its status; otherwise as a stream of events, with a
// comment every fifteen seconds.
#pragma once
#include "workflows/mcp/http_server.hpp"
#include "workflows/mcp/sessions.hpp"

namespace weft::mcp_server {
class HttpService : public std::enable_shared_from_this<HttpService> {
public:
    HttpService(const Core&, HttpOptions, Runtime);
    awaitable<void> handle(net::HttpExchange&);
    /// The refusal of a request by its head alone; std::nullopt to read the body.
    std::optional<net::HttpReply> look_at_head(const net::IncomingRequest&) const;
    /// The refusal of a request that could not be read.
    net::HttpReply refusal(const net::IncomingRequest&, unsigned status, const std::string& detail) const;
    /// Cancels all open calls and waits for their end, with a limit.
    awaitable<void> leave_and_wait();

    const HttpOptions options;
    std::uint16_t port = 0;

private:
    struct ResponseStream;
    net::HttpHeaders headers(const net::IncomingRequest&, std::string_view type) const;
    awaitable<void> reply(net::HttpExchange&, unsigned status, std::string body, net::HttpHeaders more = {});
    awaitable<void> refuse(net::HttpExchange&, unsigned status, int code, std::string sentence,
                           net::HttpHeaders more = {});
    server::Access access_to(const net::IncomingRequest&) const;
    /// Replies a failure of the action, which returns an awaitable.
    template <class Act> awaitable<void> replying_failures(net::HttpExchange&, std::optional<rpc::Id>, Act);
    awaitable<void> route(net::HttpExchange&);
    awaitable<void> tell_health(net::HttpExchange&);
    awaitable<void> post(net::HttpExchange&, std::string principal);
    awaitable<void> ask(net::HttpExchange&, rpc::Request, std::string principal);
    awaitable<void> ask_modern(net::HttpExchange&, rpc::Request, CallClient, Envelope);
    awaitable<void> ask_legacy(net::HttpExchange&, rpc::Request, std::shared_ptr<McpSession>, Envelope);
    awaitable<void> begin_session(net::HttpExchange&, rpc::Request, std::string principal);
    awaitable<void> get(net::HttpExchange&, std::string principal);
    awaitable<void> remove(net::HttpExchange&, std::string principal);
    awaitable<void> listen(net::HttpExchange&, std::shared_ptr<McpSession>);
    awaitable<void> send(ResponseStream);
    awaitable<void> begin_stream(ResponseStream&, std::size_t first);
    std::shared_ptr<McpSession> session_of(const net::IncomingRequest&, const std::string& principal);
    const Core core_;
    const Runtime runtime_;
    server::Guard guard_;
    Sessions sessions_;
    std::map<const void*, std::weak_ptr<Peer>> modern_;  // the peers of open modern requests
};
}
