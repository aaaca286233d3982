// The events that agents share. The first part flows between steps; the second part is only streamed during the run,
// and a reader may skip any of it.
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

/// The scope of a summary: the first messages of the conversation, and the first steps of this run.
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
    bool closing = false;      // any reply ends the run
    bool can_shorten = false;  // a shorter prompt could leave out more of the past
    SummaryTask summary = {};  // if wanted, the messages ask for this summary
    static constexpr std::string_view optional_fields[] = {"summary"};
};
BOOST_DESCRIBE_STRUCT(InputEvent, (), (messages, sampling, max_faults, closing, can_shorten, summary))

struct ToolCallEvent {
    std::string id, tool;
    JsonText arguments;
    std::vector<InnerCall> inner;  // calls among the arguments; they run first, in this order
    Approval approval = Approval::none;
    std::string note = {};  // for the model: an edit of the arguments, or the reason for a rejection
    static constexpr std::string_view optional_fields[] = {"inner", "approval", "note"};
};
BOOST_DESCRIBE_STRUCT(ToolCallEvent, (), (id, tool, arguments, inner, approval, note))

struct ToolOutputEvent {
    std::string id, tool;
    JsonText arguments;
    std::string output;
    bool ok = true;
    std::vector<Source> within;                  // results of the calls among the arguments
    bool ran = true;                             // false: unknown tool, wrong arguments, or the call was refused
    Spent spent = {};                            // spending of a tool that asks a model
    bool rejected = false;                       // no permission or approval: not the model's fault
    std::string note = {};                       // further remark for the model
    std::optional<tools::Display> display = {};  // for the human
    static constexpr std::string_view optional_fields[] = {"within", "ran", "spent", "rejected", "note"};
};
BOOST_DESCRIBE_STRUCT(ToolOutputEvent, (),
                      (id, tool, arguments, output, ok, within, ran, spent, rejected, note, display))

/// The outcome of a run. An AnswerEvent has only the first two: other runs end with RunFailedEvent, RunCancelledEvent
/// or RunTimedOutEvent, and outcome_of() (steps/agents/common/outcome.hpp) translates them.
enum class AnswerOutcome { answered, limit, failed, cancelled, timed_out };
using Outcome [[deprecated("its name is AnswerOutcome")]] = AnswerOutcome;
BOOST_DESCRIBE_ENUM(AnswerOutcome, answered, limit, failed, cancelled, timed_out)

struct AnswerEvent : StopEvent {
    std::string response;
    std::vector<Source> sources;
    std::vector<ReasoningStep> reasoning;
    AnswerOutcome outcome = AnswerOutcome::answered;
    int steps = 0;
    models::Usage usage;
    std::string model;  // the answering model's name, from the provider
    /// For AnswerOutcome::limit: steps, repeated_calls, length, tokens, cost, requests, tool_calls or time
    std::string limit;
    int requests = 0;  // number of requests to the model, with retries
    int tool_calls = 0;
    std::optional<double> cost;  // cost by the table of prices; absent if a replying model has no price
    int retries = 0;             // repeated requests
    std::vector<AllowedTool> always_allowed = {};  // allowed by an approver for the rest of the run
    static constexpr std::string_view optional_fields[] = {"limit", "requests", "tool_calls", "retries",
                                                           "always_allowed"};
};
BOOST_DESCRIBE_STRUCT(AnswerEvent, (),
                      (response, sources, reasoning, outcome, steps, usage, model, limit, requests, tool_calls, cost,
                       retries, always_allowed))

// Streamed only:

struct TurnEvent {  // a turn begins
    int step = 0;   // number from 1; 0 is the closing turn
    int limit = 0;
    std::string why = {};  // cause of the closing turn: steps, repeated_calls, or a bound of the budget
    static constexpr std::string_view optional_fields[] = {"why"};
};
BOOST_DESCRIBE_STRUCT(TurnEvent, (), (step, limit, why))

struct ThoughtDeltaEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ThoughtDeltaEvent, (), (text))

struct ActionDeltaEvent {  // the tool's name, at the end of its line
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ActionDeltaEvent, (), (text))

struct ActionInputDeltaEvent {  // a piece of the arguments, as the model writes them
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
    std::optional<tools::Display> display = {};  // for the human; the text is for the model
};
BOOST_DESCRIBE_STRUCT(ObservationEvent, (), (id, tool, text, note, ok, display))

/// The whole reasoning of a model beside the text of its reply; ThoughtDeltaEvents have streamed it before. It is for
/// the human: no action is read from it, and no prompt has it.
struct ReasoningEvent {
    std::string text;
    std::int64_t tokens = 0;  // 0: unknown
};
BOOST_DESCRIBE_STRUCT(ReasoningEvent, (), (text, tokens))

/// A tool reports the progress of its call (tools/tool_context.hpp).
struct ToolProgressEvent {
    std::string id, tool;
    std::optional<double> done, total;  // amounts in any unit
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ToolProgressEvent, (), (id, tool, done, total, text))

/// Text of a reply that may be an answer or a thought before tool calls: only its end decides.
struct ReplyDeltaEvent {
    std::string text;
};
BOOST_DESCRIBE_STRUCT(ReplyDeltaEvent, (), (text))

/// The oldest part of the past has no room in the prompt, and the model has summarised it.
struct PastSummaryEvent {
    std::string text;
    int exchanges = 0, turns = 0;  // replaced by the summary: exchanges of the conversation, turns of this run
    models::Usage usage;
};
BOOST_DESCRIBE_STRUCT(PastSummaryEvent, (), (text, exchanges, turns, usage))

/// An incident after which the run continues.
struct WarningEvent {
    std::string text;  // a sentence for people
};
BOOST_DESCRIBE_STRUCT(WarningEvent, (), (text))

struct CallNoteEvent {        // an incident of a request, such as a retry
    std::string kind;         // a CallNote::Kind; restart and reasoned make the streamed part of the reply void
    std::string model, text;  // the model, for a fallback the next one; and the reason
    std::int64_t wait_ms = 0;
};
BOOST_DESCRIBE_STRUCT(CallNoteEvent, (), (kind, model, text, wait_ms))

struct FaultEvent {  // an unusable reply
    std::string error, reply;
    models::Usage usage;  // this turn's
};
BOOST_DESCRIBE_STRUCT(FaultEvent, (), (error, reply, usage))
}
