// The listening socket is a bare descriptor until run() gives it to its loop, so a server without run() may outlive its
// engine.
#include "engine/net/http_server.hpp"
#include "engine/net/server_connection.hpp"
#include "engine/net/tls.hpp"
#include "engine/spawn.hpp"
#include "engine/timeout.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <ctime>
#include <sys/socket.h>
#include <unistd.h>

namespace weft::net {
namespace {
using asio::ip::tcp;
using boost::system::error_code;
using boost::system::system_error;
constexpr std::size_t most_leaving = 100;

[[noreturn]] void refuse_address(const HttpServerOptions& options, const error_code& error) {
    throw Error(Code::configuration, "cannot listen on " + options.host + " port " + std::to_string(options.port) +
                                         ": " + error.message() +
                                         (error == asio::error::address_in_use ? "; choose another port" : ""));
}
/// Answers 503 on a full server, and reads the client's bytes, because closing immediately could lose the answer.
awaitable<void> turn_away(std::shared_ptr<HttpServer::State> state, std::shared_ptr<Connection> connection) {
    static constexpr std::string_view full = "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
                                             "Content-Length: 53\r\nRetry-After: 1\r\nConnection: close\r\n\r\n"
                                             R"({"detail":"this server has too many connections now"})";
    TimeLimit limit(state->runtime, [&connection] { connection->cancel(); });
    limit.expect(std::chrono::seconds(2));
    co_await connection->write(std::string(full));
    co_await connection->finish_writing();
    for (bool at_end = false; !at_end;) {
        const auto bytes = co_await connection->read_into(state->incoming);
        at_end = bytes.empty();
    }
}
std::string peer_of(const tcp::socket& socket) {
    error_code error;
    const auto peer = socket.remote_endpoint(error);
    return error ? std::string() : peer.address().to_string();
}
void serve(const std::shared_ptr<HttpServer::State>& state, tcp::socket socket) {
    const auto& limits = state->options.limits;
    auto peer = peer_of(socket);
    const auto of_peer = state->of_peer.find(peer);
    if (state->open.size() >= limits.connections || (limits.connections_of_peer && of_peer != state->of_peer.end() &&
                                                     of_peer->second >= limits.connections_of_peer)) {
        ++state->turned_away;
        if (state->tls || state->leaving >= most_leaving) return;
        ++state->leaving;
        auto leaving = turn_away(state, std::make_shared<Connection>(std::move(socket)));
        return spawn(state->runtime, std::move(leaving), [state](std::exception_ptr) { --state->leaving; });
    }
    auto connection = std::make_shared<ServerConnection>(state, std::move(socket), std::move(peer));
    auto serving = connection->serve();
    const auto slot = connection->slot();
    spawn(state->runtime, std::move(serving),
          asio::bind_cancellation_slot(slot, [connection = std::move(connection)](std::exception_ptr) {}));
}
awaitable<void> accept_all(std::shared_ptr<HttpServer::State> state, tcp::acceptor& acceptor) {
    while (!state->stopping) {
        bool failed = false;
        try {
            auto socket = co_await acceptor.async_accept(asio::deferred);
            serve(state, std::move(socket));
        } catch (const system_error& error) {
            if (error.code() == asio::error::operation_aborted && !state->stopping) throw;
            failed = error.code() != asio::error::connection_aborted;  // the client has closed it before
        } catch (const std::bad_alloc&) { failed = true; }
        if (failed && !state->stopping) co_await sleep_for(std::chrono::milliseconds(50));  // some may end
    }
}
awaitable<void> run_until_stopped(std::shared_ptr<HttpServer::State> state) {
    const auto executor = state->runtime.executor;
    tcp::acceptor acceptor(executor);
    acceptor.assign(state->options.host.find(':') == std::string::npos ? tcp::v4() : tcp::v6(),
                    std::exchange(state->listening, -1));
    state->stop_accepting = [&acceptor] {
        error_code ignored;
        acceptor.close(ignored);
    };
    struct Forget {
        HttpServer::State& state;
        ~Forget() {
            state.stop_accepting = nullptr;
            state.grace_over.reset();
        }
    } forget{*state};
    co_await accept_all(state, acceptor);
    while (!state->open.empty()) {
        auto one_less = state->one_less.wait();
        co_await std::move(one_less);
    }
}
}

HttpServer::State::~State() {
    if (listening >= 0) ::close(listening);
}
void HttpServer::State::begin_stop(Duration grace) {
    if (stopping) return;
    stopping = true;
    if (stop_accepting) stop_accepting();
    const auto all = open;  // stop() may end a connection, which then leaves the set
    for (auto* connection : all)
        if (open.contains(connection)) connection->stop();
    grace_over = runtime.clock->make_alarm(runtime.executor, [this] { cut(); });
    grace_over->set(runtime.clock->after(grace));
}
void HttpServer::State::cut() {
    const auto all = open;
    for (auto* connection : all)
        if (open.contains(connection)) connection->cut();
}
std::string_view HttpServer::State::date() {
    const auto now = std::chrono::floor<std::chrono::seconds>(runtime.clock->wall());
    if (const auto second = now.time_since_epoch().count(); second != second_) {
        second_ = second;
        static constexpr const char* days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
        static constexpr const char* months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
        const std::time_t time = std::chrono::system_clock::to_time_t(now);
        std::tm t{};
        ::gmtime_r(&time, &t);
        char text[40];
        std::snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[t.tm_wday], t.tm_mday,
                      months[t.tm_mon], t.tm_year + 1900, t.tm_hour, t.tm_min, t.tm_sec);
        date_ = text;
    }
    return date_;
}

