// One connection of a server: a sequence of requests and answers. Internal to engine/net.
//
//     auto connection = std::make_shared<ServerConnection>(state, std::move(socket), peer);
//     co_await connection->serve();               // until it ends; throws only when cancelled
#pragma once
#include "engine/net/connection.hpp"
#include "engine/net/request_parser.hpp"
#include "engine/net/server_state.hpp"
#include "engine/net/time_limit.hpp"

namespace weft::net {
class ServerConnection final : public HttpExchange {
public:
    ServerConnection(std::shared_ptr<HttpServer::State>, asio::ip::tcp::socket, std::string peer);
    ~ServerConnection() override;
    awaitable<void> serve();
    /// Ends an idle connection, and notifies the handler of another one: the server stops.
    void stop();
    /// Ends the connection and the handler's wait at once.
    void cut();
    asio::cancellation_slot slot() { return cancel_.slot(); }  // for serve(): cut() cancels by it

    const IncomingRequest& request() const override { return request_; }
    awaitable<void> respond(HttpReply) override;
    awaitable<void> begin(unsigned status, HttpHeaders) override;
    awaitable<void> write(std::string piece) override;
    awaitable<void> end() override;
    void break_off() override { broken_ = true; }
    bool begun() const override { return begun_; }
    void when_leaving(std::function<void()>) override;
    bool client_has_gone() const override { return gone_; }
    bool stopping() const override { return state_->stopping; }

private:
    awaitable<void> serve_requests();
    awaitable<bool> next_request();
    awaitable<void> refuse(RefusedRequest);
    HttpReply refusal(unsigned status, const std::string& detail) const;
    awaitable<void> linger(bool unread);
    awaitable<void> drop_incoming(bool unread);
    awaitable<void> send(std::string text);
    void leave();
    std::string head(unsigned status, const HttpHeaders&, std::optional<std::size_t> length);
    const ServerLimits& limits() const { return state_->options.limits; }

    std::shared_ptr<HttpServer::State> state_;
    std::shared_ptr<Connection> connection_;
    const std::string peer_;
    TimeLimit limit_;
    asio::cancellation_signal cancel_;
    RequestParser parser_;
    IncomingRequest request_;
    std::function<void()> when_leaving_;
    bool quiet_ = true;  // idle between two requests
    bool keep_ = false, chunked_ = false, bodiless_ = false;
    bool begun_ = false, ended_ = false, broken_ = false, gone_ = false;
};
}
