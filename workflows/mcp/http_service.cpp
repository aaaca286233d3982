// A request without its session gets 400, and with an unknown session 404: then the client begins a new session.
// Closing its stream cancels a modern request. A session's call continues, and another stream may continue the closed
// one.
#include "workflows/mcp/http_service.hpp"
#include "engine/asio.hpp"
#include "engine/text/text.hpp"
#include <algorithm>

namespace weft::mcp_server {
namespace {
using net::find_header;
using nlohmann::json;
constexpr auto between_comments = std::chrono::seconds(15);
constexpr std::string_view json_type = "application/json", stream_type = "text/event-stream";
constexpr std::string_view session_header = "MCP-Session-Id", health = "/health";

/// The path without a final slash, which many clients add.
std::string_view path_of(const net::IncomingRequest& request) {
    auto path = std::string_view(request.target).substr(0, request.target.find('?'));
    if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    return path;
}
bool accepts(const net::IncomingRequest& request, std::string_view type) {
    const auto accepted = lower(find_header(request.headers, "Accept"));
    const auto group = std::string(type.substr(0, type.find('/'))) + "/*";
    return accepted.empty() || accepted.find(type) != accepted.npos || accepted.find(group) != accepted.npos ||
           accepted.find("*/*") != accepted.npos;
}
std::string error_text(int code, const std::string& sentence) { return rpc::write(rpc::failure({}, code, sentence)); }
}

/// The reply to one HTTP request.
struct HttpService::ResponseStream {
    net::HttpExchange& exchange;
    std::shared_ptr<Outbox> box;
    std::size_t number = 0;  // a session's stream has a number, and its events have ids
    bool priming = false;    // whether the first event has only an id
    bool begun = false;
    Outbox::OutboxReader reader = {};
};

HttpService::HttpService(const Core& core, HttpOptions o, Runtime runtime)
    : options(std::move(o)),
      core_(core),
      runtime_(std::move(runtime)),
      guard_(options.guard),
      sessions_(options.sessions, options.session_rest) {}
awaitable<void> HttpService::leave_and_wait() {
    auto all = sessions_.peers();
    sessions_.close_all();
    const auto modern = modern_;
    for (const auto& [key, weak] : modern)
        if (auto peer = weak.lock()) {
            peer->cancel_all();
            all.push_back(std::move(peer));
        }
    core_.leave();
    co_await until_quiet(std::move(all));
}
net::HttpHeaders HttpService::headers(const net::IncomingRequest& request, std::string_view type) const {
    net::HttpHeaders all{{"Cache-Control", "no-store"}, {"X-Content-Type-Options", "nosniff"}};
    if (!type.empty()) all.push_back({"Content-Type", std::string(type)});
    std::ranges::move(guard_.cors(request), std::back_inserter(all));
    return all;
}
awaitable<void> HttpService::reply(net::HttpExchange& exchange, unsigned status, std::string body,
                                   net::HttpHeaders more) {
    net::HttpReply answer{.status = status, .headers = {}, .body = std::move(body)};
    answer.headers = headers(exchange.request(), answer.body.empty() ? std::string_view() : json_type);
    std::ranges::move(more, std::back_inserter(answer.headers));
    return exchange.respond(std::move(answer));
}
awaitable<void> HttpService::refuse(net::HttpExchange& exchange, unsigned status, int code, std::string sentence,
                                    net::HttpHeaders more) {
    return reply(exchange, status, error_text(code, sentence), std::move(more));
}
server::Access HttpService::access_to(const net::IncomingRequest& request) const {
    return path_of(request) == health && options.path != health ? server::Access::anybody : server::Access::token;
}
net::HttpReply HttpService::refusal(const net::IncomingRequest& request, unsigned status,
                                    const std::string& detail) const {
    return {
        .status = status, .headers = headers(request, json_type), .body = error_text(rpc::code::no_request, detail)};
}
std::optional<net::HttpReply> HttpService::look_at_head(const net::IncomingRequest& request) const {
    std::size_t caller = 0;
    const auto found = guard_.check_head(request, access_to(request), caller);
    if (!found) return {};
    auto reply = refusal(request, found->status, found->detail);
    std::ranges::copy(found->headers, std::back_inserter(reply.headers));
    return reply;
}
awaitable<void> HttpService::tell_health(net::HttpExchange& exchange) {
    const auto& method = exchange.request().method;
    const net::HttpHeaders allow{{"Allow", "GET, HEAD, OPTIONS"}};
    if (method == "OPTIONS") return reply(exchange, 204, "", allow);
    if (method != "GET" && method != "HEAD")
        return refuse(exchange, 405, rpc::code::no_request, "/health does not have this method: use GET", allow);
    const bool stopping = exchange.stopping();
    return reply(exchange, stopping ? 503 : 200, stopping ? R"({"status":"unhealthy"})" : R"({"status":"healthy"})");
}

template <class Act>
awaitable<void> HttpService::replying_failures(net::HttpExchange& exchange, std::optional<rpc::Id> id, Act act) {
    std::optional<RpcFailure> failed;
    try {
        co_await act();
    } catch (const RpcFailure& failure) { failed = failure; }
    if (!failed) co_return;
    if (exchange.begun()) co_return exchange.break_off();
    auto answering = reply(exchange, failed->status,
                           rpc::write(rpc::failure(id, failed->code, failed->what(), failed->data)));
    co_await std::move(answering);
}
awaitable<void> HttpService::handle(net::HttpExchange& exchange) {
    const auto self = shared_from_this();
    auto handling = replying_failures(exchange, {}, [this, &exchange] { return route(exchange); });
    co_await std::move(handling);
}
awaitable<void> HttpService::route(net::HttpExchange& exchange) {
    const auto& request = exchange.request();
    const auto access = access_to(request);
    std::size_t caller = 0;
    if (const auto refusal = guard_.check(request, access, caller))
        return refuse(exchange, refusal->status, rpc::code::no_request, refusal->detail, refusal->headers);
    if (access == server::Access::anybody) return tell_health(exchange);
    if (path_of(request) != options.path && request.method != "OPTIONS")
        return refuse(exchange, 404, rpc::code::no_request, "MCP is at " + options.path + " on this server");
    const auto principal = guard_.has_tokens() ? std::to_string(caller) : std::string();
    if (request.method == "POST") return post(exchange, principal);
    const bool of_session = request.method == "GET" || request.method == "DELETE";
    if (of_session && find_header(request.headers, "MCP-Protocol-Version") == rpc::revision::modern)
        return refuse(exchange, 405, rpc::code::no_request, "this revision of MCP has POST only", {{"Allow", "POST"}});
    if (request.method == "GET") return get(exchange, principal);
    if (request.method == "DELETE") return remove(exchange, principal);
    const net::HttpHeaders allow{{"Allow", "GET, POST, DELETE, OPTIONS"}};
    if (request.method == "OPTIONS") return reply(exchange, 204, "", allow);
    return refuse(exchange, 405, rpc::code::no_request, "MCP does not have this method: use POST", allow);
}
awaitable<void> HttpService::post(net::HttpExchange& exchange, std::string principal) {
    const auto& request = exchange.request();
    if (!accepts(request, json_type) && !accepts(request, stream_type))
        return refuse(exchange, 406, rpc::code::no_request,
                      "Accept has to name application/json and text/event-stream, since a reply has either type");
    auto read = rpc::read_message(request.body, {.bytes = options.http.body});
    if (auto* bad = std::get_if<rpc::Malformed>(&read)) {
        const auto meant = classify(*bad, request.body);
        if (meant == MessageKind::response && bad->id) session_of(request, principal)->peer->hear(*bad, request.body);
        if (meant != MessageKind::request) bad->id.reset();
        return reply(exchange, 400, rpc::write(rpc::error_for(*bad)));
    }
    auto& message = std::get<rpc::RpcMessage>(read);
    if (auto* asked = std::get_if<rpc::Request>(&message))
        return ask(exchange, std::move(*asked), std::move(principal));
    // Notifications and responses come from legacy clients only.
    auto* notification = std::get_if<rpc::Notification>(&message);
    Envelope envelope;
    envelope.http = true;
    envelope.headers = &request.headers;
    if (!notification || !is_modern(notification->params, envelope)) {
        const auto session = session_of(request, principal);
        if (notification) session->peer->hear(*notification);
        else session->peer->hear(std::move(std::get<rpc::Response>(message)));
    }
    return reply(exchange, 202, "");
}
std::shared_ptr<McpSession> HttpService::session_of(const net::IncomingRequest& request, const std::string& principal) {
    const auto id = find_header(request.headers, session_header);
    if (id.empty())
        throw RpcFailure(rpc::code::no_request, "the header MCP-Session-Id is missing: `initialize` returns it",
                         nullptr, 400);
    auto session = sessions_.find(id, principal, *runtime_.clock);
    if (!session)
        throw RpcFailure(rpc::code::no_request, "there is no such session here: begin one by `initialize`", nullptr,
                         404);
    const auto version = find_header(request.headers, "MCP-Protocol-Version");
    if (!version.empty() && !rpc::revision::is_legacy(version))
        throw RpcFailure(rpc::code::no_request, "this server does not support the revision in MCP-Protocol-Version",
                         nullptr, 400);
    return session;
}
awaitable<void> HttpService::ask(net::HttpExchange& exchange, rpc::Request request, std::string principal) {
    const auto id = request.id;
    return replying_failures(exchange, id, [this, &exchange, request = std::move(request), principal]() mutable {
        Envelope envelope;
        envelope.http = true;
        envelope.headers = &exchange.request().headers;
        envelope.principal = principal;
        if (is_modern(request.params, envelope)) {
            auto asker = check_envelope(request, envelope);
            return ask_modern(exchange, std::move(request), std::move(asker), envelope);
        }
        if (request.method == rpc::method::initialize) return begin_session(exchange, std::move(request), principal);
        return ask_legacy(exchange, std::move(request), session_of(exchange.request(), principal), envelope);
    });
}
awaitable<void> HttpService::begin_session(net::HttpExchange& exchange, rpc::Request request, std::string principal) {
    // A wrong request is refused before it gets a session.
    CallClient asker;
    core_.agree(request.params, asker);
    const auto session = sessions_.open(core_, runtime_, principal);
    auto result = session->peer->agree(request.params, principal);
    const bool as_stream = !accepts(exchange.request(), json_type);
    net::HttpReply answer{
        .status = 200, .headers = {}, .body = rpc::write(rpc::success(request.id, std::move(result)))};
    if (as_stream) answer.body = "event: message\ndata: " + answer.body + "\n\n";
    answer.headers = headers(exchange.request(), as_stream ? stream_type : json_type);
    answer.headers.push_back({std::string(session_header), session->id});
    return exchange.respond(std::move(answer));
}
awaitable<void> HttpService::ask_modern(net::HttpExchange& exchange, rpc::Request request, CallClient asker,
                                        Envelope envelope) {
    const auto peer = std::make_shared<Peer>(core_, runtime_);
    struct Modern {
        HttpService& service;
        Peer& peer;
        ~Modern() {
            service.modern_.erase(&peer);
            peer.cancel_all();  // no effect on ended calls
        }
    } modern{*this, *peer};
    modern_[peer.get()] = peer;
    ResponseStream stream{.exchange = exchange, .box = std::make_shared<Outbox>()};
    peer->begin(std::move(request), std::move(asker), envelope, stream.box);
    exchange.when_leaving([weak = std::weak_ptr(peer), &exchange] {
        if (const auto self = weak.lock(); self && exchange.client_has_gone()) self->cancel_all();
    });
    co_await send(std::move(stream));
}
awaitable<void> HttpService::ask_legacy(net::HttpExchange& exchange, rpc::Request request,
                                        std::shared_ptr<McpSession> session, Envelope envelope) {
    const auto* agreed = session->peer->agreed();
    const auto [number, box] = session->add_stream();
    auto asker = *agreed;
    asker.takes_streams = accepts(exchange.request(), stream_type);
    session->peer->begin(std::move(request), std::move(asker), envelope, box);
    ResponseStream stream{
        .exchange = exchange, .box = box, .number = number, .priming = agreed->version >= "2025-11-25"};
    exchange.when_leaving([signal = stream.reader.signal] { signal.ring(); });
    return send(std::move(stream));
}
awaitable<void> HttpService::begin_stream(ResponseStream& stream, std::size_t first) {
    auto all = headers(stream.exchange.request(), stream_type);
    all.push_back({"X-Accel-Buffering", "no"});
    stream.begun = true;
    co_await stream.exchange.begin(200, std::move(all));
    if (!stream.priming) co_return;
    auto priming = "id: " + event_id(stream.number, first) + "\nretry: 1000\ndata:\n\n";
    co_await stream.exchange.write(std::move(priming));
}
awaitable<void> HttpService::send(ResponseStream stream) {
    auto& exchange = stream.exchange;
    auto& reader = stream.reader;
    const bool may_stream = accepts(exchange.request(), stream_type);
    bool is_time = false;
    const auto alarm = runtime_.clock->make_alarm(runtime_.executor, [&is_time, signal = reader.signal] {
        is_time = true;
        signal.ring();
    });
    for (;;) {
        alarm->set(runtime_.clock->after(between_comments));
        const auto first = reader.next;
        const auto messages = co_await stream.box->take(reader);
        if (exchange.client_has_gone() || stream.box->replaced(reader)) co_return exchange.break_off();
        const bool ended = stream.box->at_end(reader);
        const bool finished = ended && stream.box->finished();
        if (!stream.begun && finished && first == 0 && messages.size() == 1 && accepts(exchange.request(), json_type)) {
            auto answering = reply(exchange, stream.box->status(), messages[0]);
            co_return co_await std::move(answering);
        }
        if (!may_stream) {  // only the final reply can be sent
            if (!ended) continue;
            const bool answered = finished && !messages.empty();
            auto answering = reply(exchange, answered ? stream.box->status() : 202,
                                   answered ? messages.back() : std::string());
            co_return co_await std::move(answering);
        }
        std::string text;
        for (std::size_t i = 0; i < messages.size(); ++i) {
            if (stream.number) text += "id: " + event_id(stream.number, reader.next - messages.size() + i + 1) + "\n";
            text += "event: message\ndata: " + messages[i] + "\n\n";
        }
        if (messages.empty() && !ended && !std::exchange(is_time, false)) continue;
        if (messages.empty() && !ended) text = ": still at work\n\n";
        if (!stream.begun) co_await begin_stream(stream, first);
        co_await exchange.write(std::move(text));
        if (ended) break;
    }
    co_await exchange.end();
}
/// Sends the rest of a broken stream for a Last-Event-ID. Else opens a stream for messages of the server itself, which
/// stays empty until the session ends.
awaitable<void> HttpService::get(net::HttpExchange& exchange, std::string principal) {
    const auto& request = exchange.request();
    if (!accepts(request, stream_type))
        return refuse(exchange, 406, rpc::code::no_request, "Accept has to name text/event-stream");
    auto session = session_of(request, principal);
    const auto last = find_header(request.headers, "Last-Event-ID");
    if (last.empty()) return listen(exchange, std::move(session));
    if (const auto place = read_place(last))
        for (const auto& [number, box] : session->streams)
            if (number == place->stream && box->has(place->next)) {
                ResponseStream stream{.exchange = exchange, .box = box, .number = number};
                stream.reader.next = place->next;
                exchange.when_leaving([signal = stream.reader.signal] { signal.ring(); });
                return send(std::move(stream));
            }
    return refuse(exchange, 404, rpc::code::no_request, "the messages after this Last-Event-ID are no longer kept");
}
awaitable<void> HttpService::listen(net::HttpExchange& exchange, std::shared_ptr<McpSession> session) {
    const Signal signal;
    session->ended.ring();  // an older stream of this kind ends
    session->ended = signal;
    bool is_time = true;
    const auto alarm = runtime_.clock->make_alarm(runtime_.executor, [&is_time, signal] {
        is_time = true;
        signal.ring();
    });
    exchange.when_leaving([signal] { signal.ring(); });
    auto all = headers(exchange.request(), stream_type);
    all.push_back({"X-Accel-Buffering", "no"});
    co_await exchange.begin(200, std::move(all));
    while (!session->is_gone && session->ended == signal && !exchange.stopping() && !exchange.client_has_gone()) {
        if (std::exchange(is_time, false)) {
            session->used = runtime_.clock->now();
            auto writing = exchange.write(": nothing new\n\n");
            co_await std::move(writing);
            alarm->set(runtime_.clock->after(between_comments));
        }
        co_await signal.wait();
    }
    co_await exchange.end();
}
awaitable<void> HttpService::remove(net::HttpExchange& exchange, std::string principal) {
    sessions_.close(session_of(exchange.request(), principal));
    return reply(exchange, 204, "");
}
}
