// Questions that tools ask while they run (tools/question.hpp), as questions of their run: ToolAsker starts a child run
// of this workflow, and the call continues in place with the answer.
//
//     while (auto event = co_await run.next_event())
//         if (auto* ask = event->get_if<ToolQuestionEvent>())
//             run.send_to_child(answer_to(*ask), event->question());           // a ToolAnswerEvent
//
// In a durable run the question stays open after its process has ended. The next process makes the call again. If the
// call then asks the same question, letter by letter, it gets the answer given meanwhile; the answer to another
// question is dropped, and the person is asked again. A call that runs at most once (`once`) is not made again, so an
// answer after the end of the process is lost.
#pragma once
#include "engine/context.hpp"
#include "engine/event.hpp"
#include "engine/workflow.hpp"
#include "tools/question.hpp"

namespace weft::agents {
struct ToolQuestionEvent : InputRequiredEvent {
    std::string id, tool;  // the call's
    std::string from;      // the asker, such as a server's name; empty: the tool itself
    std::string message;   // for people, from the tool or its server: do not trust it
    JsonText form;         // the schema of an answer's content
    std::string mistake;   // mistake of the last answer; empty: the first question
    bool once = false;     // the call runs at most once: only this process can pass on the answer
    static constexpr std::string_view optional_fields[] = {"from", "mistake", "once"};
};
BOOST_DESCRIBE_STRUCT(ToolQuestionEvent, (), (id, tool, from, message, form, mistake, once))

struct ToolAnswerEvent : Answers<ToolQuestionEvent> {
    tools::AnswerAction action = tools::AnswerAction::decline;
    JsonText content = {};  // content of an acceptance: an object that fits the form
    static constexpr std::string_view optional_fields[] = {"content"};
};
BOOST_DESCRIBE_STRUCT(ToolAnswerEvent, (), (action, content))

struct AskPersonEvent : StartEvent {
    std::string id, tool, from, message;
    JsonText form;
    std::string mistake;
    bool once = false;
    std::string fingerprint;  // the question's
    static constexpr std::string_view optional_fields[] = {"once", "fingerprint"};
};
BOOST_DESCRIBE_STRUCT(AskPersonEvent, (), (id, tool, from, message, form, mistake, once, fingerprint))
struct PersonAnsweredEvent : StopEvent {
    tools::AnswerAction action = tools::AnswerAction::decline;
    JsonText content = {};
    std::string fingerprint;  // the answered question's
    static constexpr std::string_view optional_fields[] = {"fingerprint"};
};
BOOST_DESCRIBE_STRUCT(PersonAnsweredEvent, (), (action, content, fingerprint))
/// The slot of the open question's fingerprint.
struct QuestionPrint {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(QuestionPrint, (), (text))

ToolQuestionEvent put_tool_question(Context&, AskPersonEvent);
PersonAnsweredEvent take_tool_answer(Context&, ToolAnswerEvent);

inline constexpr auto tool_question = workflow("tool_question", step<put_tool_question>, step<take_tool_answer>);
}
