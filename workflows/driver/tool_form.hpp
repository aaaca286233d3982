// Asks what a tool wants to know while it runs (steps/agents/common/tool_question.hpp): at a terminal field by field,
// and of a program as one line.
//
//     const ToolForm form = form_in_question(to_json(event));
//     tell(shown_form(form));
//     const auto answer = ask_form(form, {next_line, lines.terminal()});   // {"action": "accept", "content": {...}}
#pragma once
#include "workflows/driver/approval.hpp"

namespace weft::driver {
struct ToolForm {
    std::string tool, from, message, mistake;
    nlohmann::json fields, required;  // of the form's schema: an object, and a list of names
    std::vector<std::string> names;   // of the fields, in the order in which they are asked for
};
/// Of the data of a ToolQuestionEvent, wherever it comes from.
ToolForm form_in_question(const nlohmann::json& event);
/// For a human's eyes: neutralised, and it says who asks.
std::string shown_form(const ToolForm&);
/// The data of the ToolAnswerEvent. A program's line is the content, a whole answer with its "action", or n. Throws
/// Error{usage} or Error{bad_json} for a line that is none of these. Whether the content is what the tool wanted is for
/// the tool to say.
nlohmann::json ask_form(const ToolForm&, const Asking&);
}
