// Each connection is a coroutine of Asio. It parses head and body by Beast, and chooses the answer by the target; an
// event is a chunk made by Beast.
#include "tests/bench/measure.hpp"
#include "tests/bench/serve.hpp"
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>

namespace bench {
namespace {
namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::use_awaitable;
using asio::ip::tcp;

constexpr const char* handler =
    R"({"completed_at":"2026-11-22T16:12:28.985945+00:00","error":null,"handler_id":"N660gJlOQk","result":{)"
    R"("qualified_name":"GreetingEvent","type":"GreetingEvent","types":["StopEvent"],)"
    R"("value":{"text":"Hello, World!"}},)"
    R"("run_id":"Y2ZmflsNRA","started_at":"2026-11-22T16:12:28.985533+00:00","status":"completed",)"
    R"("updated_at":"2026-11-22T16:12:28.985945+00:00","workflow_name":"hello"})";

asio::awaitable<void> answer(tcp::socket& socket, const http::request<http::string_body>& request, std::string body) {
    http::response<http::string_body> response(http::status::ok, request.version());
    response.set(http::field::content_type, "application/json");
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Referrer-Policy", "no-referrer");
    response.set(http::field::date, "Sun, 22 Nov 2026 16:12:28 GMT");
    response.body() = std::move(body);
    response.prepare_payload();
    co_await http::async_write(socket, response, use_awaitable);
}
asio::awaitable<void> stream(tcp::socket& socket, long events) {
    http::response<http::empty_body> response(http::status::ok, 11);
    response.set(http::field::content_type, "text/event-stream");
    response.set(http::field::cache_control, "no-store");
    response.chunked(true);
    http::response_serializer<http::empty_body> serializer(response);
    co_await http::async_write_header(socket, serializer, use_awaitable);
    asio::steady_timer begin(socket.get_executor(), std::chrono::milliseconds(50));
    co_await begin.async_wait(use_awaitable);
    for (long i = 0; i < events; ++i) {
        std::string text = "id: " + std::to_string(i) + "\ndata: {\"value\":{\"text\":\"" + std::string(token) +
                           "\"},\"qualified_name\":\"TokenEvent\",\"type\":\"TokenEvent\",\"types\":null}\n\n";
        co_await asio::async_write(socket, http::make_chunk(asio::buffer(text)), use_awaitable);
    }
    co_await asio::async_write(socket, http::make_chunk_last(), use_awaitable);
}
asio::awaitable<void> serve(tcp::socket socket, long& events) {
    socket.set_option(tcp::no_delay(true));
    boost::beast::flat_buffer buffer;
    try {
        for (;;) {
            http::request<http::string_body> request;
            co_await http::async_read(socket, buffer, request, use_awaitable);
            if (request.method() == http::verb::get) {
                co_await stream(socket, events);
                continue;
            }
            if (request.target().find("counting") != boost::beast::string_view::npos)
                events = std::stol(request.body().substr(request.body().rfind(':') + 1));
            co_await answer(socket, request, handler);
        }
    } catch (const boost::system::system_error&) {}  // the client has closed the connection
}
asio::awaitable<void> accept_all(tcp::acceptor& acceptor, long& events) {
    for (;;) {
        auto socket = co_await acceptor.async_accept(use_awaitable);
        asio::co_spawn(acceptor.get_executor(), serve(std::move(socket), events), asio::detached);
    }
}
}

int serve_beast() {
    asio::io_context io{1};
    tcp::acceptor acceptor(io, {asio::ip::address_v4::loopback(), 0});
    std::printf("%d\n", int(acceptor.local_endpoint().port()));
    std::fflush(stdout);
    long events = 0;
    asio::co_spawn(io, accept_all(acceptor, events), asio::detached);
    io.run();
    return 0;
}
}
