// The events that the reflect workflow streams during a run; a reader may skip any of them. The workflow starts with a
// UserMessageEvent and ends with an AnswerEvent, as react does: steps/agents/common/events.hpp.
//
// `sub_question` tells the origin of an event: 0 is the question itself, n is the n-th sub-question of the run, counted
// over all decompositions. `usage` belongs to the reply that caused the event.
#pragma once
#include "steps/agents/common/events.hpp"

namespace weft::agents::inline reflect_steps {
struct ReflectionDeltaEvent {  // a piece of the reflection
    int sub_question = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ReflectionDeltaEvent, (), (sub_question, text))

struct ReflectionEvent {  // the model's next intention
    int sub_question = 0;
    std::string text;
    models::Usage usage;
};
BOOST_DESCRIBE_STRUCT(ReflectionEvent, (), (sub_question, text, usage))

/// The model's request, before its execution: a tool, `decomposition` or `final_answer`. A string as argument has no
/// quotes here.
struct RequestEvent {
    int sub_question = 0;
    std::string request;
    JsonText argument;
    models::Usage usage;
};
BOOST_DESCRIBE_STRUCT(RequestEvent, (), (sub_question, request, argument, usage))

struct ResultEvent {  // the action's result
    int sub_question = 0;
    std::string request, text;
    bool ok = true;
    std::optional<tools::Display> display = {};  // a tool's, for the human
};
BOOST_DESCRIBE_STRUCT(ResultEvent, (), (sub_question, request, text, ok, display))

struct RetryEvent {  // an unusable reply
    int sub_question = 0;
    std::string error, reply;
    models::Usage usage;
};
BOOST_DESCRIBE_STRUCT(RetryEvent, (), (sub_question, error, reply, usage))

struct DecompositionEvent {  // the sub-questions to answer
    std::vector<std::string> sub_questions;
    models::Usage usage;
};
BOOST_DESCRIBE_STRUCT(DecompositionEvent, (), (sub_questions, usage))

struct SubQuestionEvent {  // a sub-question begins
    int sub_question = 0;
    std::string text;
};
BOOST_DESCRIBE_STRUCT(SubQuestionEvent, (), (sub_question, text))

struct SubAnswerEvent {  // a sub-question ends; without an answer the text has the reason
    int sub_question = 0;
    std::string text;
    AnswerOutcome outcome = AnswerOutcome::answered;
};
BOOST_DESCRIBE_STRUCT(SubAnswerEvent, (), (sub_question, text, outcome))

struct SummaryEvent {  // summary of all answers
    std::string text;
    models::Usage usage;
};
BOOST_DESCRIBE_STRUCT(SummaryEvent, (), (text, usage))
}
