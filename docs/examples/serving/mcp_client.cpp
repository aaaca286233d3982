// Both ends of MCP in one program: it starts itself as a server of one tool, and an agent calls that tool. The model is
// scripted, so the program runs anywhere.
#include "engine/engine.hpp"
#include "steps/models/script/scripted.hpp"
#include "tools/make_tool.hpp"
#include "tools/mcp/servers.hpp"
#include "workflows/mcp/stdio_server.hpp"
#include "workflows/mcp/tool_offer.hpp"
#include "workflows/tool_agent.hpp"
#include <filesystem>
#include <iostream>
using namespace weft;
using namespace weft::agents;

double price(std::string item) { return item == "tea" ? 4.5 : 9; }

// [server]
int serve() {
    tools::Registry tools;
    tools.add(tools::make_tool("price", "Tells what an item costs.", price, {"item"}));
    Engine engine;
    mcp_server::Core core({.name = "shop", .version = "2.1"});
    for (auto& offer : mcp_server::offer_tools(tools)) core.add(std::move(offer));
    mcp_server::StdioServer server(engine, core);
    server.run();  // until the client closes its end
    return 0;
}
// [/server]

const auto script = R"({"replies": [
    {"calls": [{"tool": "shop__price", "arguments": {"item": "tea"}}]},
    {"reply": "Tea costs 4.5."}]})";

int main(int count, char**) {
    if (count > 1) return serve();
    const auto program = std::filesystem::read_symlink("/proc/self/exe").string();
    // [client]
    tools::mcp::ServerEntry shop{.name = "shop", .command = program, .args = {"serve"}};
    tools::mcp::Servers servers({shop}, tools::mcp::ServersOptions());
    tools::Registry tools;
    for (const auto& tool : servers.tools()) tools.add(tool);  // starts the servers in parallel
    for (const auto& note : servers.notes()) std::cerr << note << '\n';
    tools.permit({.allow = {"shop__price"}});
    // [/client]
    for (const auto& tool : tools.all()) std::cout << tool->name() << ": " << tool->description() << '\n';

    models::ScriptedModel model(models::Script::from_json(script, "tea"));
    ConversationMemory memory;
    ToolAgentOptions options;
    auto agent = workflows::tool_agent.with(model, memory, tools, options);
    Engine engine;
    const auto answer = engine.wait(engine.start(agent, {.text = "What does tea cost?"}).result());
    for (const auto& source : answer.sources) std::cout << source.tool << " said " << source.output << '\n';
    std::cout << answer.response << '\n';
}
// prints:
// shop__price: Tells what an item costs.
// shop__price said 4.5
// Tea costs 4.5.
