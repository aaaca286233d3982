// A connection returns to the pool when its answer is complete, not when the stream is destroyed.
#include "engine/net/http_stream.hpp"
#include "engine/net/net_error.hpp"
#include "engine/timeout.hpp"
#include <boost/asio/ssl/error.hpp>
#include <memory>
#include <span>

namespace weft::net {
using boost::system::system_error;
namespace {
/// The streams of a thread take bytes as soon as they arrive, so one buffer is enough for all of them.
std::span<char> incoming_of_thread() {
    constexpr std::size_t size = 16 << 10;
    thread_local const auto bytes = std::make_unique_for_overwrite<char[]>(size);
    return {bytes.get(), size};
}
}

HttpStream::State::State(std::string o, const HttpRequest& request, std::size_t l, ConnectionPool::ConnectionLease held,
                         const Runtime& runtime, Clock::Time deadline)
    : origin(std::move(o)),
      limit(l),
      lease(std::move(held)),
      watch(runtime, request.timeouts, deadline, [this] { lease.connection->cancel(); }),
      parser(request.limits.header, l) {}

awaitable<void> HttpStream::State::write(std::string head, std::string_view text) {
    watch.expect(TimeoutPhase::first_byte);
    try {
        co_await lease.connection->write(std::move(head), text);
    } catch (const system_error& error) {
        if (watch.late()) throw watch.error(origin);
        if (error.code() == asio::error::operation_aborted) throw;
    }
    watch.rest();
}
awaitable<void> HttpStream::State::fill(TimeoutPhase phase) {
    watch.expect(phase);
    std::string_view bytes;
    try {
        bytes = co_await lease.connection->read_into(incoming_of_thread(), true);
    } catch (const system_error& error) { fail(error); }
    watch.rest();
    take(bytes);
}
void HttpStream::State::fail(const system_error& error) {
    watch.rest();
    if (error.code() == asio::error::operation_aborted) {
        if (watch.late()) throw watch.error(origin);
        throw error;
    }
    if (!parser.started()) throw NetError(Failure::reset, origin + " closed the connection without an answer");
    const bool cut = error.code() == asio::ssl::error::stream_truncated;
    throw NetError(cut ? Failure::truncated : Failure::reset,
                   origin + " broke off its answer: " + error.code().message());
}
void HttpStream::State::take(std::string_view bytes) {
    if (bytes.empty()) {
        if (!parser.started()) throw NetError(Failure::reset, origin + " closed the connection without an answer");
        parser.finish();
    } else {
        if (watch.drips(bytes.size())) throw watch.drip_error(origin);
        packed_.clear();
        parser.feed(bytes, unpack ? packed_ : body);
        if (unpack) unpack->feed(packed_, body);
    }
    if (unpack && parser.done()) unpack->finish();
}
void HttpStream::State::look_at_encoding() {
    unpack = Gunzip::for_encoding(find_header(parser.headers(), "Content-Encoding"), limit);
    if (!unpack) return;
    packed_.swap(body);
    body.clear();
    unpack->feed(packed_, body);
    if (parser.done()) unpack->finish();
}
void HttpStream::State::settle() {
    if (!lease) return;
    watch.stop();
    if (parser.may_keep_alive()) lease.keep(watch.now());
    lease = {};
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
        co_await state.fill(state.body_begun ? TimeoutPhase::idle : TimeoutPhase::first_byte);
    }
    if (state.parser.done()) state.settle();
    state.body_begun = state.body_begun || !state.body.empty();
    state.piece.swap(state.body);
    state.body.clear();
    co_return std::string_view(state.piece);
}
awaitable<std::string> HttpStream::read_up_to(std::size_t limit) {
    std::string all;
    while (all.size() < limit) {
        const auto piece = co_await read();
        if (piece.empty()) break;
        all += piece.substr(0, limit - all.size());
    }
    co_return all;
}
awaitable<void> HttpStream::drain() {
    if (!state_->parser.done()) {
        try {
            auto reading = read_up_to(4096);
            co_await with_timeout(std::chrono::milliseconds(50), std::move(reading));
        } catch (const Error&) {}
    }
    if (state_->parser.done()) state_->settle();
    state_->lease = {};
}
}
