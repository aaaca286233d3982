// Reads the arguments of a tool call as models write them: a JSON object, or in some dialects the bare text of a single
// argument.
//
//     read_arguments("17 - 4", BareText::only, tools.find("math_calculator")).json;     // {"expression":"17 - 4"}
//     shown_arguments(arguments, BareText::only, tools.find("math_calculator"));        // back again: 17 - 4
//
// A text that begins with a brace is an object, which steps/agents/text/lenient_json.hpp reads; text after it is
// ignored (LenientJson::has_rest). The object may be quoted as a whole, or stand under "arguments". A blank text, null
// and None are {}, and so is N/A for a tool without parameters. For a call of the tool itself, the arguments are in its
// parentheses (steps/agents/react/dialects/own_call.hpp). Any other text is bare; a code fence, back-ticks or quotes
// around the whole are removed. A parameter that is not a string takes a bare JSON value. Text for an unknown tool, or
// for a tool without parameters, becomes the argument "input", so that the registry reports the mistake.
#pragma once
#include "steps/agents/react/dialects/grammar.hpp"
#include "steps/agents/text/lenient_json.hpp"
#include <nlohmann/json_fwd.hpp>

namespace weft::tools {
class Tool;
}
namespace weft::agents::inline react_steps {
/// A null `tool` is unknown.
LenientJson read_arguments(std::string_view text, BareText, const tools::Tool* tool, std::string_view name = {});
/// The inner object of {"name": .., "arguments": {..}} or {"arguments": {..}}, if the tool has the inner object's
/// parameters and not the outer one's; else the same text. The text is strict JSON.
std::string unwrapped_arguments(const std::string& json, const tools::Tool&);
/// Reads a bare text as the value of this parameter.
LenientJson read_bare(std::string_view text, const tools::Tool&, const std::string& parameter);
/// The arguments as a model would have written them: the bare text if it is one line and reads back as the same.
std::string shown_arguments(const std::string& json, BareText, const tools::Tool* tool);
/// The name of the parameter that takes a bare text; empty if there is none.
std::string bare_parameter(const tools::Tool&, BareText);
/// True if the schema of a parameter allows a string.
bool takes_text(const nlohmann::json& schema);
/// True if the tool's only parameter is a string.
bool takes_one_text(const tools::Tool&);
/// Removes a label such as `Input:` at the beginning.
std::string_view without_label(std::string_view text);
/// True for one line without a label at its beginning, such as "City: Rome" has.
bool is_one_input(std::string_view text);
/// Removes the keyword PAUSE from the end of the last line.
std::string_view without_pause(std::string_view text);
}
