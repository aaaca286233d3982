// Reads an input that a model wrote as a call of the same tool as its Action names.
//
//     read_own_call("add(a=1, b=2)", "add", tool)->json;           // {"a":1,"b":2}
//     read_own_call("add({\"a\": 1, \"b\": 2})", "add", tool)->json;   // the same
//
// The parentheses contain an object or its members, values as call_expression.hpp reads them, or the bare text of a
// tool's only parameter. The result is empty for a text that is no such call. A call that is not closed, or that has
// another call among its values, is an error. Prose on later lines is ignored: LenientJson::has_rest. Linear.
#pragma once
#include "steps/agents/text/lenient_json.hpp"
#include <optional>

namespace weft::tools {
class Tool;
}
namespace weft::agents::inline react_steps {
/// A null `tool` is unknown: then values need names.
std::optional<LenientJson> read_own_call(std::string_view text, std::string_view name, const tools::Tool* tool);
/// The same for a text that begins with the call's opening parenthesis.
LenientJson read_call_behind_name(std::string_view text, std::string_view name, const tools::Tool* tool);
}
