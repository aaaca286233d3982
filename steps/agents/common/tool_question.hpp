// The questions that tools ask while they run (tools/question.hpp), as questions of their run: ToolAsker asks by a
// child run of this workflow, so that the call goes on where it waits.
//
//     while (auto event = co_await run.next_event())
//         if (auto* ask = event->get_if<ToolQuestionEvent>())
//             run.send_to_child(answer_to(*ask), event->question());           // a ToolAnswerEvent
//
// In a durable run the question stays open while no process is at work on it; the call is made again then, and an
// answer that was given is not asked for again.
#pragma once
#include "engine/context.hpp"
#include "engine/event.hpp"
#include "engine/workflow.hpp"
#include "tools/question.hpp"

namespace weft::agents {
struct ToolQuestionEvent : InputRequiredEvent {
    std::string id, tool;  // of the call
    std::string from;      // who asks, such as the name of a server; empty: the tool itself
    std::string message;   // of a stranger
    JsonText form;         // the schema of the content of an answer
    std::string mistake;   // in the answer before this one
    static constexpr std::string_view optional_fields[] = {"from", "mistake"};
};
BOOST_DESCRIBE_STRUCT(ToolQuestionEvent, (), (id, tool, from, message, form, mistake))

struct ToolAnswerEvent : Answers<ToolQuestionEvent> {
    tools::AnswerAction action = tools::AnswerAction::decline;
    JsonText content = {};  // of one that accepts: an object that fits the form
    static constexpr std::string_view optional_fields[] = {"content"};
};
BOOST_DESCRIBE_STRUCT(ToolAnswerEvent, (), (action, content))

struct AskPersonEvent : StartEvent {
    std::string id, tool, from, message;
    JsonText form;
    std::string mistake;
};
BOOST_DESCRIBE_STRUCT(AskPersonEvent, (), (id, tool, from, message, form, mistake))
struct PersonAnsweredEvent : StopEvent {
    tools::AnswerAction action = tools::AnswerAction::decline;
    JsonText content = {};
};
BOOST_DESCRIBE_STRUCT(PersonAnsweredEvent, (), (action, content))

ToolQuestionEvent put_tool_question(Context&, AskPersonEvent);
PersonAnsweredEvent take_tool_answer(Context&, ToolAnswerEvent);

inline constexpr auto tool_question = workflow("tool_question", step<put_tool_question>, step<take_tool_answer>);
}
