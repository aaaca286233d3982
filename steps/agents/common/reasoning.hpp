// The slots of an agent's run: its thoughts, actions and observations so far, its conversation and its progress.
#pragma once
#include "engine/describe.hpp"
#include "engine/growing.hpp"
#include "engine/json/text.hpp"
#include "steps/agents/common/budget.hpp"
#include <string>
#include <vector>

namespace weft::agents {
enum class ReasoningKind {
    action,       // thought, tool, arguments; reply: the action as the model wrote it, if its dialect keeps that;
                  // note: a remark on the reply for the model
    observation,  // tool, text, ok; note: a further remark for the model
    answer,       // thought, text
    fault,        // an unusable reply; text: its fault, reply: the model's text
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
    std::vector<Source> within;  // an observation's: results of the calls among the arguments
    static constexpr std::string_view optional_fields[] = {"within"};
};
BOOST_DESCRIBE_STRUCT(ReasoningStep, (), (kind, call, thought, tool, arguments, text, note, reply, ok, within))

struct CurrentReasoning : Growing<ReasoningStep> {};

/// The conversation before the run, read once from the memory, and the question of this run.
struct Conversation {
    std::vector<models::Message> history;
    std::string question;
};
BOOST_DESCRIBE_STRUCT(Conversation, (), (history, question))

/// The summary that replaces the oldest part of a run's past in a prompt without room
/// (steps/agents/memory/history_summary.hpp).
struct PastSummary {
    std::string text;                   // empty: no summary yet
    std::size_t history = 0, work = 0;  // summarised messages of the conversation, and steps of this run
    bool idle = false;                  // kept from an earlier run, and not needed so far
    bool begun = false;                 // made in this turn, which continues
    bool failed = false;                // the run asks for no other summary
};
BOOST_DESCRIBE_STRUCT(PastSummary, (), (text, history, work, idle, begun, failed))

/// A note to the model on the rest of the budget (steps/agents/common/budget_notes.hpp).
struct BudgetNote {
    std::size_t after = 0;  // its place: the number of entries of this run's past before it
    std::string text;
};
BOOST_DESCRIBE_STRUCT(BudgetNote, (), (after, text))
using BudgetNotes = std::vector<BudgetNote>;

struct Progress {
    int steps = 0;          // turns of the model, without the closing one
    int faults = 0;         // consecutive unusable replies
    bool reminded = false;  // the last reply was unlabelled, and the model got a reminder of the labels
    bool closing = false;   // no more tool runs: the model must give its best answer
    std::string limit;      // cause of closing: steps, repeated_calls, or a bound of the budget as budget.hpp names it
    Spent spent;
    std::int64_t context_tokens = 0;  // maximum of a prompt after the model refused a longer one; 0: unknown
    bool again = false;               // this turn repeats the last one with a shorter prompt
    BudgetNotes notes = {};           // order of the turns
    static constexpr std::string_view optional_fields[] = {"notes"};
};
BOOST_DESCRIBE_STRUCT(Progress, (), (steps, faults, reminded, closing, limit, spent, context_tokens, again, notes))
}
