// Opens the connection of a route: dial, then a tunnel through the proxy, then TLS. The stage determines the sentence
// of a failure.
#include "engine/net/connection.hpp"
#include "engine/net/dial.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/response_parser.hpp"
#include "engine/timeout.hpp"

namespace weft::net {
namespace {
using boost::system::system_error;
enum class ConnectStage { dial, tunnel, handshake };

[[noreturn]] void throw_refused(const ConnectRoute& route, unsigned status) {
    const auto number = " (" + std::to_string(status) + ")";
    const auto who = route.proxy->name();
    if (status == 407) throw NetError(Failure::proxy_refused, route.proxy->wants_user());
    if (status >= 500) throw NetError(Failure::connect, who + " found no way to " + route.url.origin() + number);
    throw NetError(Failure::proxy_refused, who + " does not let us through to " + route.url.origin() + number);
}
// Asks the proxy to forward bytes: it sees only TLS between client and server.
awaitable<void> open_tunnel(std::shared_ptr<Connection> connection, const ConnectRoute& route) {
    const bool six = route.url.host.find(':') != std::string::npos;
    const auto target = (six ? "[" + route.url.host + "]" : route.url.host) + ":" + std::to_string(route.url.port);
    std::string head = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\nUser-Agent: weft\r\n";
    if (!route.proxy->authorization.empty()) head += "Proxy-Authorization: " + route.proxy->authorization + "\r\n";
    head += "\r\n";
    co_await connection->write(std::move(head));

    ResponseParser parser(std::size_t(16) << 10, 0, true);
    std::string none;
    while (!parser.done()) {
        const auto bytes = co_await connection->read();
        if (bytes.empty())
            throw NetError(Failure::reset, route.proxy->name() + " closed the connection without an answer");
        parser.feed(bytes, none);
    }
    if (parser.status() / 100 != 2) throw_refused(route, parser.status());
    if (!parser.all_used()) throw NetError(Failure::protocol, route.proxy->name() + " sent bytes before a request");
}
awaitable<std::shared_ptr<Connection>> establish(ConnectRoute route, ConnectStage& stage) {
    auto socket = co_await dial(route.proxy ? route.proxy->url : route.url, route.resolve, route.check);
    auto connection = std::make_shared<Connection>(std::move(socket));
    if (!route.url.tls) co_return connection;
    if (route.proxy) {
        stage = ConnectStage::tunnel;
        co_await open_tunnel(connection, route);
    }
    stage = ConnectStage::handshake;
    co_await connection->handshake(*route.tls, route.url.host);
    co_return connection;
}
}

awaitable<std::shared_ptr<Connection>> connect(ConnectRoute route, Duration left, Duration limit) {
    ConnectStage stage = ConnectStage::dial;
    const auto origin = route.url.origin();
    const auto by = route.proxy ? " (" + route.proxy->name() + ", for " + origin + ")" : std::string();
    try {
        auto work = establish(route, stage);
        co_return co_await with_timeout(left, std::move(work));
    } catch (const NetError& error) {
        const std::string sentence = error.what();
        const bool says_whose = stage == ConnectStage::handshake || sentence.starts_with("the proxy");
        if (by.empty() || says_whose) throw;
        throw NetError(error.failure(), sentence + by, error.phase());
    } catch (const Error& error) {
        if (error.code() != Code::timed_out) throw;
        const char* what = stage == ConnectStage::dial     ? " did not accept a connection within "
                           : stage == ConnectStage::tunnel ? " did not answer within "
                                                           : " did not finish the TLS handshake within ";
        const auto who = stage != ConnectStage::handshake && route.proxy ? route.proxy->url.origin() : origin;
        throw NetError(Failure::timed_out,
                       who + what + in_seconds(limit) + (stage == ConnectStage::handshake ? "" : by),
                       TimeoutPhase::connect);
    } catch (const system_error& error) {
        if (error.code() == asio::error::operation_aborted) throw;
        if (stage == ConnectStage::handshake)
            throw NetError(Failure::tls_failed, "no TLS connection to " + origin + ": " + error.code().message());
        throw NetError(Failure::connect, "no connection to " + origin + ": " + error.code().message() + by);
    }
}
}