HttpServer::HttpServer(HttpServerOptions options, HttpHandler handler)
    : state_(std::make_shared<State>(std::move(options), std::move(handler))) {}
HttpServer::~HttpServer() = default;
void HttpServer::listen(const Runtime& runtime) {
    auto& state = *state_;
    const auto& options = state.options;
    state.runtime = runtime;
    if (!options.certificate.empty()) state.tls.emplace(make_server_tls(options.certificate, options.key));
    error_code error;
    const auto address = asio::ip::make_address(options.host, error);
    if (error)
        throw Error(Code::configuration,
                    "\"" + options.host + "\" is not an address to listen on: write one like 127.0.0.1");
    const tcp::endpoint endpoint(address, options.port);
    try {
        tcp::acceptor acceptor(runtime.executor, endpoint);  // reuses the address, and listens
        state.port = acceptor.local_endpoint().port();
        state.listening = acceptor.release();
    } catch (const system_error& failure) { refuse_address(options, failure.code()); }
}
std::uint16_t HttpServer::port() const { return state_->port; }
awaitable<void> HttpServer::run() { return run_until_stopped(state_); }
void HttpServer::stop(std::chrono::nanoseconds grace) {
    asio::post(state_->runtime.executor, [state = state_, grace] { state->begin_stop(grace); });
}
std::size_t HttpServer::connections() const { return state_->connections; }
std::uint64_t HttpServer::requests() const { return state_->requests; }
std::uint64_t HttpServer::turned_away() const { return state_->turned_away; }

std::string_view reason_of(unsigned status) {
    struct Reason {
        unsigned status;
        std::string_view text;
    };
    static constexpr Reason reasons[] = {{100, "Continue"},
                                         {200, "OK"},
                                         {202, "Accepted"},
                                         {204, "No Content"},
                                         {302, "Found"},
                                         {303, "See Other"},
                                         {304, "Not Modified"},
                                         {400, "Bad Request"},
                                         {401, "Unauthorized"},
                                         {403, "Forbidden"},
                                         {404, "Not Found"},
                                         {405, "Method Not Allowed"},
                                         {406, "Not Acceptable"},
                                         {408, "Request Timeout"},
                                         {409, "Conflict"},
                                         {410, "Gone"},
                                         {413, "Content Too Large"},
                                         {415, "Unsupported Media Type"},
                                         {417, "Expectation Failed"},
                                         {422, "Unprocessable Content"},
                                         {429, "Too Many Requests"},
                                         {431, "Request Header Fields Too Large"},
                                         {500, "Internal Server Error"},
                                         {501, "Not Implemented"},
                                         {503, "Service Unavailable"},
                                         {505, "HTTP Version Not Supported"}};
    for (const auto& reason : reasons)
        if (reason.status == status) return reason.text;
    return "Status";
}
}
