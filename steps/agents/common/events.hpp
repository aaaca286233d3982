// The events that agents share. Those of the first part flow between steps; those of the second are only streamed while
// the run goes on, and a reader may skip any of them.
#pragma once
#include "engine/event.hpp"
#include "steps/agents/common/inner_call.hpp"
#include "steps/agents/common/reasoning.hpp"
#include "tools/observation.hpp"

namespace weft::agents {
struct UserMessageEvent : StartEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(UserMessageEvent, (), (text))

struct PrepEvent {};
BOOST_DESCRIBE_STRUCT(PrepEvent, (), ())

/// What a summary shall cover: the first messages of the conversation, and the first steps of this run.
struct SummaryTask {
    std::size_t history = 0, work = 0;
    int exchanges = 0, turns = 0;  // the same, counted in exchanges and turns
    bool wanted() const { return exchanges + turns > 0; }
};
BOOST_DESCRIBE_STRUCT(SummaryTask, (), (history, work, exchanges, turns))

/// The model's input.
struct InputEvent {
    std::vector<models::Message> messages;
    models::Sampling sampling;
    int max_faults = 3;        // consecutive unusable replies that end the run
    bool closing = false;      // the reply ends the run, whatever it is
    bool can_shorten = false;  // a shorter prompt could leave out more of the past
    SummaryTask summary = {};  // if it is wanted, that is what the messages ask for
    static constexpr std::string_view optional_fields[] = {"summary"};
};
BOOST_DESCRIBE_STRUCT(InputEvent, (), (messages, sampling, max_faults, closing, can_shorten, summary))

struct ToolCallEvent {
    std::string id, tool;
    JsonText arguments;
    std::vector<InnerCall> inner;  // run first, each in its turn
    Approval approval = Approval::none;
    std::string note = {};  // for the model: that it was changed; of a rejected call, why
    static constexpr std::string_view optional_fields[] = {"inner", "approval", "note"};
};
BOOST_DESCRIBE_STRUCT(ToolCallEvent, (), (id, tool, arguments, inner, approval, note))

struct ToolOutputEvent {
    std::string id, tool;
    JsonText arguments;
    std::string output;
    bool ok = true;
    std::vector<Source> within;  // what the calls among its arguments have said
    bool ran = true;             // the tool was called; else there is none, or the arguments were wrong
    Spent spent = {};            // by a tool that asks a model
    bool rejected = false;       // by whoever was asked, by a permission, or as nobody was there: no fault of the model
    std::string note = {};       // what the model is told besides
    std::optional<tools::Display> display = {};  // for the human
    static constexpr std::string_view optional_fields[] = {"within", "ran", "spent", "rejected", "note"};
};
BOOST_DESCRIBE_STRUCT(ToolOutputEvent, (),
                      (id, tool, arguments, output, ok, within, ran, spent, rejected, note, display))

/// How a run has ended. The last three never stand in an AnswerEvent: such runs end with RunFailedEvent,
/// RunCancelledEvent or RunTimedOutEvent, and outcome_of() (steps/agents/common/outcome.hpp) says which outcome that
/// is.
enum class AnswerOutcome { answered, limit, failed, cancelled, timed_out };
BOOST_DESCRIBE_ENUM(AnswerOutcome, answered, limit, failed, cancelled, timed_out)

struct AnswerEvent : StopEvent {
    std::string response;
    std::vector<Source> sources;
    std::vector<ReasoningStep> reasoning;
    AnswerOutcome outcome = AnswerOutcome::answered;
    int steps = 0;
    models::Usage usage;
    std::string model;  // which one answered, as the provider says
    /// Of AnswerOutcome::limit, which: steps, repeated_calls, length, tokens, cost, requests, tool_calls, time
    std::string limit;
    int requests = 0;  // to the model, those that had to be made again included
    int tool_calls = 0;
    std::optional<double> cost;  // by the table of prices; none if there is no price for a model that answered
    int retries = 0;             // repeated requests
    std::vector<AllowedTool> always_allowed = {};  // allowed by an approver for the rest of the run
    static constexpr std::string_view optional_fields[] = {"limit", "requests", "tool_calls", "retries",
                                                           "always_allowed"};
};
BOOST_DESCRIBE_STRUCT(AnswerEvent, (),
                      (response, sources, reasoning, outcome, steps, usage, model, limit, requests, tool_calls, cost,
                       retries, always_allowed))

// Only streamed.

struct TurnEvent {  // the model is asked
    int step = 0;   // from 1; 0 is the closing turn
    int limit = 0;
    std::string why = {};  // of the closing turn: steps, repeated_calls, or a bound of the budget
    static constexpr std::string_view optional_fields[] = {"why"};
};
BOOST_DESCRIBE_STRUCT(TurnEvent, (), (step, limit, why))

struct ThoughtDeltaEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ThoughtDeltaEvent, (), (text))

struct ActionDeltaEvent {  // the tool's name, as soon as its line has ended
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ActionDeltaEvent, (), (text))

struct ActionInputDeltaEvent {  // as the model writes it
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ActionInputDeltaEvent, (), (text))

struct AnswerDeltaEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(AnswerDeltaEvent, (), (text))

struct ActionEvent {  // the whole action, before the tool runs
    std::string id, thought, tool;
    JsonText arguments;
    std::string note;
    models::Usage usage;  // this turn's
};
BOOST_DESCRIBE_STRUCT(ActionEvent, (), (id, thought, tool, arguments, note, usage))

struct ObservationEvent {
    std::string id, tool, text, note;
    bool ok = true;
    std::optional<tools::Display> display = {};  // for the human: the text is the model's
};
BOOST_DESCRIBE_STRUCT(ObservationEvent, (), (id, tool, text, note, ok, display))

/// What a model thought before its reply, by itself and beside the text, once the reply is there. It was streamed as
/// ThoughtDeltaEvents. It is for the human: no action is read from it, and no prompt has it.
struct ReasoningEvent {
    std::string text;
    std::int64_t tokens = 0;  // 0: the provider does not say
};
BOOST_DESCRIBE_STRUCT(ReasoningEvent, (), (text, tokens))

/// A tool says how far its call has come, or what it does (tools/tool_context.hpp).
struct ToolProgressEvent {
    std::string id, tool;
    std::optional<double> done, total;  // in any unit
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ToolProgressEvent, (), (id, tool, done, total, text))

/// Text of a reply that may be an answer or a thought before calls of tools: only its end tells which.
struct ReplyDeltaEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ReplyDeltaEvent, (), (text))

/// The oldest part of the past has no room in the prompt, and the model has summarised it.
struct PastSummaryEvent {
    std::string text;
    int exchanges = 0, turns = 0;  // of the conversation and of this run, which it replaces from now on
    models::Usage usage;
};
BOOST_DESCRIBE_STRUCT(PastSummaryEvent, (), (text, exchanges, turns, usage))

struct CallNoteEvent {  // something happened on the way to a reply
    std::string kind;   // as CallNote::Kind: retry, restart and reasoned (what was told of this reply is void), …
    std::string model, text;  // the one this is about, of a fallback the one that is asked now; and why
    std::int64_t wait_ms = 0;
};
BOOST_DESCRIBE_STRUCT(CallNoteEvent, (), (kind, model, text, wait_ms))

struct FaultEvent {  // a reply that could not be followed
    std::string error, reply;
    models::Usage usage;  // this turn's
};
BOOST_DESCRIBE_STRUCT(FaultEvent, (), (error, reply, usage))
}
