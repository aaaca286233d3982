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
/// A tool's question to the person whom its run serves.
struct ToolQuestionEvent : InputRequiredEvent {
    std::string id,       // the call's
        tool;             // name of the called tool
    std::string from;     // the asker, such as a server's name; empty: the tool itself
    std::string message;  // for people, from the tool or its server: do not trust it
    JsonText form;        // the schema of an answer's content
    std::string mistake;  // mistake of the last answer; empty: the first question
    bool once = false;    // the call runs at most once: only this process can pass on the answer
    static constexpr std::string_view optional_fields[] = {"from", "mistake", "once"};  // may be missing in JSON
};
BOOST_DESCRIBE_STRUCT(ToolQuestionEvent, (), (id, tool, from, message, form, mistake, once))

/// The answer to a ToolQuestionEvent.
struct ToolAnswerEvent : Answers<ToolQuestionEvent> {
    tools::AnswerAction action = tools::AnswerAction::decline;  // accept: `content` is the answer
    JsonText content = {};  // content of an acceptance: an object that fits the form
    static constexpr std::string_view optional_fields[] = {"content"};  // may be missing in JSON
};
BOOST_DESCRIBE_STRUCT(ToolAnswerEvent, (), (action, content))

/// Starts the child run of a question. All but the fingerprint become the ToolQuestionEvent.
struct AskPersonEvent : StartEvent {
    std::string id,           // the call's
        tool,                 // name of the called tool
        from,                 // the asker; empty: the tool itself
        message;              // for people; untrusted
    JsonText form;            // the schema of an answer's content
    std::string mistake;      // mistake of the last answer; empty: the first question
    bool once = false;        // the call runs at most once
    std::string fingerprint;  // the question's
    static constexpr std::string_view optional_fields[] = {"once", "fingerprint"};  // may be missing in JSON
};
BOOST_DESCRIBE_STRUCT(AskPersonEvent, (), (id, tool, from, message, form, mistake, once, fingerprint))
/// Ends the child run of a question, with its answer.
struct PersonAnsweredEvent : StopEvent {
    tools::AnswerAction action = tools::AnswerAction::decline;              // the ToolAnswerEvent's
    JsonText content = {};                                                  // content of an acceptance
    std::string fingerprint;                                                // the answered question's
    static constexpr std::string_view optional_fields[] = {"fingerprint"};  // may be missing in JSON
};
BOOST_DESCRIBE_STRUCT(PersonAnsweredEvent, (), (action, content, fingerprint))
/// The slot of the open question's fingerprint.
struct QuestionPrint {
    std::string text;  // a hash of all that the person sees
};
BOOST_DESCRIBE_STRUCT(QuestionPrint, (), (text))

/// Asks the question, and keeps its fingerprint in QuestionPrint.
ToolQuestionEvent put_tool_question(Context&, AskPersonEvent);
/// Ends the run with the answer and the fingerprint of its question.
PersonAnsweredEvent take_tool_answer(Context&, ToolAnswerEvent);

/// The workflow of a question. It runs as a durable child of the run whose tool asks.
inline constexpr auto tool_question = workflow("tool_question", step<put_tool_question>, step<take_tool_answer>);
}
