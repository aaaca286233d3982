// Reads an Action line of a model: the name of a tool, and often its arguments.
//
//     auto action = split_action("calculate (\"4 * 7\")", &tools);
//     action.name;                                                     // calculate
//     read_action_line(action, BareText::never, &tools).json;              // {"expression":"4 * 7"}
//
// The arguments may stand in the same line, as a call (add(a=1), add({"a": 1})), in brackets (Search[Rome]), as an
// object, after a colon or a separate label, or in the next line. Decoration around the name is removed, but the
// name is not guessed: prose after a tool's name means that the line names no tool. Linear in the text, for each tool.
#pragma once
#include "steps/agents/react/dialects/grammar.hpp"
#include "steps/agents/react/dialects/json_action.hpp"
#include "steps/agents/text/lenient_json.hpp"

namespace weft::tools {
class Registry;
}
namespace weft::agents::inline react_steps {
struct ActionLine {
    enum class Form { none, call, brackets, object, text, next_line };
    std::string name;
    Form form = Form::none;
    std::string_view arguments;  // including their opening bracket
};
/// Null tools are unknown tools. ActionLine::arguments is a view of the text.
ActionLine split_action(std::string_view text, const tools::Registry*);
LenientJson read_action_line(const ActionLine&, BareText, const tools::Registry*);
/// The arguments of an action written as a JSON object.
LenientJson json_arguments(const JsonAction&, BareText, const tools::Registry*);
HasTool has_tool(const tools::Registry*);
/// Removes the code fence around a text, or an end of a fence without a beginning.
std::string_view without_fence(std::string_view text);
/// True if the input is {}, None, or blank.
bool gives_nothing(std::string_view input);
/// An error if a line names a tool after a label other than Action, and the next line has a label, too: the model has
/// translated the labels. Else empty.
std::string translated_action(std::string_view text, const tools::Registry&);
}
