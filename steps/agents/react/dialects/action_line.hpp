// An Action as a model writes it: the name of a tool, and mostly more than that.
//
//     auto action = split_action("calculate (\"4 * 7\")", &tools);
//     action.name;                                                     // calculate
//     read_action_line(action, Bare::never, &tools).json;              // {"expression":"4 * 7"}
//
// The arguments may stand in the same line, as a call (add(a=1), add({"a": 1})), in brackets (Search[Rome]), as an
// object, behind a colon or a label of their own, or in the next line. A name is decorated as models do, and not
// guessed: a line with prose behind the name of a tool is no name of one. Linear in the text, for each tool.
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
    std::string_view arguments;  // from their bracket on, if they have one
};
/// The tools may be null: they are not known. The arguments are a part of the text.
ActionLine split_action(std::string_view text, const tools::Registry*);
LenientJson read_action_line(const ActionLine&, Bare, const tools::Registry*);
/// Those of an action that is an object of a model's own form.
LenientJson json_arguments(const JsonAction&, Bare, const tools::Registry*);
HasTool has_tool(const tools::Registry*);
/// Without the fence around it, or an end of it that has no beginning.
std::string_view without_fence(std::string_view text);
/// Whether nothing is given: {}, None, or no text at all.
bool gives_nothing(std::string_view input);
/// An error if a line names a tool behind another label than Action, and the next line has a label, too: a model has
/// translated the labels. Else empty.
std::string translated_action(std::string_view text, const tools::Registry&);
}
