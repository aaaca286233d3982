// Streamable HTTP: the transport to an MCP server at an address, in both eras.
//
//     mcp::HttpOptions options{.server = "files", .url = net::parse_url("https://host/mcp"), .token = token};
//     mcp::HttpTransport transport(std::move(options));
//
// The era of a request is that of the request itself. A modern one is a POST of its own, whose headers repeat what its
// body says; closing its stream cancels it. Legacy ones belong to the session that `initialize` has begun: a stream
// that breaks off is taken up again where it ended, and a stream of its own carries what the server says by itself.
// The older HTTP+SSE of 2024-11-05 is not supported.
//
// Tokens, headers that hold secrets, and `secrets` in the path of the address go to https and to this machine only,
// else Error{configuration}. No redirect is followed: the error says where the server wanted to send us. What the
// server says is told without the secrets that were sent to it.
#pragma once
#include "engine/net/http_client.hpp"
#include "tools/mcp/client/transport.hpp"

namespace weft::tools::mcp {
struct HttpOptions {
    std::string server;  // the configured name
    net::Url url;
    net::HttpHeaders headers;                 // with each request
    std::string token;                        // Authorization: Bearer; empty: none
    std::vector<std::string> secrets;         // what stands in `url` or `headers` and is not to be shown
    std::string token_hint;                   // where to put it, for the sentence that asks for one
    std::shared_ptr<net::HttpClient> client;  // null: one of its own, without proxies
    MessageLimits limits = answers_of_servers;
    std::size_t stream_bytes = 256u << 20;  // of all that comes for one request
    int resumptions = 5;                    // of a legacy stream, one after the other without any event
};
class HttpCore;
class HttpTransport final : public Transport {
public:
    explicit HttpTransport(HttpOptions);
    ~HttpTransport() override;
    Kind kind() const override { return Kind::http; }
    const std::string& server() const override;
    awaitable<void> open(Listener&, bool at_once = false) override;
    bool is_open() const override;
    void agree(std::string_view version) override;
    bool hears() const override;
    awaitable<Response> request(Request, Sending) override;
    awaitable<void> notify(Notification) override;
    awaitable<void> answer(Response) override;
    awaitable<void> close() override;

private:
    std::shared_ptr<HttpCore> core_;
};
}
