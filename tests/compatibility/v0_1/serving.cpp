// A workflow of one's own, served over HTTP by a few lines, and asked as a client asks it: run, then its events.
#include "engine/describe.hpp"
#include "engine/net/http_client.hpp"
#include "workflows/server/server.hpp"
#include <iostream>
#include <thread>
using namespace weft;

struct OrderEvent : StartEvent {
    std::string item;
    int count = 1;
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (item, count))
struct PackedEvent {
    std::string box;
};
BOOST_DESCRIBE_STRUCT(PackedEvent, (), (box))
struct SentEvent : StopEvent {
    int boxes = 0;
};
BOOST_DESCRIBE_STRUCT(SentEvent, (), (boxes))

SentEvent pack(Context& ctx, OrderEvent order) {
    for (int i = 0; i < order.count; ++i) ctx.stream(PackedEvent{order.item});
    return {.boxes = order.count};
}
inline constexpr auto parcels = workflow("parcels", step<pack>);

awaitable<void> ask(std::string url) {
    net::HttpClient client;
    net::HttpRequest begin{.method = "POST", .url = net::parse_url(url) / "workflows/parcels/run"};
    begin.headers = {{"Content-Type", "application/json"}};
    begin.body = R"({"handler_id": "order-7", "start_event": {"item": "tea", "count": 2}})";
    const auto ended = co_await client.send(begin);
    const auto handler = nlohmann::json::parse(ended.body);
    std::cout << ended.status << ' ' << handler["status"] << ' ' << handler["result"]["value"] << '\n';

    net::HttpRequest listen{.url = net::parse_url(url) / "events/order-7?include_qualified_name=false"};
    const auto events = co_await client.send(listen);
    std::cout << events.body;

    begin.body = R"({"start_event": {"item": 7}})";
    const auto refused = co_await client.send(begin);
    std::cout << refused.status << ' ' << refused.body << '\n';
}

int main() {
    // [serve]
    Engine engine;
    std::vector<server::ServedWorkflow> workflows{server::offer(engine, parcels, "packs what was ordered")};
    server::Server server(engine, std::move(workflows), {.port = 0});
    server.listen();
    std::jthread serving([&server] { server.run(); });
    // [/serve]
    engine.wait(ask(server.url()));
    server.stop();
}
// prints:
// 200 "completed" {"boxes":2}
// id: 0
// data: {"value":{"box":"tea"},"type":"PackedEvent","types":null}
//
// id: 1
// data: {"value":{"box":"tea"},"type":"PackedEvent","types":null}
//
// id: 2
// data: {"value":{"boxes":2},"type":"SentEvent","types":["StopEvent"]}
//
// 400 {"detail":"input.item: expected a string, got 7"}
