// Reads the calls at the beginning of a reply, in the grammar of steps/agents/react/dialects/text_calls.hpp. Pure.
//
//     auto read = read_calls("[TOOL_CALLS]add[ARGS]{\"a\": 1}", tools);
//     read.is_whole;     // the whole reply consists of these calls, with known or unknown tools
//     read.why;          // the fault of a call that cannot be read
#pragma once
#include "steps/models/message.hpp"
#include "tools/registry.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft::agents::inline react_steps {
struct CallsRead {
    std::vector<models::ToolCall> calls;
    bool is_whole = false;
    bool marked = false;     // a mark announced a call
    bool meant = false;      // an object names a tool, so it is surely a call
    bool call_like = false;  // an object has the form of a call, of a known or unknown tool
    std::string why;
    std::size_t examined = 0;  // number of characters
};
CallsRead read_calls(std::string_view text, const tools::Registry&);
/// True if the object is surely a call of a known tool.
bool is_call(const nlohmann::json& object, const tools::Registry&);
/// True if an unreadable object looks like a call of a known tool.
bool seems_call(std::string_view object, const tools::Registry&);
/// The name of a tool without its decoration (steps/models/tool_name.hpp).
std::string tool_name(std::string_view written, const tools::Registry&);
}
