// A user's workflow and tool for clients of MCP. Here the client uses two pipes; a program started by a client has them
// as its standard input and output, which StdioServer uses by default.
#include "engine/describe.hpp"
#include "tools/make_tool.hpp"
#include "workflows/mcp/run_offer.hpp"
#include "workflows/mcp/stdio_server.hpp"
#include "workflows/mcp/tool_offer.hpp"
#include <iostream>
#include <unistd.h>
using namespace weft;

struct OrderEvent : StartEvent {
    std::string item;
    int count = 1;
    static constexpr std::string_view optional_fields[] = {"count"};
};
BOOST_DESCRIBE_STRUCT(OrderEvent, (), (item, count))
struct SentEvent : StopEvent {
    int boxes = 0;
};
BOOST_DESCRIBE_STRUCT(SentEvent, (), (boxes))

SentEvent pack(Context&, OrderEvent order) { return {.boxes = order.count}; }
inline constexpr auto parcels = workflow("parcels", step<pack>);
double price(std::string item) { return item == "tea" ? 4.5 : 9; }

constexpr std::string_view requests =
    R"({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}
{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "parcels", "arguments": {"item": "tea"}}}
{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "price", "arguments": {"item": "tea"}}}
)";

int main() {
    int in[2], out[2];
    if (::pipe(in) != 0 || ::pipe(out) != 0) return 1;
    [[maybe_unused]] const auto sent = ::write(in[1], requests.data(), requests.size());
    ::close(in[1]);
    // [serve]
    Engine engine;
    tools::Registry tools;
    tools.add(tools::make_tool("price", "Tells what an item costs.", price, {"item"}));
    mcp_server::Core core({.name = "shop", .version = "2.1"});
    core.add(mcp_server::offer_run(server::offer(engine, parcels, "packs what was ordered")));
    for (auto& offer : mcp_server::offer_tools(tools)) core.add(std::move(offer));
    mcp_server::StdioServer server(engine, core, {.input = in[0], .output = out[1]});
    server.run();
    // [/serve]
    std::string answers(65536, '\0');
    answers.resize(std::size_t(std::max<ssize_t>(0, ::read(out[0], answers.data(), answers.size()))));
    std::map<int, nlohmann::json> by_id;  // answers arrive in any order
    for (std::size_t end; (end = answers.find('\n')) != answers.npos; answers.erase(0, end + 1)) {
        const auto answer = nlohmann::json::parse(answers.substr(0, end));
        by_id[answer["id"]] = answer["result"];
    }
    std::cout << by_id[0]["serverInfo"] << '\n';
    std::cout << by_id[1]["content"][0]["text"] << '\n' << by_id[2]["content"][0]["text"] << '\n';
}
// prints:
// {"name":"shop","version":"2.1"}
// "{\"boxes\":1}"
// "4.5"
