// A program that serves its workflow until Ctrl-C or SIGTERM.
// [program]
#include "engine/describe.hpp"
#include "workflows/server/server.hpp"
#include <boost/asio/signal_set.hpp>
#include <iostream>
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

int main() try {
    Engine engine;
    std::vector<server::ServedWorkflow> workflows{server::offer(engine, parcels, "packs what was ordered")};
    server::ServerOptions options{.port = 0};  // 0: a free port; default: 8080
    options.note = [](std::string_view sentence) { std::cerr << sentence << std::endl; };
    server::Server server(engine, std::move(workflows), std::move(options));
    server.listen();

    // The engine's loop calls this at Ctrl-C. stop() may be called there, but not in a handler of std::signal.
    asio::signal_set signals(engine.first_runtime().executor, SIGINT, SIGTERM);
    signals.async_wait([&server](boost::system::error_code error, int) {
        if (!error) server.stop();
    });
    std::cout << "serving on " << server.url() << std::endl;
    server.run();
    std::cout << "stopped" << std::endl;
} catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
}
// [/program]
// prints:
// serving on http://127.0.0.1:PORT
// stopped
