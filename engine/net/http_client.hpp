// An HTTP/1.1 client for services: verified TLS, kept connections, bounds on everything.
//
//     HttpClient client;
//     HttpRequest request{.method = "POST", .url = parse_url("https://host/path"), .body = text};
//     auto response = co_await client.send(request);                       // the whole body
//     auto stream = co_await client.open(request);                         // or piece by piece:
//     for (;;) {
//         auto piece = co_await stream.read();
//         if (piece.empty()) break;
//     }
//
// One client serves all loops at once. Connections belong to the loop that opened them, and are closed with it. A
// host's addresses are tried in parallel, a quarter of a second apart. A kept connection that is found dead before the
// first byte of the response is replaced once, silently. Redirects are returned like other responses, not followed.
// Compressed responses (gzip, deflate) are unpacked, and limits apply to the unpacked size. Errors are NetErrors whose
// sentences name place and cause, but never contain a header or body. Cancellation closes the socket immediately.
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
/// A header line of a request or response.
struct HttpHeader {
    std::string name,  // in any case: find_header() ignores it
        value;         // without blanks around it; a control character in a request is Error{configuration}
};
using HttpHeaders = std::vector<HttpHeader>;  // in the order of the message; a name may occur several times
/// Returns the first header of that name, in any case; empty if it is missing.
std::string_view find_header(const HttpHeaders&, std::string_view name);

struct HttpTimeouts {  // measured by the loop's clock
    /// From the call to a usable connection: the wait for a free one, look-up, proxy and TLS.
    std::chrono::nanoseconds connect = std::chrono::seconds(5);
    std::chrono::nanoseconds first_byte = std::chrono::seconds(60);  // each: sending, its answer's begin, its body's
    std::chrono::nanoseconds idle = std::chrono::seconds(30);        // between bytes; comments of an event stream count
    std::chrono::nanoseconds total = std::chrono::minutes(10);       // from the call to the end of the body
    /// A request fails if its body brings fewer bytes than this within a window of waiting, because a very slow body
    /// never reaches the idle limit. The number is small because comments of an event stream have few bytes: two bytes
    /// each half minute suffice.
    std::size_t least_bytes = 8;
    std::chrono::nanoseconds window = std::chrono::minutes(2);  // counts only the time of waits for the body
};
/// Maximum bytes of a response; a longer one is a NetError.
struct HttpLimits {
    std::size_t header = 64 << 10,  // status line and headers
        body = 16 << 20,            // unpacked body of send()
        stream = 64 << 20;          // unpacked body of open()
};
/// The part that many requests have in common: method, URL and headers, checked and written once. Immutable.
struct RequestHead;
struct HttpRequest {
    std::string method = "GET";
    Url url = {};
    HttpHeaders headers = {};                      // Host, Content-Length and similar ones are added
    std::shared_ptr<const RequestHead> head = {};  // replaces method and URL, and has further headers; may be null
    std::string body = {};
    HttpTimeouts timeouts = {};  // of this request
    HttpLimits limits = {};
    bool once = false;  // never sent again: a dead kept connection is an error
};
/// A whole response. A status such as 404 is a response, not an exception.
struct HttpResponse {
    unsigned status = 0;  // such as 200 or 404
    HttpHeaders headers;  // as received
    std::string body;
};

/// A response whose body is still arriving. Its destructor closes the connection.
class HttpStream {
public:
    struct State;
    explicit HttpStream(std::unique_ptr<State>);
    HttpStream(HttpStream&&) noexcept;
    HttpStream& operator=(HttpStream&&) noexcept;
    ~HttpStream();
    unsigned status() const;             // such as 200 or 404
    const HttpHeaders& headers() const;  // as received; valid as long as the stream
    /// Returns the next bytes, valid until the next read; empty at the end. Throws if the body ends too early.
    awaitable<std::string_view> read();
    /// Returns the rest of the body, at most `limit` bytes, for error pages of any length.
    awaitable<std::string> read_up_to(std::size_t limit);
    /// Keeps the connection if the end is near, else closes it, for readers that need no more. Throws only if
    /// cancelled.
    awaitable<void> drain();

private:
    std::unique_ptr<State> state_;
};

/// Called with each address of the host before a connection is opened; an exception ends the request. The client
/// connects only to checked addresses, so a name that resolves differently later does not evade the check (DNS
/// rebinding). Thread-safe.
using AddressCheck = std::function<void(const boost::asio::ip::address&)>;

/// Returns the addresses of a name, in place of the system's look-up: for tests and pinned names. Thread-safe.
using Resolve = std::function<std::vector<boost::asio::ip::address>(const std::string& host)>;

/// Maximum numbers of connections of a client.
struct PoolLimits {
    std::size_t open_of_server = 1000;  // per loop; further requests wait in order
    std::size_t idle_of_server = 512,   // kept connections per loop, for one server
        idle = 1024;                    // kept connections per loop, for all servers
};
/// The options of a client, fixed for its life.
struct HttpClientOptions {
    AddressCheck check = {};     // set: no proxy is used, because a proxy would look up names without the check
    ProxySettings proxies = {};  // empty: no proxy
    PoolLimits pool = {};        // limits of open and of kept connections
    Resolve resolve = {};        // empty: the system's look-up
};

class HttpClient {
public:
    HttpClient() : HttpClient(HttpClientOptions()) {}
    explicit HttpClient(HttpClientOptions);
    explicit HttpClient(AddressCheck check) : HttpClient(HttpClientOptions{std::move(check), {}, {}, {}}) {}
    ~HttpClient();
    HttpClient(const HttpClient&) = delete;
    /// Throws Error{configuration} for a header with a control character.
    static std::shared_ptr<const RequestHead> write_head(std::string method, Url, const HttpHeaders&);
    /// The request must outlive both calls.
    awaitable<HttpStream> open(const HttpRequest&);
    awaitable<HttpResponse> send(const HttpRequest&);
    /// Reads the trusted certificates now, at start-up; else the first https request does it on its loop.
    void trust();

private:
    struct Impl;
    awaitable<HttpStream> open(const HttpRequest&, std::size_t limit);
    std::unique_ptr<Impl> impl_;
};
}
