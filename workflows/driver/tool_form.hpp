// Asks the question of a running tool (steps/agents/common/tool_question.hpp): a human fills in each field, a program
// writes one line.
//
//     const ToolForm form = form_in_question(to_json(event));
//     tell(shown_form(form));
//     const auto answer = ask_form(form, {next_line, lines.terminal()});   // {"action": "accept", "content": {...}}
#pragma once
#include "workflows/driver/approval.hpp"

namespace weft::driver {
struct ToolForm {
    std::string tool, from, message, mistake;
    nlohmann::json fields, required;  // parts of the form's schema: an object, and a list of names
    std::vector<std::string> names;   // the fields' names, in the order of the prompts
};
/// Reads the data of a ToolQuestionEvent.
ToolForm form_in_question(const nlohmann::json& event);
/// The text of the form for a human: neutralised, with the name of the tool that asks.
std::string shown_form(const ToolForm&);
/// The data of the ToolAnswerEvent. A program's line is the content, a whole answer with its "action", or n. Throws
/// Error{usage} or Error{bad_json} for any other line. The tool itself checks the content.
nlohmann::json ask_form(const ToolForm&, const AnswerPrompt&);
}
