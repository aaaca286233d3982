// An input that a model wrote as a call of the very tool that its Action names.
//
//     read_own_call("add(a=1, b=2)", "add", tool)->json;           // {"a":1,"b":2}
//     read_own_call("add({\"a\": 1, \"b\": 2})", "add", tool)->json;   // the same
//
// Between the parentheses stand an object or its members, values as call_expression.hpp reads them, or the bare text of
// a tool's only parameter. Nothing is returned for a text that is no such call. One that is not closed, or has a call
// among its values, is an error. Prose on the lines behind the call is ignored: LenientJson::has_rest. Linear.
#pragma once
#include "steps/agents/text/lenient_json.hpp"
#include <optional>

namespace weft::tools {
class Tool;
}
namespace weft::agents::inline react_steps {
/// `tool` may be null: it is not known. Then values need names.
std::optional<LenientJson> read_own_call(std::string_view text, std::string_view name, const tools::Tool* tool);
/// The same from the parenthesis on, with which the text begins.
LenientJson read_call_behind_name(std::string_view text, std::string_view name, const tools::Tool* tool);
}
