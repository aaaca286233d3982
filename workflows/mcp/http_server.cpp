// The order of the end: no request is taken any more, then what goes on is cancelled, and waited for.
#include "workflows/mcp/http_server.hpp"
#include "engine/error.hpp"
#include "workflows/mcp/http_service.hpp"
#include <boost/asio/ip/address.hpp>

namespace weft::mcp_server {
namespace {
bool is_six(const std::string& host) { return host.find(':') != std::string::npos; }
void check_them(const HttpOptions& options) {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(options.host, error);
    if (error)
        throw Error(Code::configuration, "\"" + options.host + "\" is no address to listen on: 127.0.0.1 is one");
    if (!address.is_loopback() && options.guard.tokens.empty() && !options.without_token)
        throw Error(Code::configuration,
                    "whoever reaches " + options.host +
                        " could call everything here: give a token by --token-file, or say --no-auth");
    for (const auto& token : options.guard.tokens)
        if (token.size() < 16)
            throw Error(Code::configuration, "a token has to have at least 16 characters, so that nobody guesses it");
    if (options.certificate.empty() != options.key.empty())
        throw Error(Code::configuration, "TLS needs both a certificate (--cert) and its key (--key)");
}
HttpOptions checked(HttpOptions options) {
    check_them(options);
    if (options.host != "0.0.0.0" && options.host != "::")
        options.guard.hosts.push_back(is_six(options.host) ? "[" + options.host + "]" : options.host);
    return options;
}
}
void check_options(const HttpOptions& options) { check_them(options); }
HttpServer::HttpServer(Engine& engine, const Core& core, HttpOptions given) : engine_(engine) {
    auto options = checked(std::move(given));
    net::HttpServerOptions http{.host = options.host,
                                .port = options.port,
                                .certificate = options.certificate,
                                .key = options.key,
                                .limits = options.http,
                                .look_at_head = nullptr};
    service_ = std::make_shared<HttpService>(core, std::move(options), engine.first_runtime());
    http.look_at_head = [service = service_](const net::IncomingRequest& head) { return service->look_at_head(head); };
    http_ = std::make_unique<net::HttpServer>(
        std::move(http), [service = service_](net::Exchange& exchange) { return service->handle(exchange); });
}
HttpServer::~HttpServer() = default;
void HttpServer::listen() {
    http_->listen(engine_.first_runtime());
    service_->port = http_->port();
}
std::string HttpServer::url() const {
    const auto& options = service_->options;
    const bool any = options.host == "0.0.0.0" || options.host == "::";
    const auto host = any ? "127.0.0.1" : is_six(options.host) ? "[" + options.host + "]" : options.host;
    return (options.certificate.empty() ? "http://" : "https://") + host + ":" + std::to_string(service_->port) +
           options.path;
}
void HttpServer::run() {
    auto serving = [](net::HttpServer& http, std::shared_ptr<HttpService> service) -> awaitable<void> {
        auto running = http.run();
        co_await std::move(running);
        auto leaving = service->leave_and_wait();
        co_await std::move(leaving);
    }(*http_, service_);
    engine_.wait(std::move(serving));
}
void HttpServer::stop() { http_->stop(service_->options.grace); }
}
