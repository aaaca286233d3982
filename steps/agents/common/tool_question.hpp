// The questions that tools ask while they run (tools/question.hpp), as questions of their run: ToolAsker asks by a
// child run of this workflow, so that the call goes on where it waits.
//
//     while (auto event = co_await run.next_event())
//         if (auto* ask = event->get_if<ToolQuestionEvent>())
//             run.send_to_child(answer_to(*ask), event->question());           // a ToolAnswerEvent
//
// In a durable run the question stays open while no process is at work on it. The call is made again then, and an
// answer that was given is not asked for again, if it is the same question to the letter: what a call asks may
// depend on more than its arguments. The answer to another question is dropped, and the person is asked anew. Of a
// call that runs at most once nothing is made again, so an answer that comes after the process has ended is lost
// (`once`).
#pragma once
#include "engine/context.hpp"
#include "engine/event.hpp"
#include "engine/workflow.hpp"
#include "tools/question.hpp"

namespace weft::agents {
struct ToolQuestionEvent : InputRequiredEvent {
    std::string id, tool;  // the call's
    std::string from;      // the asker, such as a server's name; empty: the tool itself
    std::string message;   // for people, as the tool or its server wrote it: not to be trusted
    JsonText form;         // the schema of the content of an answer
    std::string mistake;   // in the answer before this one
    bool once = false;     // the call runs at most once: it is answered in this process, or not at all
    static constexpr std::string_view optional_fields[] = {"from", "mistake", "once"};
};
BOOST_DESCRIBE_STRUCT(ToolQuestionEvent, (), (id, tool, from, message, form, mistake, once))

struct ToolAnswerEvent : Answers<ToolQuestionEvent> {
    tools::AnswerAction action = tools::AnswerAction::decline;
    JsonText content = {};  // if accepted: an object that fits the form
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
/// A slot: what the question is known by until it is answered.
struct QuestionPrint {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(QuestionPrint, (), (text))

using ToolQuestionSlots = core::List<QuestionPrint>;

ToolQuestionEvent put_tool_question(Context&, AskPersonEvent);
PersonAnsweredEvent take_tool_answer(Context&, ToolAnswerEvent);

inline constexpr auto tool_question = workflow("tool_question", step<put_tool_question>, step<take_tool_answer>);
}
