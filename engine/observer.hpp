// Observers are notified about the work of runs: for logs, metrics, traces and drawings.
//
//     struct Slow : Observer {
//         void step_ended(const StepInfo& step, bool failed) noexcept override { ... step.run.id ... }
//     };
//     Slow slow;
//     Engine engine({.observer = &slow});                           // of all runs, on all loops at once
//     auto run = engine.start(agent, question, {.observer = &slow});  // of this run and its children
// A loop calls the observers of its runs between steps, so slow observers delay runs. Observers must outlive the
// engine, or the run. With several loops, several threads call an engine's observer at once. Arguments are valid only
// during the call. Without an observer none of this has a cost.
#pragma once
#include "engine/event.hpp"
#include "engine/terminal.hpp"
#include <chrono>
#include <exception>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace weft {
class Store;
class AnyEvent;  // engine/any_event.hpp

class Observer {
public:
    /// A run, as the calls about it describe it.
    struct RunInfo {
        std::string_view id,             // see Run::id
            workflow;                    // the workflow's name
        std::string_view parent;         // the parent run's id; empty: no parent
        std::uint64_t parent_step = 0,   // for a child: number of the parent's invocation that started it; 0: none
            parent_operation = 0;        // for a child: number of the operation that started it; 0: none
        std::string_view traceparent{},  // RunOptions::traceparent, by default the parent's; empty: none
            tracestate{};                // RunOptions::tracestate, by default the parent's; empty: none
        std::uint64_t epoch = 0;         // a stored run's epoch; 0: not stored
        Store* store = nullptr;          // the database that has a stored run (Store::shards)
    };
    struct StepInfo {
        std::uint64_t number = 0;  // the invocation's number within its run, from 1
        std::string_view name,     // the step's
            event;                 // name of its event, the first one if it has several
        unsigned attempt = 1;      // number of this attempt at the event
        RunInfo run;
        std::uint32_t worker = 0;                     // index of the step's worker, from 0
        std::size_t events = 1;                       // accepted: several for a collector or a join
        std::span<const std::string_view> emitted{};  // names of the emitted events, at the end
        std::exception_ptr error;                     // reason of a failure
    };
    /// A property of an operation, under a name such as "gen_ai.request.model".
    struct Attribute {
        std::string_view key;  // its name
        /// A text, an integer, a number, a bool or a list of texts.
        std::variant<std::string_view, std::int64_t, double, bool, std::span<const std::string_view>> value;
    };
    /// A part of a step with a time of its own, such as a model request or a tool call (engine/operation.hpp).
    struct OperationInfo {
        std::uint64_t number = 0;       // within the run, from 1
        std::uint64_t parent = 0;       // the enclosing operation of the same invocation; 0: none
        std::string_view kind;          // "chat", "execute_tool"
        std::string_view name;          // the model's or tool's
        std::uint64_t step_number = 0;  // StepInfo::number of the invocation that it belongs to
        std::string_view step;
        RunInfo run;
        std::span<const Attribute> attributes;  // at the end they include the initial ones
        std::string_view error_type;            // at the end: the kind of failure, such as "timed_out"; empty: success
        std::exception_ptr error;               // at the end: the exception, if any
        /// For requests of this operation: the run's, unless a tracing observer sets its own in operation_started.
        std::string traceparent,
            tracestate;  // like traceparent
    };
    // Names of version 0.1; like the others of [[deprecated]], they go with version 0.3.
    using Run [[deprecated("its name is RunInfo")]] = RunInfo;                    // name of version 0.1
    using Step [[deprecated("its name is StepInfo")]] = StepInfo;                 // name of version 0.1
    using Operation [[deprecated("its name is OperationInfo")]] = OperationInfo;  // name of version 0.1
    virtual ~Observer() = default;

    /// Follows run_started: the run waits in a queue, because its engine or workflow has reached its limit of
    /// concurrent runs.
    virtual void run_queued(const RunInfo&) noexcept {}
    /// By start() or as a child; also for a run that then waits in a queue. Such a run leaves the queue at its first
    /// step_started.
    virtual void run_started(const RunInfo&) noexcept {}
    /// The run waits only for answers; `waits_for` names them as in its diagnosis.
    virtual void run_idle(const RunInfo&, std::string_view waits_for) noexcept { (void)waits_for; }
    /// All code of the run has ended. The last call about this run.
    virtual void run_ended(const RunInfo&, RunStatus) noexcept {}
    /// A stored run has left memory before its end: it is idle (EngineOptions::park), was given back, its lease has
    /// expired, or its store has failed. All its code has ended. If the run returns, run_started is next.
    virtual void run_parked(const RunInfo&) noexcept {}

    /// An attempt at an event begins, the first one or a repeated one (StepInfo::attempt).
    virtual void step_started(const StepInfo&) noexcept {}
    virtual void step_ended(const StepInfo&, bool failed) noexcept { (void)failed; }
    /// The attempt sleeps until this time (Context::sleep), by this machine's clock, or until its run is cancelled.
    virtual void step_sleeps(const StepInfo&, std::chrono::sys_time<std::chrono::microseconds> until) noexcept {
        (void)until;
    }
    /// Follows step_ended: the attempt has failed, and another one follows after this time.
    virtual void step_retried(const StepInfo&, std::chrono::nanoseconds wait) noexcept { (void)wait; }

    /// The operation begins. An observer may change its traceparent and tracestate, and nothing else.
    virtual void operation_started(OperationInfo&) noexcept {}
    /// Comes before the run ends. The argument is the object that operation_started got.
    virtual void operation_ended(const OperationInfo&) noexcept {}
    /// Whether operations carry content: prompts, replies, arguments, results. If one observer of a run wants content,
    /// all its observers get it.
    virtual bool wants_content() const noexcept { return false; }

    /// The run streams this event; a child, on its parent's stream. After the terminal event run_ended follows. A
    /// question's id is valid in the root run, which takes the answer, also if a child asks.
    virtual void event_streamed(const RunInfo&, const AnyEvent&) noexcept {}

    /// Directly precedes event_streamed. The id is valid in the run that asks.
    virtual void question_asked(const RunInfo&, std::string_view question, QuestionId) noexcept { (void)question; }
    /// An answer has come to an open question; the run continues with it. The arguments are those of question_asked.
    virtual void question_answered(const RunInfo&, std::string_view question, QuestionId) noexcept { (void)question; }
};
}
