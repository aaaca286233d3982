// The server for MCP's conformance suite: it prints its address and serves until SIGTERM. With the argument `stdio` it
// serves its standard input.
#include "tests/mcp/server/fixtures.hpp"
#include "workflows/mcp/http_server.hpp"
#include "workflows/mcp/stdio_server.hpp"
#include <csignal>
#include <iostream>
#include <string_view>
#include <thread>

int main(int argc, char** argv) {
    using namespace weft;
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ending, nullptr);  // for all later threads
    std::signal(SIGPIPE, SIG_IGN);
    Engine engine;
    mcp_server::Core core(testing::fixture_options());
    testing::add_fixture_tools(core);
    testing::add_fixture_questions(core);
    testing::add_fixture_resources(core);
    if (argc > 1 && std::string_view(argv[1]) == "stdio") {
        mcp_server::StdioServer server(engine, core);
        server.run();
        return 0;
    }
    mcp_server::McpHttpServer server(engine, core, {.port = 0});
    server.listen();
    std::cout << server.url() << std::endl;
    std::jthread stopping([&] {
        int signal = 0;
        sigwait(&ending, &signal);
        server.stop();
    });
    server.run();
}
