// Streamable HTTP: the transport to an MCP server at an address, for both eras.
//
//     mcp::HttpTransportOptions options{.server = "files", .url = net::parse_url("https://host/mcp"), .token = token};
//     mcp::HttpTransport transport(std::move(options));
//
// Each request has its own era. A modern request is one POST, whose headers repeat a part of its body; closing its
// stream cancels it. Legacy requests belong to the session that `initialize` has begun: a broken stream is resumed
// where it ended, and another stream carries the server's own messages. The older HTTP+SSE of 2024-11-05 is not
// supported.
//
// Tokens, headers with secrets, and `secrets` in the path of the address are sent only to https and to this machine;
// otherwise Error{configuration}. The transport follows no redirect: the error names the target. It removes the
// secrets that it sent from all texts of the server.
#pragma once
#include "engine/net/http_client.hpp"
#include "tools/mcp/client/transport.hpp"

namespace weft::tools::mcp {
struct HttpTransportOptions {
    std::string server = {};  // the configured name
    net::Url url;
    net::HttpHeaders headers;                      // sent with each request
    std::string token = {};                        // for Authorization: Bearer; empty: none
    std::vector<std::string> secrets = {};         // parts of `url` or `headers` that must not be shown
    std::string token_hint = {};                   // place for the token, in the message that asks for it
    std::shared_ptr<net::HttpClient> client = {};  // null: a separate client, without proxies
    MessageLimits limits = answers_of_servers;
    std::size_t stream_bytes = 256u << 20;  // maximum size of all data for one request
    int resumptions = 5;                    // maximum resumptions of a legacy stream in a row without an event
};
class HttpCore;
class HttpTransport final : public Transport {
public:
    explicit HttpTransport(HttpTransportOptions);
    ~HttpTransport() override;
    Kind kind() const override { return Kind::http; }
    const std::string& server() const override;
    awaitable<void> open(TransportListener&, bool at_once = false) override;
    bool is_open() const override;
    void agree(std::string_view version) override;
    bool hears() const override;
    awaitable<Response> request(Request, SendOptions) override;
    awaitable<void> notify(Notification) override;
    awaitable<void> answer(Response) override;
    awaitable<void> close() override;

private:
    std::shared_ptr<HttpCore> core_;
};
}
