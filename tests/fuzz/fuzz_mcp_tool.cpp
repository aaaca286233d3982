// Any bytes as a server's description of a tool give a tool with valid headers and a usable schema, or a reason.
#include "engine/error.hpp"
#include "engine/json/parse.hpp"
#include "tools/mcp/client/tool_info.hpp"
#include "tools/mcp/result_text.hpp"
#include "tools/schema/arguments.hpp"
#include <cstdint>
#include <cstdlib>

using namespace weft;
using namespace weft::tools;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    nlohmann::json entry;
    try {
        entry = parse_json({reinterpret_cast<const char*>(data), size}, {.bytes = 8192, .depth = 32});
    } catch (const Error&) { return 0; }
    const auto read = mcp::read_tool(entry, true);
    if (const auto* why = std::get_if<std::string>(&read)) {
        if (why->empty()) std::abort();
        return 0;
    }
    const auto& tool = std::get<mcp::ToolInfo>(read);
    if (mcp::tool_name("s", tool.name, {}).size() > 64) std::abort();
    const Validator validator(mcp::checkable(tool.arguments, true));
    validator.mistake(entry);
    for (const auto& [name, value] : mcp::header_params(tool.headers, entry))
        for (const char c : name + mcp::header_value(value))
            if (c < ' ' || c > '~') std::abort();
    return 0;
}
