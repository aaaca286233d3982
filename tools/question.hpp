// A question of a tool to the person whom its run serves, asked during the call.
//
//     tools::ToolQuestion question;
//     question.message = "Which of your accounts?";
//     question.form.text = R"({"type": "object", "properties": {"account": {"type": "string"}}})";
//     auto asking = context.ask(std::move(question));            // a tools::ToolContext
//     const auto answer = co_await std::move(asking);
//     if (answer.action == tools::AnswerAction::accept) use(answer.content.text);       // {"account": "..."}
//
// The form is the JSON Schema of an object with plain fields: texts, numbers, booleans, choices. The fields appear in
// the order of their names, or of a list in the schema, "propertyOrdering": ["year", "month"]. The engine does not
// check the answer: a tool that cannot use it asks again, and explains the error in `mistake`.
#pragma once
#include "engine/describe.hpp"
#include "engine/json/text.hpp"
#include <string>

namespace weft::tools {
struct ToolQuestion {
    std::string from;     // the asker, such as a server's name; empty: the tool itself
    std::string message;  // for people
    JsonText form;
    std::string mistake;  // the error in the previous answer; empty at first
};
enum class AnswerAction {
    accept,      // the content is the answer
    decline,     // the person does not want to answer
    cancel,      // the person has closed the question without an answer
    unanswered,  // no person can answer
};
BOOST_DESCRIBE_ENUM(AnswerAction, accept, decline, cancel, unanswered)
struct ToolAnswer {
    AnswerAction action = AnswerAction::unanswered;
    JsonText content = {};  // content of an accepted answer: a JSON object
};
}
