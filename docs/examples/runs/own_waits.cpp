// Steps that wait for an operation of Asio, for a request over HTTP, and for a blocking function.
#include "engine/asio.hpp"
#include "engine/engine.hpp"
#include "engine/net/http_client.hpp"
#include "engine/net/http_server.hpp"
#include "engine/pool.hpp"
#include "engine/spawn.hpp"
#include "engine/timeout.hpp"
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <iostream>
using namespace weft;

struct AddressEvent : StartEvent {
    std::string url;
};
struct RestedEvent {
    std::string url;
};
struct PageEvent {
    std::string text;
};
struct SizeEvent : StopEvent {
    std::size_t bytes = 0;
};

// [asio]
awaitable<RestedEvent> rest(Context&, AddressEvent address) {
    auto& executor = co_await this_executor();
    asio::steady_timer timer(executor, std::chrono::milliseconds(1));
    co_await timer.async_wait(asio::deferred);
    co_return RestedEvent{.url = address.url};
}
// [/asio]
// [http]
awaitable<PageEvent> fetch(Context&, RestedEvent rested, net::HttpClient& client) {
    const net::HttpRequest request{.url = net::parse_url(rested.url)};
    auto sending = client.send(request);
    auto response = co_await std::move(sending);
    if (response.status != 200) throw std::runtime_error("the server says " + std::to_string(response.status));
    co_return PageEvent{.text = std::move(response.body)};
}
// [/http]
// [blocks]
awaitable<SizeEvent> measure(Context&, PageEvent page, Pool& pool) {
    auto work = [text = std::move(page.text)](std::stop_token) { return text.size(); };
    auto measuring = pool.run(std::move(work));
    const auto bytes = co_await std::move(measuring);
    co_return SizeEvent{.bytes = bytes};
}
// [/blocks]
inline constexpr auto sizes = workflow("sizes", step<rest>, step<fetch>, step<measure>);

int main() {
    net::HttpServer server({}, [](net::HttpExchange& exchange) -> awaitable<void> {
        net::HttpReply reply{.body = "Hello\n"};
        auto responding = exchange.respond(std::move(reply));
        co_await std::move(responding);
    });
    net::HttpClient client;
    Pool pool;
    Engine engine;  // ends before the objects that its steps use
    server.listen(engine.first_runtime());
    spawn(engine.first_runtime(), server.run(), asio::detached);
    auto run = engine.start(sizes.with(client, pool), {.url = "http://127.0.0.1:" + std::to_string(server.port())});
    std::cout << engine.wait(run.result()).bytes << " bytes\n";
    server.stop({});
}
// prints:
// 6 bytes
