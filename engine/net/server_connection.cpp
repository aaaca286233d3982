// An answer is complete, broken off or missing. After a complete answer the connection continues if both sides want it.
// After a refusal the rest of the request is read and dropped, within the usual time, because closing immediately would
// reset the connection, and the client would never see the answer.
#include "engine/net/server_connection.hpp"
#include "engine/error.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::net {
namespace {
using boost::system::error_code;
using boost::system::system_error;
constexpr std::size_t slice = 256 << 10;          // part of a long body, sent within one write's time
constexpr std::size_t longest_linger = 1u << 30;  // maximum of dropped bytes
constexpr std::chrono::seconds goodbye{2}, silence{5};

bool is_header_text(std::string_view text) {
    return std::ranges::none_of(text, [](char c) { return c == '\r' || c == '\n' || c == '\0'; });
}
std::string hex(std::size_t n) {
    char text[20];
    return {text, std::size_t(std::snprintf(text, sizeof text, "%zx", n))};
}
}

ServerConnection::ServerConnection(std::shared_ptr<HttpServer::State> state, asio::ip::tcp::socket socket,
                                   std::string peer)
    : state_(std::move(state)),
      connection_(std::make_shared<Connection>(std::move(socket))),
      peer_(std::move(peer)),
      limit_(state_->runtime, [this] { connection_->cancel(); }),
      parser_(limits().header, limits().body) {
    state_->open.insert(this);
    ++state_->of_peer[peer_];
    ++state_->connections;
}
ServerConnection::~ServerConnection() {
    connection_->unwatch();
    connection_->close();
    state_->open.erase(this);
    if (const auto at = state_->of_peer.find(peer_); --at->second == 0) state_->of_peer.erase(at);
    --state_->connections;
    state_->one_less.ring();
}
void ServerConnection::stop() {
    if (quiet_) connection_->cancel();
    else leave();
}
void ServerConnection::cut() {
    connection_->close();
    cancel_.emit(asio::cancellation_type::terminal);
}
void ServerConnection::leave() {
    if (auto tell = std::exchange(when_leaving_, nullptr)) tell();
}
void ServerConnection::when_leaving(std::function<void()> tell) {
    when_leaving_ = std::move(tell);
    if (gone_ || stopping()) return leave();
    connection_->unwatch();
    connection_->watch([this] {
        gone_ = true;
        leave();
    });
}

awaitable<void> ServerConnection::serve() {
    bool cancelled = false;
    try {
        if (state_->tls) {
            limit_.expect(limits().head);
            co_await connection_->accept_handshake(*state_->tls);
            limit_.rest();
        }
        co_await serve_requests();
    } catch (const system_error& error) {
        // The client has closed the connection, or is too slow for an answer. Only a cancellation is passed on.
        cancelled = error.code() == asio::error::operation_aborted && !limit_.late() && !stopping();
    }
    limit_.rest();
    if (cancelled) throw system_error(asio::error::operation_aborted);
}
awaitable<void> ServerConnection::serve_requests() {
    while (!stopping()) {
        std::optional<RefusedRequest> refused;
        bool got = false;
        try {
            got = co_await next_request();
        } catch (const RefusedRequest& error) { refused = error; }
        if (refused) co_return co_await refuse(*refused);
        if (!got) co_return;
        ++state_->requests;
        begun_ = ended_ = broken_ = false;
        bool failed = false;
        try {
            auto handling = state_->handler(*this);
            co_await std::move(handling);
        } catch (const system_error& error) {
            if (error.code() == asio::error::operation_aborted) throw;
            failed = true;
        } catch (const std::exception&) { failed = true; }
        when_leaving_ = nullptr;
        connection_->unwatch();
        if (gone_ || broken_ || (begun_ && !ended_)) co_return;
        if (!begun_) {
            auto reply = refusal(500, failed ? "the server failed" : "the server has no answer to this");
            co_await respond(std::move(reply));
        }
        if (!keep_) co_return co_await linger(false);
    }
}
/// Returns false if the client has closed the connection or has sent nothing for too long. Throws RefusedRequest.
awaitable<bool> ServerConnection::next_request() {
    parser_.reset();
    quiet_ = true;
    limit_.expect(limits().idle);
    auto begin = limit_.now();
    bool continued = false;
    while (!parser_.done()) {
        std::string_view bytes;
        bool late = false;
        try {
            bytes = co_await connection_->read_into(state_->incoming);
        } catch (const system_error& error) {
            late = limit_.late() && !quiet_;
            if (!late) throw;
        }
        if (late) throw RefusedRequest(408, "the request did not come within its time");
        if (bytes.empty()) {
            if (quiet_) co_return false;
            throw RefusedRequest(400, "the request broke off");
        }
        const bool had_head = parser_.has_head();
        parser_.feed(bytes);
        if (!parser_.started()) continue;
        if (quiet_) begin = limit_.now();
        quiet_ = false;
        if (parser_.done()) break;
        if (!parser_.has_head()) {
            limit_.expect_until(begin + limits().head);
            continue;
        }
        if (!had_head) {
            begin = limit_.now();
            parser_.request().peer = peer_;
            const auto& look = state_->options.look_at_head;
            if (auto refusal = look ? look(parser_.request()) : std::nullopt) {
                keep_ = bodiless_ = false;
                begun_ = false;
                co_await respond(std::move(*refusal));
                co_await linger(true);
                co_return false;
            }
        }
        if (parser_.expects_continue() && !continued) {
            continued = true;
            co_await send("HTTP/1.1 100 Continue\r\n\r\n");
        }
        const auto earned = std::chrono::seconds(parser_.body_bytes() / std::max<std::size_t>(limits().body_rate, 1));
        limit_.expect_until(begin + std::min<Duration>(limits().body_begin + earned, limits().body_most));
    }
    limit_.rest();
    request_ = std::move(parser_.request());
    request_.peer = peer_;
    request_.tls = state_->tls.has_value();
    // A second request that has arrived already is dropped, because its sender has not seen this answer.
    keep_ = parser_.keep_alive() && !parser_.has_extra();
    chunked_ = parser_.version() == 11;
    bodiless_ = request_.method == "HEAD";
    quiet_ = false;
    co_return true;
}
HttpReply ServerConnection::refusal(unsigned status, const std::string& detail) const {
    if (const auto& make = state_->options.refuse) return make(request_, status, detail);
    const nlohmann::json body{{"detail", detail}};
    return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = body.dump()};
}
awaitable<void> ServerConnection::refuse(RefusedRequest why) {
    begun_ = ended_ = broken_ = keep_ = bodiless_ = false;
    request_ = parser_.take_what_is_known();
    auto reply = refusal(why.status, why.what());
    co_await respond(std::move(reply));
    co_await linger(true);
}
/// `unread`: the client may still be sending the refused request. Over TLS its bytes are read before the closing alert,
/// because they cannot be read after it.
awaitable<void> ServerConnection::linger(bool unread) {
    quiet_ = true;  // stop() does not wait for it
    if (unread && state_->tls) co_await drop_incoming(unread);
    limit_.expect(goodbye);
    co_await connection_->finish_writing();
    if (!unread || !state_->tls) co_await drop_incoming(unread);
    limit_.rest();
}
awaitable<void> ServerConnection::drop_incoming(bool unread) {
    const auto begin = limit_.now(), end = begin + limits().body_most;
    if (!unread) limit_.expect(goodbye);
    for (std::size_t dropped = 0; dropped < longest_linger;) {
        if (unread) {
            const auto earned = std::chrono::seconds(dropped / std::max<std::size_t>(limits().body_rate, 1));
            const auto until = std::min(begin + limits().body_begin + earned, end);
            limit_.expect_until(std::min(until, limit_.now() + silence));
        }
        const auto bytes = co_await connection_->read_into(state_->incoming);
        if (bytes.empty()) break;
        dropped += bytes.size();
    }
}

