#include "engine/net/http_client.hpp"
#include "engine/net/connection.hpp"
#include "engine/net/idle_connections.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/response_parser.hpp"
#include "engine/net/tls.hpp"
#include "engine/timeout.hpp"
#include <algorithm>
#include <atomic>
#include <boost/asio/ssl/error.hpp>
#include <cstdio>
#include <mutex>

namespace weft::net {
namespace {
using boost::system::error_code;
using boost::system::system_error;

bool same_name(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? char(c | 0x20) : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}
void refuse_controls(const std::string& text, const char* what) {
    if (std::any_of(text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7F; }))
        throw Error(Code::configuration, std::string("a request cannot be sent: ") + what +
                                             " has a line break or another control character in it");
}
std::string head_of(const HttpRequest& request) {
    std::string text = request.method + " " + request.url.target + " HTTP/1.1\r\nHost: " + request.url.authority() +
                       "\r\nUser-Agent: weft\r\nAccept-Encoding: identity\r\n";
    for (const auto& header : request.headers) {
        refuse_controls(header.name, "the name of a header");
        refuse_controls(header.value, ("the header " + header.name).c_str());
        text += header.name + ": " + header.value + "\r\n";
    }
    if (!request.body.empty() || request.method == "POST")
        text += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    return text + "\r\n";
}
std::string in_seconds(Duration d) {
    char text[32];
    std::snprintf(text, sizeof text, "%g s", std::chrono::duration<double>(d).count());
    return text;
}
std::string late(Phase phase, const std::string& origin, Duration limit) {
    const auto time = in_seconds(limit);
    switch (phase) {
    case Phase::first_byte: return origin + " did not begin to answer within " + time;
    case Phase::idle: return origin + " fell silent in the middle of its answer for " + time;
    default: return origin + " did not finish its answer within " + time;
    }
}
}

struct HttpClient::Impl {
    const AddressCheck check;
    const std::uint64_t id = [] {
        static std::atomic<std::uint64_t> last{0};
        return ++last;
    }();
    std::mutex mutex;
    std::unique_ptr<asio::ssl::context> tls;
    asio::ssl::context* tls_for(const Url& url) {
        if (!url.tls) return nullptr;
        std::lock_guard lock(mutex);
        if (!tls) tls = std::make_unique<asio::ssl::context>(make_client_tls());
        return tls.get();
    }
};

struct HttpStream::State {
    State(const HttpRequest& request, std::uint64_t client, Clock& c)
        : owner{client, request.url.origin()},
          timeouts(request.timeouts),
          clock(&c),
          deadline(c.after(request.timeouts.total)),
          parser(request.limits.header, request.limits.stream) {}
    ~State() {
        if (connection) connection->close();
    }
    // Waits no longer than the phase may take, nor beyond the deadline of the whole.
    template <class T> awaitable<T> within(Phase phase, awaitable<T> work) {
        const Duration usual = phase == Phase::first_byte ? timeouts.first_byte : timeouts.idle;
        const Duration left = std::max<Duration>(deadline - clock->now(), Duration::zero());
        const bool last = left < usual;
        try {
            co_return co_await with_timeout(last ? left : usual, std::move(work));
        } catch (const Error& error) {
            if (error.code() != Code::timed_out) throw;
        }
        throw NetError(Failure::timed_out,
                       late(last ? Phase::total : phase, owner.origin, last ? Duration(timeouts.total) : usual),
                       last ? Phase::total : phase);
    }
    awaitable<bool> write(std::string text) {
        try {
            co_await connection->write(std::move(text));
            co_return true;
        } catch (const system_error& error) {
            if (error.code() == asio::error::operation_aborted) throw;
        }
        co_return false;  // perhaps it has answered before it hung up
    }
    // Reads once; false at the end of the stream.
    awaitable<bool> fill(Phase phase) {
        std::string_view bytes;
        try {
            auto work = connection->read();
            bytes = co_await within(phase, std::move(work));
        } catch (const system_error& error) {
            if (error.code() == asio::error::operation_aborted) throw;
            if (!parser.started())
                throw NetError(Failure::reset, owner.origin + " closed the connection without an answer");
            const bool cut = error.code() == asio::ssl::error::stream_truncated;
            throw NetError(cut ? Failure::truncated : Failure::reset,
                           owner.origin + " broke off its answer: " + error.code().message());
        }
        if (bytes.empty()) {
            if (!parser.started())
                throw NetError(Failure::reset, owner.origin + " closed the connection without an answer");
            parser.finish();
            co_return false;
        }
        parser.feed(bytes, body);
        co_return true;
    }
    void settle() {  // all has come
        if (!connection) return;
        if (parser.may_keep_alive()) IdleConnections::keep(std::move(connection), owner, clock->now());
        else connection->close();
        connection.reset();
    }

