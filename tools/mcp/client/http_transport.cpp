// Requests, one POST each. Detached coroutines keep all that they need in the core, which they hold.
#include "tools/mcp/client/http_transport.hpp"
#include "engine/net/net_error.hpp"
#include "engine/spawn.hpp"
#include "engine/timeout.hpp"
#include "tools/mcp/client/http_core.hpp"
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

namespace weft::tools::mcp {
namespace {
constexpr Duration patience_of_farewell = std::chrono::seconds(5), patience_for_the_stream = std::chrono::seconds(1);
awaitable<void> rung(Signal signal) { co_await signal.wait(); }
awaitable<void> drained(net::HttpStream stream) { co_await stream.drain(); }
}

awaitable<Response> HttpCore::request(Request request, SendOptions sending) {
    if (!listener) throw TransportError(TransportFailure::ended, who() + " is closed");
    runtime_ = *co_await this_runtime();
    const auto id = request.id;
    // For a modern request, closing the stream is the cancellation.
    const bool tells = find_meta(request.params, meta::version) == nullptr && !sending.quiet;
    struct Place {  // lets close() end the request
        const std::shared_ptr<HttpCore> core;
        std::shared_ptr<OpenExchange> exchange = std::make_shared<OpenExchange>();
        explicit Place(std::shared_ptr<HttpCore> c) : core(std::move(c)) { core->open_.push_back(exchange); }
        ~Place() { std::erase(core->open_, exchange); }
    };
    const Place place(shared_from_this());
    const auto open = place.exchange;
    auto exchanging = exchange(std::move(request), std::move(sending), open);
    auto answering = core::until_withdrawn(open->stop, std::move(exchanging));
    try {
        co_return co_await std::move(answering);
    } catch (const net::NetError& error) { broken(error); } catch (const boost::system::system_error& error) {
        if (error.code() != asio::error::operation_aborted) throw;
        if (!open->stopped) {  // the caller is cancelled
            if (open->sent && tells && listener) tell_cancelled(id);
            throw;
        }
    }
    throw TransportError(TransportFailure::ended, who() + " was closed");
}
void HttpCore::stop_exchanges() {
    const auto all = open_;
    for (const auto& each : all) {
        each->stopped = true;
        each->stop.cancel();
    }
}
awaitable<Response> HttpCore::exchange(Request request, SendOptions sending, std::shared_ptr<OpenExchange> open) {
    if (!listener) throw TransportError(TransportFailure::ended, who() + " is closed");
    const bool modern = find_meta(request.params, meta::version) != nullptr;
    const auto session = modern || request.method == method::initialize ? std::string() : session_;
    if (request.method == method::initialize) session_.clear();
    const auto http = head_of(request, sending);
    open->sent = true;
    auto stream = co_await client_->open(http);
    const auto status = stream.status();
    if (request.method == method::initialize && status < 300) take_session(stream.headers());
    if (status >= 200 && status < 300 && media_type(stream.headers()) == "text/event-stream") {
        Resumption resumption;
        resumption.session = session;
        auto response = co_await follow(stream, &request.id, resumption);
        if (response) {
            spawn(*runtime_, drained(std::move(stream)), asio::detached);  // keeps the connection: the end comes soon
            co_return std::move(*response);
        }
        if (modern || resumption.last_id.empty())
            throw TransportError(TransportFailure::ended, who() + " ended its answer before the result");
        co_return co_await resume(request.id, std::move(resumption));
    }
    const auto body = co_await body_of(stream);
    if (!session.empty() && denies_session(status, body))
        lose_session(session,
                     " refused the session with the HTTP status " + std::to_string(status) + ": " + shown(body));
    const bool lost = is_gone(status) && !session.empty();
    if (status != 401 && status != 403 && !lost)
        if (auto response = answer_in(body, request.id, status)) co_return std::move(*response);
    if (request.method == method::initialize && status >= 400 && status != 401 && status != 403 && status < 500) {
        const bool is_old = co_await is_of_the_first_revision();
        if (is_old)
            unusable("speaks the older HTTP+SSE of MCP 2024-11-05, which weft does not speak: ask for its address of "
                     "streamable HTTP, which often ends with /mcp");
    }
    if (status < 200 || status >= 300) refuse(status, stream.headers(), body, session);
    if (body.size() > options.limits.bytes) unusable("sent an answer that is too large");
    unusable("sent an answer that is not a message of MCP: " + (body.empty() ? "nothing" : shown(body)));
}
awaitable<void> HttpCore::post(RpcMessage message, std::string version) {
    if (!listener) throw TransportError(TransportFailure::ended, who() + " is closed");
    auto http = head("POST", version, true);
    http.headers.push_back({"Content-Type", "application/json"});
    http.headers.push_back({"Accept", "application/json, text/event-stream"});
    http.body = write(message);
    const auto session = session_;
    try {
        auto stream = co_await client_->open(http);
        if (stream.status() >= 200 && stream.status() < 300) {
            co_await stream.drain();
            co_return;
        }
        const auto body = co_await body_of(stream);
        refuse(stream.status(), stream.headers(), body, session);
    } catch (const net::NetError& error) { broken(error); }
}
void HttpCore::tell_cancelled(const Id& id) {
    auto tell = [](std::shared_ptr<HttpCore> self, Notification told) -> awaitable<void> {
        auto posting = self->post(std::move(told), self->agreed);
        co_await with_timeout(patience_of_farewell, std::move(posting));
    };
    Notification told{std::string(method::cancelled)};
    std::visit([&](const auto& it) { told.params["requestId"] = it; }, id);
    told.params["reason"] = "the caller has given it up";
    spawn(*runtime_, tell(shared_from_this(), std::move(told)), [](std::exception_ptr) {});
}
awaitable<void> HttpCore::begin_session() {
    runtime_ = *co_await this_runtime();
    if (hearing_ || agreed == revision::modern) co_return;
    hearing_ = true;
    hears_ = Signal();
    auto hear_all = [](std::shared_ptr<HttpCore> self) -> awaitable<void> { co_await self->hear(); };
    spawn(*runtime_, hear_all(shared_from_this()),
          asio::bind_cancellation_slot(stop_hearing_.slot(), [self = shared_from_this()](std::exception_ptr) {
              self->hearing_ = self->hears_itself_ = false;
              self->hears_.ring();
          }));
    // A question that the server asks before the stream is open would be lost.
    auto opening = rung(hears_);
    try {
        co_await with_timeout(patience_for_the_stream, std::move(opening));
    } catch (const Error& error) {
        if (error.code() != Code::timed_out) throw;  // some servers send the head of a stream with its first event
    }
}
awaitable<void> HttpCore::close() {
    if (!listener) co_return;
    abandon();
    if (session_.empty()) co_return;
    const auto http = head("DELETE", agreed, true);
    session_.clear();
    agreed.clear();
    auto saying = client_->send(http);
    try {
        co_await with_timeout(patience_of_farewell, std::move(saying));
    } catch (const Error&) {}  // 405 or silence: the server will drop the session by itself
}

void HttpCore::abandon() {
    listener = nullptr;
    stop_exchanges();
    if (hearing_) stop_hearing_.emit(asio::cancellation_type::terminal);
}

HttpTransport::HttpTransport(HttpTransportOptions options) : core_(std::make_shared<HttpCore>(std::move(options))) {}
HttpTransport::~HttpTransport() { core_->abandon(); }
const std::string& HttpTransport::server() const { return core_->options.server; }
awaitable<void> HttpTransport::open(TransportListener& listener, bool) {
    core_->listener = &listener;
    core_->agreed.clear();
    co_return;
}
bool HttpTransport::is_open() const { return core_->listener != nullptr; }
bool HttpTransport::hears() const { return core_->hears(); }
void HttpTransport::agree(std::string_view version) { core_->agreed = version; }
awaitable<Response> HttpTransport::request(Request request, SendOptions sending) {
    return core_->request(std::move(request), std::move(sending));
}
awaitable<void> HttpTransport::notify(Notification notification) {
    const bool begins = notification.method == method::initialized;
    auto posting = core_->post(std::move(notification), core_->agreed);
    co_await std::move(posting);
    if (!begins) co_return;
    co_await core_->begin_session();
}
awaitable<void> HttpTransport::answer(Response response) { return core_->post(std::move(response), core_->agreed); }
awaitable<void> HttpTransport::close() { return core_->close(); }
}
