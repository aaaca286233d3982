// Event streams: the response to a request, a resumed response, and a legacy server's own messages.
#include "engine/net/net_error.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/http_core.hpp"
#include <algorithm>

namespace weft::tools::mcp {
namespace {
constexpr std::size_t longest_event_id = 1024;
// Milliseconds, the servers' unit, because values are bounded before their conversion.
constexpr std::chrono::milliseconds shortest_pause(100), longest_pause = std::chrono::seconds(60);

constexpr Duration patience_for_an_endpoint = std::chrono::seconds(3);

/// Whether a header can contain the id.
bool is_usable(std::string_view event_id) {
    return !event_id.empty() && event_id.size() <= longest_event_id &&
           std::ranges::none_of(event_id, [](unsigned char c) { return c < ' ' || c == 0x7F; });
}
}

std::optional<Response> HttpCore::take(std::string data, const Id* wanted) {
    if (data.empty()) return {};  // often the first event of a stream, which only gives an id to resume from
    auto read = read_message(data, options.limits);
    auto* message = std::get_if<RpcMessage>(&read);
    if (!message) {
        redactor_.clean(data);
        if (listener) listener->noise(data);
        return {};
    }
    redactor_.clean(*message);
    if (auto* response = std::get_if<Response>(message)) {
        if (wanted && answers(*response, *wanted)) return std::move(*response);
        return {};  // a response to another request, or a second one
    }
    if (!listener) return {};
    if (auto* request = std::get_if<Request>(message)) listener->asked(std::move(*request), wanted);
    else listener->noticed(std::move(std::get<Notification>(*message)), wanted);
    return {};
}
awaitable<std::optional<Response>> HttpCore::follow(net::HttpStream& stream, const Id* wanted, Resumption& resumption) {
    net::SseParser parser({.line = options.limits.bytes, .event = options.limits.bytes});
    std::optional<Response> found;
    const auto drain = [&] {
        while (auto event = parser.next()) {
            resumption.heard = true;
            if (!event->type.empty() && event->type != "message") continue;
            if (wanted && !resumption.session.empty() && denies_session(stream.status(), event->data))
                lose_session(resumption.session, " refused the session: " + shown(std::string(event->data)));
            found = take(std::string(event->data), wanted);
            if (found) break;
        }
        if (is_usable(parser.last_id())) resumption.last_id = parser.last_id();
        if (const auto retry = parser.retry()) resumption.pause = std::clamp(*retry, shortest_pause, longest_pause);
    };
    for (bool ended = false; !ended && !found;) {
        try {
            const auto bytes = co_await stream.read();
            ended = bytes.empty();
            if (ended) parser.finish();
            else parser.feed(bytes);
        } catch (const net::NetError& error) {
            const bool cut = error.failure() == net::Failure::reset || error.failure() == net::Failure::truncated;
            if (!cut) broken(error);
            ended = true;
        }
        drain();
    }
    co_return found;
}
awaitable<std::optional<net::HttpStream>> HttpCore::take_up(const Resumption& from) {
    auto request = head("GET", agreed, true);
    const auto session = session_;
    request.headers.push_back({"Accept", "text/event-stream"});
    if (!from.last_id.empty()) request.headers.push_back({"Last-Event-ID", from.last_id});
    request.limits.stream = std::size_t(1) << 40;
    std::optional<net::HttpStream> stream;
    try {
        stream = co_await client_->open(request);
    } catch (const net::NetError&) { co_return std::nullopt; }
    if (stream->status() >= 400 || stream->status() < 200 || stream->status() >= 300) {
        const bool hopeless = stream->status() >= 300 && stream->status() < 500;
        const auto body = co_await body_of(*stream);
        if (hopeless) refuse(stream->status(), stream->headers(), body, session);
        co_return std::nullopt;
    }
    if (media_type(stream->headers()) != "text/event-stream") unusable("opened no stream of events where it should");
    co_return stream;
}
awaitable<Response> HttpCore::resume(const Id& id, Resumption from) {
    for (int tries = 0; tries < options.resumptions; ++tries) {
        co_await sleep_for(from.pause);
        from.heard = false;
        std::optional<net::HttpStream> stream;
        try {
            stream = co_await take_up(from);
        } catch (const TransportError& error) {
            if (error.trouble() != TransportFailure::session_lost) throw;
            // The server has accepted the request, so the error must not allow to send it again.
            throw TransportError(TransportFailure::ended,
                                 who() + " broke off its answer, and has forgotten the session");
        }
        if (!stream) continue;
        auto response = co_await follow(*stream, &id, from);
        if (response) co_return std::move(*response);
        if (from.heard) tries = -1;
    }
    throw TransportError(TransportFailure::ended, who() + " broke off its answer, and did not continue it");
}
/// Detects a server of revision 2024-11-05: its first event names the address for messages.
awaitable<bool> HttpCore::begins_with_endpoint() {
    auto request = head("GET", {}, false);
    request.headers.push_back({"Accept", "text/event-stream"});
    auto stream = co_await client_->open(request);
    if (stream.status() != 200 || media_type(stream.headers()) != "text/event-stream") co_return false;
    net::SseParser parser({.line = longest_event_id, .event = longest_event_id});
    for (;;) {
        const auto bytes = co_await stream.read();
        if (bytes.empty()) co_return false;
        parser.feed(bytes);
        if (const auto event = parser.next()) co_return event->type == "endpoint";
    }
}
awaitable<bool> HttpCore::is_of_the_first_revision() {
    auto looking = begins_with_endpoint();
    try {
        co_return co_await with_timeout(patience_for_an_endpoint, std::move(looking));
    } catch (const Error&) { co_return false; }
}
awaitable<void> HttpCore::hear() {
    Resumption from;
    for (int tries = 0; tries < options.resumptions; ++tries) {
        from.heard = false;
        auto opening = take_up(from);  // 405: the server has no messages of its own
        auto stream = co_await std::move(opening);
        hears_.ring();
        if (stream) {
            if (from.last_id.empty() && listener) listener->missed();  // earlier messages are lost
            hears_itself_ = true;
            co_await follow(*stream, nullptr, from);
            if (from.heard) tries = -1;
            hears_itself_ = !from.last_id.empty();  // without an id the server will not repeat missed messages
        }
        co_await sleep_for(from.pause);
    }
}
}
