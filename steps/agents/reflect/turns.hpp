// The events between the steps of the reflect workflow, and the slots of its runs. A tool is called as in react, and
// what was thought, done and seen is written down as there: CurrentReasoning, Progress.
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

/// The model chooses what is done. `faults` are its replies that could not be followed, to this very request.
struct ChooseEvent {
    std::vector<FaultyReply> faults;
    bool closing = false;  // whatever comes is the end
};
BOOST_DESCRIBE_STRUCT(ChooseEvent, (), (faults, closing))

struct DecomposeEvent {
    std::string call, question;
    std::vector<FaultyReply> faults;
};
BOOST_DESCRIBE_STRUCT(DecomposeEvent, (), (call, question, faults))

struct SubQuestion {
    int number = 0;  // in its run, from 1
    std::string text;
};
BOOST_DESCRIBE_STRUCT(SubQuestion, (), (number, text))

/// Sub-questions that are answered one after another.
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
    std::string background;                 // what is known by then
    std::vector<AllowedTool> allowed = {};  // in the run that it is a part of
    static constexpr std::string_view optional_fields[] = {"allowed"};
};
BOOST_DESCRIBE_STRUCT(SubQuestionAskedEvent, (), (number, text, background, allowed))

// The slots.

/// What a run is about. It never changes.
struct Inquiry {
    std::string question;
    std::string background;  // what was known before the run
    int sub_question = 0;    // its number, if the run answers one
};
BOOST_DESCRIBE_STRUCT(Inquiry, (), (question, background, sub_question))

/// The reflection of this turn, until an action goes with it.
struct CurrentReflection {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(CurrentReflection, (), (text))

struct Decompositions {
    int count = 0;
    int sub_questions = 0;              // of all of them
    std::string question;               // of the last one
    std::vector<std::string> left_out;  // of the last one
};
BOOST_DESCRIBE_STRUCT(Decompositions, (), (count, sub_questions, question, left_out))

struct SubAnswer {
    std::string call;  // the decomposition that it belongs to
    SubQuestion question;
    std::string text;  // why, if there is no answer
    AnswerOutcome outcome = AnswerOutcome::answered;
    std::vector<ReasoningStep> reasoning;
    std::vector<Source> sources;
    Spent spent;
};
BOOST_DESCRIBE_STRUCT(SubAnswer, (), (call, question, text, outcome, reasoning, sources, spent))

struct SubAnswers : Growing<SubAnswer> {};
}