    IdleConnections::Owner owner;
    HttpTimeouts timeouts;
    Clock* clock;
    Clock::Time deadline;
    ResponseParser parser;
    std::shared_ptr<Connection> connection;
    std::string body, piece;  // what has come; what the reader looks at
};

std::string_view find_header(const HttpHeaders& headers, std::string_view name) {
    for (const auto& header : headers)
        if (same_name(header.name, name)) return header.value;
    return {};
}

HttpStream::HttpStream(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpStream::HttpStream(HttpStream&&) noexcept = default;
HttpStream& HttpStream::operator=(HttpStream&&) noexcept = default;
HttpStream::~HttpStream() = default;
unsigned HttpStream::status() const { return state_->parser.status(); }
const HttpHeaders& HttpStream::headers() const { return state_->parser.headers(); }

awaitable<std::string_view> HttpStream::read() {
    State& state = *state_;
    while (state.body.empty() && !state.parser.done()) {
        auto more = state.fill(Phase::idle);
        co_await std::move(more);
    }
    if (state.parser.done()) state.settle();
    state.piece.swap(state.body);
    state.body.clear();
    co_return std::string_view(state.piece);
}
awaitable<std::string> HttpStream::read_up_to(std::size_t limit) {
    std::string all;
    while (all.size() < limit) {
        auto reading = read();
        const auto piece = co_await std::move(reading);
        if (piece.empty()) break;
        all += piece.substr(0, limit - all.size());
    }
    co_return all;
}

awaitable<void> HttpStream::drain() {
    try {
        auto reading = read_up_to(4096);
        co_await with_timeout(std::chrono::milliseconds(50), std::move(reading));
    } catch (const Error&) {}
    if (state_->connection) state_->connection->close();
}

HttpClient::HttpClient(AddressCheck check) : impl_(new Impl{std::move(check)}) {}
HttpClient::~HttpClient() = default;
void HttpClient::trust() { impl_->tls_for(Url{.tls = true}); }

awaitable<HttpStream> HttpClient::open(const HttpRequest& request) {
    auto& clock = co_await this_clock();
    const auto& executor = co_await this_executor();
    const std::string head = head_of(request);
    auto* tls = impl_->tls_for(request.url);
    for (bool fresh = false;; fresh = true) {
        auto state = std::make_unique<HttpStream::State>(request, impl_->id, clock);
        if (!fresh) state->connection = IdleConnections::take(executor, state->owner, clock.now());
        const bool kept = state->connection != nullptr;
        if (!kept) {
            auto connecting = connect(request.url, tls, std::min(request.timeouts.connect, request.timeouts.total),
                                      impl_->check);
            state->connection = co_await std::move(connecting);
        }
        bool stale = false;
        try {
            auto writing = state->write(head + request.body);
            auto written = state->within(Phase::first_byte, std::move(writing));
            co_await std::move(written);
            while (!state->parser.has_header()) {
                auto more = state->fill(state->parser.started() ? Phase::idle : Phase::first_byte);
                co_await std::move(more);
            }
        } catch (const NetError& error) {
            stale = kept && error.failure() == Failure::reset && !state->parser.started();
            if (!stale) throw;
        }
        if (stale) continue;
        const auto encoding = find_header(state->parser.headers(), "Content-Encoding");
        if (!encoding.empty() && !same_name(encoding, "identity"))
            throw NetError(Failure::protocol,
                           state->owner.origin + " compressed its answer, though it was not asked to");
        co_return HttpStream(std::move(state));
    }
}
awaitable<HttpResponse> HttpClient::send(const HttpRequest& request) {
    HttpRequest bounded = request;
    bounded.limits.stream = request.limits.body;
    auto opening = open(bounded);
    auto stream = co_await std::move(opening);
    auto reading = stream.read_up_to(bounded.limits.stream + 1);
    HttpResponse response;
    response.body = co_await std::move(reading);
    response.status = stream.status();
    response.headers = stream.headers();
    co_return response;
}
}
