// The events between the steps of the reflect workflow, and the slots of its runs. Tool calls, and the slots
// CurrentReasoning and Progress, are the same as in react.
#pragma once
#include "engine/growing.hpp"
#include "steps/agents/common/events.hpp"

namespace weft::agents::inline reflect_steps {
/// A turn begins, with a reflection.
struct ReflectEvent {};
BOOST_DESCRIBE_STRUCT(ReflectEvent, (), ())

struct FaultyReply {
    std::string reply, error;
};
BOOST_DESCRIBE_STRUCT(FaultyReply, (), (reply, error))

/// The model chooses the next action. `faults` are its unusable replies to this request.
struct ChooseEvent {
    std::vector<FaultyReply> faults;
    bool closing = false;  // any reply ends the run
};
BOOST_DESCRIBE_STRUCT(ChooseEvent, (), (faults, closing))

struct DecomposeEvent {
    std::string call, question;
    std::vector<FaultyReply> faults;
};
BOOST_DESCRIBE_STRUCT(DecomposeEvent, (), (call, question, faults))

struct SubQuestion {
    int number = 0;  // counted in its run, from 1
    std::string text;
};
BOOST_DESCRIBE_STRUCT(SubQuestion, (), (number, text))

/// A branch: sub-questions that run one after another.
struct BranchEvent {
    std::string call;
    std::vector<SubQuestion> questions;
};
BOOST_DESCRIBE_STRUCT(BranchEvent, (), (call, questions))

struct BranchDoneEvent {
    std::string call;
};
BOOST_DESCRIBE_STRUCT(BranchDoneEvent, (), (call))

struct SummariseEvent {
    std::string call;
    std::vector<FaultyReply> faults;
};
BOOST_DESCRIBE_STRUCT(SummariseEvent, (), (call, faults))

/// Starts the run that answers a sub-question.
struct SubQuestionAskedEvent : StartEvent {
    int number = 0;
    std::string text;
    std::string background;                 // the main question, and the running context
    std::vector<AllowedTool> allowed = {};  // the parent run's
    static constexpr std::string_view optional_fields[] = {"allowed"};
};
BOOST_DESCRIBE_STRUCT(SubQuestionAskedEvent, (), (number, text, background, allowed))

// Slots:

/// The subject of a run, which never changes.
struct Inquiry {
    std::string question;
    std::string background;  // knowledge from before the run
    int sub_question = 0;    // the sub-question's number; 0: the question itself
};
BOOST_DESCRIBE_STRUCT(Inquiry, (), (question, background, sub_question))

/// The reflection of this turn, until its action.
struct CurrentReflection {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(CurrentReflection, (), (text))

struct Decompositions {
    int count = 0;
    int sub_questions = 0;              // sum over all decompositions
    std::string question;               // the last decomposition's
    std::vector<std::string> left_out;  // sub-questions of the last decomposition
};
BOOST_DESCRIBE_STRUCT(Decompositions, (), (count, sub_questions, question, left_out))

struct SubAnswer {
    std::string call;  // the call id of its decomposition
    SubQuestion question;
    std::string text;  // the answer, or the reason for its lack
    AnswerOutcome outcome = AnswerOutcome::answered;
    std::vector<ReasoningStep> reasoning;
    std::vector<Source> sources;
    Spent spent;
};
BOOST_DESCRIBE_STRUCT(SubAnswer, (), (call, question, text, outcome, reasoning, sources, spent))

struct SubAnswers : Growing<SubAnswer> {};
}
