// What a run of an agent has thought, done and seen so far: the slots of its steps.
#pragma once
#include "engine/describe.hpp"
#include "engine/growing.hpp"
#include "engine/json/text.hpp"
#include "steps/agents/common/budget.hpp"
#include <string>
#include <vector>

namespace weft::agents {
enum class ReasoningKind {
    action,       // thought, tool, arguments, reply: the action as the model wrote it, if its dialect keeps that;
                  // note: what the model is told about the reply besides the observation
    observation,  // tool, text, ok, note: what the model is told besides
    answer,       // thought, text
    fault,        // a reply that could not be followed: text is what was wrong with it, reply what the model wrote
};
BOOST_DESCRIBE_ENUM(ReasoningKind, action, observation, answer, fault)

/// A tool's result: a source of an answer.
struct Source {
    std::string call, tool;
    JsonText arguments;
    std::string output;
};
BOOST_DESCRIBE_STRUCT(Source, (), (call, tool, arguments, output))

struct ReasoningStep {
    ReasoningKind kind = ReasoningKind::fault;
    std::string call;  // the id that ties an observation to its action
    std::string thought, tool;
    JsonText arguments;
    std::string text, note, reply;
    bool ok = true;
    std::vector<Source> within;  // of an observation: what the calls among the arguments have said
    static constexpr std::string_view optional_fields[] = {"within"};
};
BOOST_DESCRIBE_STRUCT(ReasoningStep, (), (kind, call, thought, tool, arguments, text, note, reply, ok, within))

struct CurrentReasoning : Growing<ReasoningStep> {};

/// What was said before the run, read once from the memory, and the question of this run.
struct Conversation {
    std::vector<models::Message> history;
    std::string question;
};
BOOST_DESCRIBE_STRUCT(Conversation, (), (history, question))

/// What stands for the oldest part of a run's past where a prompt has no room for it (steps/agents/memory/past.hpp).
struct PastSummary {
    std::string text;                   // empty: no summary yet
    std::size_t history = 0, work = 0;  // the messages of the conversation, and what this run has done, that it is of
    bool idle = false;                  // known from an earlier run, and not needed so far
    bool begun = false;                 // it was made in this turn, which goes on
    bool failed = false;                // none is asked for any more
};
BOOST_DESCRIBE_STRUCT(PastSummary, (), (text, history, work, idle, begun, failed))

/// The model was told how much of the budget is left (steps/agents/common/budget_notes.hpp).
struct BudgetNote {
    std::size_t after = 0;  // so much had been said or done in this run, after its question
    std::string text;
};
BOOST_DESCRIBE_STRUCT(BudgetNote, (), (after, text))
using BudgetNotes = std::vector<BudgetNote>;

struct Progress {
    int steps = 0;          // turns of the model, without the closing one
    int faults = 0;         // replies in a row that could not be followed
    bool reminded = false;  // the last reply was unlabelled, and the model has been reminded of the labels
    bool closing = false;   // no tool runs any more: the model is asked for the best answer it can give
    std::string limit;      // why: steps, repeated_calls, or a bound of the budget by its name in budget.hpp
    Spent spent;
    std::int64_t context_tokens = 0;  // what a prompt may have since the model has refused a longer one; 0: unknown
    bool again = false;               // the same turn once more, with a shorter prompt
    BudgetNotes notes = {};           // in the order of the turns
    static constexpr std::string_view optional_fields[] = {"notes"};
};
BOOST_DESCRIBE_STRUCT(Progress, (), (steps, faults, reminded, closing, limit, spent, context_tokens, again, notes))
}
