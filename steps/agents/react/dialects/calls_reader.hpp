// Reads as much of a reply as consists of calls: the grammar of steps/agents/react/dialects/text_calls.hpp. Pure.
//
//     auto read = read_calls("[TOOL_CALLS]add[ARGS]{\"a\": 1}", tools);
//     read.is_whole;     // the reply is nothing but these calls, whether there are such tools or not
//     read.why;          // a call has begun that cannot be read
#pragma once
#include "steps/models/message.hpp"
#include "tools/registry.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft::agents::inline react_steps {
struct CallsRead {
    std::vector<models::ToolCall> calls;
    bool is_whole = false;
    bool marked = false;     // a mark has told that a call comes
    bool meant = false;      // an object can be nothing but a call, as it names a tool
    bool call_like = false;  // an object has the form of a call, of whatever tool
    std::string why;
    std::size_t examined = 0;  // characters
};
CallsRead read_calls(std::string_view text, const tools::Registry&);
/// Whether the object can be nothing but a call of a tool that there is.
bool is_call(const nlohmann::json& object, const tools::Registry&);
/// The same of an object that cannot be read: it looks so.
bool seems_call(std::string_view object, const tools::Registry&);
/// The name of a tool without its decoration: steps/models/tool_name.hpp.
std::string tool_name(std::string_view written, const tools::Registry&);
}
