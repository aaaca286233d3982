// The arguments of a tool call as a model writes them: a JSON object, or in some dialects the bare text of the one
// argument that matters.
//
//     read_arguments("17 - 4", Bare::only, tools.find("math_calculator")).json;     // {"expression":"17 - 4"}
//     shown_arguments(arguments, Bare::only, tools.find("math_calculator"));        // back again: 17 - 4
//
// A text that begins with a brace is an object, read as steps/agents/text/lenient_json.hpp does; the text behind it is
// ignored (LenientJson::has_rest). An object that is quoted as a whole, or that stands under "arguments", is read, too.
// Nothing, null and None are {}, and so is N/A for a tool that takes nothing. A call of the tool itself is what stands
// in its parentheses (steps/agents/react/dialects/own_call.hpp). All else is bare, without a code fence, back-ticks or
// quotes around the whole. A parameter that is no text takes a bare JSON value, if it is one. A text for a tool that
// nobody knows, or that takes nothing, is named "input", so that it is the registry that says what is wrong.
#pragma once
#include "steps/agents/react/dialects/grammar.hpp"
#include "steps/agents/text/lenient_json.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft::tools {
class Tool;
}
namespace weft::agents::inline react_steps {
/// `tool` may be null: there is none of that name, or it is not known whether there is.
LenientJson read_arguments(std::string_view text, Bare, const tools::Tool* tool, std::string_view name = {});
/// Those in {"name": .., "arguments": {..}} or {"arguments": {..}}, if the tool has no such parameters, and has those
/// in the inner object; else the same. The text is strict JSON.
std::string unwrapped_arguments(const std::string& json, const tools::Tool&);
/// The text as the value of this parameter.
LenientJson read_bare(std::string_view text, const tools::Tool&, const std::string& parameter);
/// As a model would have written them: the bare text if it stands in one line and is read back as the same.
std::string shown_arguments(const std::string& json, Bare, const tools::Tool* tool);
/// The name of the parameter that a bare text is for; empty if there is none.
std::string bare_parameter(const tools::Tool&, Bare);
/// Whether the schema of a parameter allows a text.
bool takes_text(const nlohmann::json& schema);
/// Whether it has one parameter, and that is a text.
bool takes_one_text(const tools::Tool&);
/// Without a label such as `Input:` at its beginning, which a model has put into the line. The same view without one.
std::string_view without_label(std::string_view text);
/// One line, and none with a label in front, such as "City: Rome".
bool is_one_input(std::string_view text);
/// Without the keyword PAUSE that a model has put at the end of a line, after it rather than below.
std::string_view without_pause(std::string_view text);
}
