// Any bytes as a list of MCP servers or as the name of one give a list, or an error in one sentence.
#include "engine/error.hpp"
#include "tools/mcp/servers_file.hpp"
#include <cstdint>
#include <cstdlib>

using namespace weft;
using namespace weft::tools;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto environment = [](const std::string& name) -> std::optional<std::string> {
        if (name == "A") return "value of A";
        return {};
    };
    try {
        for (const auto& server : mcp::read_servers(text, environment, "f").servers)
            if (server.name.empty() || server.is_program() == !server.url.empty()) std::abort();
    } catch (const Error& error) {
        if (std::string(error.what()).find("value of A") != std::string::npos) std::abort();
    }
    try {
        const auto server = mcp::read_server(text);
        if (server.is_program() == !server.url.empty()) std::abort();
    } catch (const Error&) {}
    return 0;
}
