// A server with a store: its runs are present again after a restart.
#include "engine/describe.hpp"
#include "engine/durable.hpp"
#include "engine/net/http_client.hpp"
#include "engine/store/sqlite_store.hpp"
#include "workflows/server/server.hpp"
#include <filesystem>
#include <iostream>
#include <thread>
#include <unistd.h>
using namespace weft;

struct OrderEvent : StartEvent {
    std::string item;
    int count = 1;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (item, count))
struct SentEvent : StopEvent {
    int boxes = 0;
};
BOOST_DESCRIBE_STRUCT(SentEvent, (), (boxes))
SentEvent pack(Context&, OrderEvent order) { return {.boxes = order.count}; }
inline constexpr auto parcels = workflow("parcels", step<pack>);

awaitable<void> ask(net::HttpRequest request) {
    net::HttpClient client;
    const auto answer = co_await client.send(request);
    const auto handler = nlohmann::json::parse(answer.body);
    std::cout << request.method << ' ' << handler["status"] << ' ' << handler["result"]["value"] << '\n';
}
void serve_and_ask(const char* method, const char* path, std::string body) {
    // [stored]
    SqliteStore store("orders.db");
    Engine engine({.store = &store});
    std::vector<server::ServedWorkflow> workflows{server::offer(engine, durable(parcels))};
    server::Server server(engine, std::move(workflows), {.port = 0, .store = &store});
    // [/stored]
    server.listen();
    std::jthread serving([&server] { server.run(); });
    net::HttpRequest request{.method = method, .url = net::parse_url(server.url()) / path};
    request.headers = {{"Content-Type", "application/json"}};
    request.body = std::move(body);
    engine.wait(ask(std::move(request)));
    server.stop();
}

int main() {
    const auto folder = std::filesystem::temp_directory_path() / ("parcels." + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    std::filesystem::current_path(folder);
    serve_and_ask("POST", "workflows/parcels/run",
                  R"({"handler_id": "order-7", "start_event": {"item": "tea", "count": 2}})");
    serve_and_ask("GET", "handlers/order-7", "");
    std::filesystem::current_path(folder.parent_path());
    std::filesystem::remove_all(folder);
}
// prints:
// POST "completed" {"boxes":2}
// GET "completed" {"boxes":2}
