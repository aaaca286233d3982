// At the end the server first stops taking requests, then cancels open calls and waits for them.
#include "workflows/mcp/http_server.hpp"
#include "workflows/mcp/http_service.hpp"
#include "workflows/server/guard/address.hpp"

namespace weft::mcp_server {
namespace {
HttpOptions checked(HttpOptions options) {
    check_options(options);
    server::add_own_host(options.guard, options.host);
    return options;
}
}
void check_options(const HttpOptions& options) {
    server::check_address(options.host, options.guard, options.without_token);
    server::check_pair(options.certificate, options.key);
    const server::Guard known(options.guard);  // throws for hosts and origins that can never match
}
McpHttpServer::McpHttpServer(Engine& engine, const Core& core, HttpOptions given)
    : engine_(engine),
      service_(std::make_shared<HttpService>(core, checked(std::move(given)), engine.first_runtime())) {
    const auto& options = service_->options;
    net::HttpServerOptions http{
        .host = options.host,
        .port = options.port,
        .certificate = options.certificate,
        .key = options.key,
        .limits = options.http,
        .look_at_head = [service = service_](const net::IncomingRequest& head) { return service->look_at_head(head); },
        .refuse = [service = service_](const net::IncomingRequest& head, unsigned status,
                                       const std::string& detail) { return service->refusal(head, status, detail); }};
    http_ = std::make_unique<net::HttpServer>(
        std::move(http), [service = service_](net::HttpExchange& exchange) { return service->handle(exchange); });
}
McpHttpServer::~McpHttpServer() = default;
void McpHttpServer::listen() {
    http_->listen(engine_.first_runtime());
    service_->port = http_->port();
}
std::string McpHttpServer::url() const {
    const auto& options = service_->options;
    return server::url_of(options.host, service_->port, !options.certificate.empty()) + options.path;
}
void McpHttpServer::run() {
    auto serving = [](net::HttpServer& http, std::shared_ptr<HttpService> service) -> awaitable<void> {
        co_await http.run();
        co_await service->leave_and_wait();
    }(*http_, service_);
    engine_.wait(std::move(serving));
}
void McpHttpServer::stop() { http_->stop(service_->options.grace); }
}
