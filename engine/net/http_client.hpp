// An HTTP/1.1 client for talking to services: TLS always verified, connections kept, everything bounded.
//
//     HttpClient client;
//     HttpRequest request{.method = "POST", .url = parse_url("https://host/path"), .body = text};
//     auto response = co_await client.send(request);                       // the whole body
//     auto stream = co_await client.open(request);                         // or as it comes:
//     for (;;) {
//         auto piece = co_await stream.read();
//         if (piece.empty()) break;
//     }
//
// One client serves all loops at once. Connections belong to the loop that opened them, and are closed with it. A
// host's addresses are tried in parallel, a quarter of a second apart. A kept connection that turns out to be dead,
// before a byte of the response, is replaced once, silently. Redirects are not followed: they are returned like other
// responses. Responses may be compressed (gzip, deflate); they are unpacked, and limits apply to the unpacked size.
// Errors are NetErrors that say what and where; their sentences never contain a header or body. Cancellation closes the
// socket at once.
#pragma once
#include "engine/awaitable.hpp"
#include "engine/net/proxy.hpp"
#include "engine/net/url.hpp"
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace boost::asio::ip {
class address;
}
namespace weft::net {
struct HttpHeader {
    std::string name, value;
};
using HttpHeaders = std::vector<HttpHeader>;
/// The first of that name, in any case; empty if there is none.
std::string_view find_header(const HttpHeaders&, std::string_view name);

struct HttpTimeouts {  // by the clock of the loop
    // Waiting for a free connection, look-up, proxy and TLS included.
    std::chrono::nanoseconds connect = std::chrono::seconds(5);
    std::chrono::nanoseconds first_byte = std::chrono::seconds(60);
    std::chrono::nanoseconds idle = std::chrono::seconds(30);  // between bytes: comments of an event stream count
    std::chrono::nanoseconds total = std::chrono::minutes(10);
    // If a body brings fewer bytes than this within a window of waiting, the request fails, because a very slow body
    // never reaches the idle limit. The number is small, because keep-alive comments of an event stream are few bytes
    // too: two bytes each half minute pass.
    std::size_t least_bytes = 8;
    std::chrono::nanoseconds window = std::chrono::minutes(2);
};
struct HttpLimits {
    std::size_t header = 64 << 10, body = 16 << 20, stream = 64 << 20;
};
struct HttpRequest {
    std::string method = "GET";
    Url url;
    HttpHeaders headers;  // Host, Content-Length and the like are added
    std::string body;
    HttpTimeouts timeouts;
    HttpLimits limits;
    bool once = false;  // never sent a second time: a kept connection that turns out to be dead is an error
};
struct HttpResponse {
    unsigned status = 0;
    HttpHeaders headers;
    std::string body;
};

/// A response whose body is still arriving. Destroying it closes the connection.
class HttpStream {
public:
    struct State;
    explicit HttpStream(std::unique_ptr<State>);
    HttpStream(HttpStream&&) noexcept;
    HttpStream& operator=(HttpStream&&) noexcept;
    ~HttpStream();
    unsigned status() const;
    const HttpHeaders& headers() const;
    /// The next bytes, valid until the next read; empty once all has come. A body that ends too early throws.
    awaitable<std::string_view> read();
    /// The rest of the body, at most `limit` bytes: for an error page of any length.
    awaitable<std::string> read_up_to(std::size_t limit);
    /// For readers that need no more: if the end is near, the connection is kept, else closed. Throws only when
    /// cancelled.
    awaitable<void> drain();

private:
    std::unique_ptr<State> state_;
};

/// Called before a connection is opened, with each address of the host; an exception ends the request. The client
/// connects to exactly the checked addresses, so a name that later resolves differently does not get around the check
/// (DNS rebinding). Thread-safe.
using AddressCheck = std::function<void(const boost::asio::ip::address&)>;

/// The addresses of a name, instead of asking the system: for tests, and for names that are pinned. Thread-safe.
using Resolve = std::function<std::vector<boost::asio::ip::address>(const std::string& host)>;

struct PoolLimits {
    std::size_t open_of_server = 1000;  // at once, of one loop; further requests wait, first come, first served
    std::size_t idle_of_server = 512, idle = 1024;  // kept for further requests, of one loop: per server, of all
};
struct HttpClientOptions {
    AddressCheck check;     // with one, no proxy is used: a proxy would look up names where nobody checks
    ProxySettings proxies;  // none unless given
    PoolLimits pool;
    Resolve resolve;
};

class HttpClient {
public:
    HttpClient() : HttpClient(HttpClientOptions()) {}
    explicit HttpClient(HttpClientOptions);
    explicit HttpClient(AddressCheck check) : HttpClient(HttpClientOptions{.check = std::move(check)}) {}
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    /// The request outlives both calls.
    awaitable<HttpStream> open(const HttpRequest&);
    awaitable<HttpResponse> send(const HttpRequest&);
    /// Reads the trusted certificates now, at start-up; otherwise the first https request does that on its loop.
    void trust();

private:
    struct Impl;
    awaitable<HttpStream> open(const HttpRequest&, std::size_t limit);
    std::unique_ptr<Impl> impl_;
};
}
