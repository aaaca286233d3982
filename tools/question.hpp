// A question of a tool to the person whom its run serves, while the call goes on.
//
//     tools::ToolQuestion question;
//     question.message = "Which of your accounts?";
//     question.form.text = R"({"type": "object", "properties": {"account": {"type": "string"}}})";
//     auto asking = context.ask(std::move(question));            // a tools::ToolContext
//     const auto answer = co_await std::move(asking);
//     if (answer.action == tools::AnswerAction::accept) use(answer.content.text);       // {"account": "..."}
//
// The form is the JSON Schema of an object of plain fields: texts, numbers, yes or no, choices. They are shown in
// the order of their names, or in that of a list in the schema, "propertyOrdering": ["year", "month"]. Nobody has
// checked the answer against it: a tool that cannot use it asks again, and says what was wrong in `mistake`.
#pragma once
#include "engine/describe.hpp"
#include "engine/json/text.hpp"
#include <string>

namespace weft::tools {
struct ToolQuestion {
    std::string from;     // who asks, such as the name of a server; empty: the tool itself
    std::string message;  // for people
    JsonText form;
    std::string mistake;  // in the answer before this one; empty at first
};
enum class AnswerAction {
    accept,      // the content is the answer
    decline,     // the person does not want to answer
    cancel,      // the person has closed the question without saying so
    unanswered,  // there is nobody to ask
};
BOOST_DESCRIBE_ENUM(AnswerAction, accept, decline, cancel, unanswered)
struct ToolAnswer {
    AnswerAction action = AnswerAction::unanswered;
    JsonText content = {};  // of one that accepts: a JSON object
};
}
