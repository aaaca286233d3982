// What the reflect workflow tells to the outside while it runs. A reader may skip any of it. It starts with a
// UserMessageEvent and ends with an AnswerEvent, as react does: steps/agents/common/events.hpp.
//
// `sub_question` says whose event it is: 0 for the question itself, n for its n-th sub-question. A run counts its
// sub-questions through, also those of a second decomposition. `usage` is of the reply that the event comes from.
#pragma once
#include "steps/agents/common/events.hpp"

namespace weft::agents::inline reflect_steps {
struct ReflectionDeltaEvent {  // a piece of it has arrived
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

/// What it asks for, before that happens: a tool, `decomposition` or `final_answer`. A text as argument stands there
/// without quotes.
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

struct RetryEvent {  // a reply that could not be followed
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
