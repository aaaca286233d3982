// Any bytes as a message of MCP cause no crash, and a message stays the same when it is written and read again.
#include "tools/mcp/protocol/message.hpp"
#include <cstdint>
#include <cstdlib>

using namespace weft::tools;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = mcp::read_message(text, {.bytes = 4096, .depth = 16, .text = 64});
    if (const auto* malformed = std::get_if<mcp::Malformed>(&read)) {
        if (malformed->why.empty() || malformed->code >= 0) std::abort();
        mcp::write(mcp::error_for(*malformed));
        return 0;
    }
    const auto line = mcp::write(std::get<mcp::RpcMessage>(read));
    if (line.find('\n') != line.npos) std::abort();
    const auto again = mcp::read_message(line);
    const auto* message = std::get_if<mcp::RpcMessage>(&again);
    if (!message || mcp::write(*message) != line) std::abort();
    return 0;
}
