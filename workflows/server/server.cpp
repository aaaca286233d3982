// At the end the server first stops answering requests, then stops observing runs.
#include "workflows/server/server.hpp"
#include "engine/error.hpp"
#include "engine/timeout.hpp"
#include "workflows/server/guard/address.hpp"
#include "workflows/server/service.hpp"
#include <fstream>
#include <sstream>

namespace weft::server {
namespace {
/// Whether all runs have left in time. A tool that ignores cancellation may delay its run.
awaitable<bool> leave_runs(ServedRuns& runs) {
    bool late = false;
    auto leaving = runs.leave();
    try {
        co_await with_timeout(std::chrono::seconds(3), std::move(leaving));
    } catch (const Error& error) {
        late = error.code() == Code::timed_out;
        if (!late) throw;
    }
    co_return !late;
}
ServerOptions checked(ServerOptions options) {
    check_address(options.host, options.guard, options.without_token);
    check_pair(options.certificate, options.key);
    add_own_host(options.guard, options.host);
    return options;
}
std::string file_text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    if (!in || !(text << in.rdbuf()))
        throw Error(Code::configuration,
                    "cannot read " + path +
                        ": the debugger's folder must be the package @llamaindex/workflow-debugger or its dist");
    return std::move(text).str();
}
std::map<std::string, std::string> debugger_files(const std::string& folder) {
    if (folder.empty()) return {};
    const bool package = std::ifstream(folder + "/dist/app.js").good();
    const auto dist = package ? folder + "/dist/" : folder + "/";
    return {{"app.js", file_text(dist + "app.js")}, {"app.css", file_text(dist + "app.css")}};
}
}

Server::Server(Engine& engine, std::vector<ServedWorkflow> workflows, ServerOptions given) : engine_(engine) {
    auto options = checked(std::move(given));
    net::HttpServerOptions http{.host = options.host,
                                .port = options.port,
                                .certificate = options.certificate,
                                .key = options.key,
                                .limits = options.http};
    auto files = debugger_files(options.debugger);
    service_ = std::make_shared<Service>(engine, std::move(workflows), std::move(options));
    service_->debugger = std::move(files);
    http.look_at_head = [service = service_](const net::IncomingRequest& head) { return service->look_at_head(head); };
    http.refuse = [service = service_](const net::IncomingRequest& head, unsigned status, const std::string& detail) {
        return service->refuse(head, status, detail);
    };
    http_ = std::make_unique<net::HttpServer>(
        std::move(http), [service = service_](net::HttpExchange& exchange) { return service->handle(exchange); });
}
Server::~Server() {
    try {
        leave();
    } catch (const std::exception&) {}  // the engine is being destroyed
}
void Server::leave() {
    if (std::exchange(left_, true)) return;
    auto leaving = leave_runs(*service_->runs);
    const bool all_left = engine_.wait(std::move(leaving));
    if (!all_left && service_->options.note)
        service_->options.note("some runs are still executing and end with the program");
}
void Server::listen() {
    service_->runs->restore();
    http_->listen(engine_.first_runtime());
    service_->port = http_->port();
}
std::string Service::url() const { return url_of(options.host, port, !options.certificate.empty()); }
std::string Service::login_url() {
    const auto code = guard.login_code();
    return code.empty() ? std::string() : url() + "/login/" + code;
}
std::string Server::url() const { return service_->url(); }
std::string Server::login_url() { return service_->login_url(); }
void Server::run() {
    auto serving = http_->run();
    engine_.wait(std::move(serving));
    leave();
}
void Server::stop() { http_->stop(service_->options.grace); }
ServedRuns& Server::runs() { return *service_->runs; }
}