std::string ServerConnection::head(unsigned status, const HttpHeaders& headers, std::optional<std::size_t> length) {
    std::string text;
    text.reserve(384 + (length ? *length : 0));
    ((text += "HTTP/1.1 ") += std::to_string(status)) += ' ';
    ((text += reason_of(status)) += "\r\nDate: ") += state_->date();
    for (const auto& [name, value] : headers) {
        if (!is_header_text(name) || !is_header_text(value))
            throw Error(Code::usage, "the header " + name.substr(0, name.find_first_of("\r\n")) + " has a line break");
        (((text += "\r\n") += name) += ": ") += value;
    }
    const bool has_body = status != 204 && status != 304;
    if (!length && !chunked_) keep_ = false;  // the end of the connection ends the body
    if (length && has_body) (text += "\r\nContent-Length: ") += std::to_string(*length);
    else if (!length && chunked_) text += "\r\nTransfer-Encoding: chunked";
    if (stopping()) keep_ = false;
    if (!keep_) text += "\r\nConnection: close";
    else if (parser_.version() == 10) text += "\r\nConnection: keep-alive";
    return text += "\r\n\r\n";
}
awaitable<void> ServerConnection::send(std::string text) {
    if (text.size() <= slice) {
        limit_.expect(limits().write);
        co_await connection_->write(std::move(text));
        text.clear();
    }
    for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(std::min(slice, rest.size()))) {
        limit_.expect(limits().write);
        co_await connection_->write(std::string(), rest.substr(0, slice));
    }
    limit_.rest();
}
awaitable<void> ServerConnection::respond(HttpReply reply) {
    auto text = head(reply.status, reply.headers, reply.body.size());
    if (!bodiless_ && reply.status != 204 && reply.status != 304) text += reply.body;
    std::string().swap(reply.body);
    begun_ = true;
    co_await send(std::move(text));
    ended_ = true;
}
awaitable<void> ServerConnection::begin(unsigned status, HttpHeaders headers) {
    auto text = head(status, headers, {});
    begun_ = true;
    co_await send(std::move(text));
}
awaitable<void> ServerConnection::write(std::string piece) {
    if (piece.empty() || bodiless_) co_return;
    if (!chunked_) co_return co_await send(std::move(piece));
    std::string text;
    text.reserve(piece.size() + 24);
    (((text += hex(piece.size())) += "\r\n") += piece) += "\r\n";
    std::string().swap(piece);  // keeps only one copy while a client does not read
    co_await send(std::move(text));
}
awaitable<void> ServerConnection::end() {
    if (chunked_ && !bodiless_) co_await send("0\r\n\r\n");
    ended_ = true;
}
}
