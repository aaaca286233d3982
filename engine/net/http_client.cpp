// The server may have closed a kept connection in the meantime. Then the request is sent again on a new one, but only
// before the first byte of an answer.
#include "engine/net/http_client.hpp"
#include "engine/net/http_stream.hpp"
#include "engine/net/net_error.hpp"
#include "engine/net/tls.hpp"
#include "engine/text/text.hpp"
#include "engine/timeout.hpp"
#include <algorithm>
#include <atomic>
#include <mutex>

namespace weft::net {
namespace {
bool has_controls(const std::string& text) {
    return std::any_of(text.begin(), text.end(), [](unsigned char c) { return (c < 0x20 && c != '\t') || c == 0x7F; });
}
[[noreturn]] void refuse_controls(const std::string& what) {
    throw Error(Code::configuration,
                "a request cannot be sent: " + what + " has a line break or another control character in it");
}
void write_headers(std::string& text, const HttpHeaders& headers) {
    for (const auto& header : headers) {
        if (has_controls(header.name)) refuse_controls("the name of a header");
        if (has_controls(header.value)) refuse_controls("the header " + header.name);
        (((text += header.name) += ": ") += header.value) += "\r\n";
    }
}
}

struct RequestHead {
    RequestHead(std::string m, Url u) : method(std::move(m)), url(std::move(u)), origin(url.origin()) {
        ((text += "Host: ") += url.authority()) += "\r\nUser-Agent: weft\r\nAccept-Encoding: gzip\r\n";
    }
    const std::string method;
    const Url url;
    const std::string origin;
    std::string text;  // the lines after the first
};
namespace {
std::string text_of(const RequestHead& head, const HttpRequest& request, const Proxy* proxy) {
    const bool through = proxy && !head.url.tls;  // else the proxy sees only TLS
    std::string text;
    text.reserve(512);
    ((text += head.method) += ' ') += through ? head.url.text() : head.url.target;
    (text += " HTTP/1.1\r\n") += head.text;
    if (through && !proxy->authorization.empty()) ((text += "Proxy-Authorization: ") += proxy->authorization) += "\r\n";
    write_headers(text, request.headers);
    if (!request.body.empty() || head.method == "POST")
        ((text += "Content-Length: ") += std::to_string(request.body.size())) += "\r\n";
    text += "\r\n";
    return text;
}
}

struct HttpClient::Impl {
    const HttpClientOptions options;
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
    /// Returns an idle connection or the right to open one.
    awaitable<ConnectionPool::ConnectionLease> lease(ConnectionPool::Owner owner, const std::string& origin,
                                                     Duration limit) {
        auto& clock = co_await this_clock();
        const auto& executor = co_await this_executor();
        auto lease = ConnectionPool::take(executor, owner, options.pool, clock.now());
        if (lease) co_return lease;
        auto waiting = ConnectionPool::wait(std::move(owner), options.pool);
        try {
            co_return co_await with_timeout(limit, std::move(waiting));
        } catch (const Error& error) {
            if (error.code() != Code::timed_out) throw;
        }
        throw NetError(Failure::timed_out,
                       "all " + std::to_string(options.pool.open_of_server) + " connections to " + origin +
                           " are busy, and none became free within " + in_seconds(limit),
                       TimeoutPhase::connect);
    }
};

std::string_view find_header(const HttpHeaders& headers, std::string_view name) {
    for (const auto& header : headers)
        if (equal_ignoring_case(header.name, name)) return header.value;
    return {};
}

HttpClient::HttpClient(HttpClientOptions options) : impl_(new Impl{std::move(options)}) {}
HttpClient::~HttpClient() = default;
void HttpClient::trust() { impl_->tls_for(Url{.tls = true}); }
std::shared_ptr<const RequestHead> HttpClient::write_head(std::string method, Url url, const HttpHeaders& headers) {
    auto head = std::make_shared<RequestHead>(std::move(method), std::move(url));
    write_headers(head->text, headers);
    return head;
}

awaitable<HttpStream> HttpClient::open(const HttpRequest& request, std::size_t limit) {
    const auto& options = impl_->options;
    const Runtime& runtime = *co_await this_runtime();
    const auto head = request.head ? request.head : write_head(request.method, request.url, {});
    const Url& url = head->url;
    const Proxy* proxy = options.check ? nullptr : options.proxies.find(url);
    const std::string text = text_of(*head, request, proxy);
    auto* tls = impl_->tls_for(url);
    const Duration patience = std::min(request.timeouts.connect, request.timeouts.total);
    const auto latest = runtime.clock->after(patience), deadline = runtime.clock->after(request.timeouts.total);
    // Requests that the proxy itself reads may share a connection, even for different servers.
    ConnectionPool::Owner owner{impl_->id, proxy && !tls ? proxy->url.origin() : head->origin};
    auto lease = co_await impl_->lease(std::move(owner), head->origin, patience);
    for (bool kept = lease.connection != nullptr;; kept = false) {
        if (!kept) {
            const ConnectRoute route{url, proxy, tls, options.resolve, options.check};
            const auto left = std::max<Duration>(latest - runtime.clock->now(), Duration::zero());
            lease.connection = co_await connect(route, left, patience);
        }
        auto state = std::make_unique<HttpStream::State>(head->origin, request, limit, std::move(lease), runtime,
                                                         deadline);
        bool stale = false;
        try {
            co_await state->write(text, request.body);
            while (!state->parser.has_header()) {
                co_await state->fill(state->parser.started() ? TimeoutPhase::idle : TimeoutPhase::first_byte);
            }
        } catch (const NetError& error) {
            stale = kept && !request.once && error.failure() == Failure::reset && !state->parser.started() &&
                    runtime.clock->now() < latest;  // later the server may have processed the request
            if (!stale) throw;
        }
        if (!stale) {
            if (proxy && !tls && state->parser.status() == 407)
                throw NetError(Failure::proxy_refused, proxy->wants_user());
            state->look_at_encoding();
            co_return HttpStream(std::move(state));
        }
        lease = std::move(state->lease);
        lease.connection->close();
    }
}
awaitable<HttpStream> HttpClient::open(const HttpRequest& request) { return open(request, request.limits.stream); }
awaitable<HttpResponse> HttpClient::send(const HttpRequest& request) {
    auto stream = co_await open(request, request.limits.body);
    HttpResponse response;
    response.body = co_await stream.read_up_to(request.limits.body + 1);
    response.status = stream.status();
    response.headers = stream.headers();
    co_return response;
}
}
