// Observers are notified of what runs do: for logs, metrics, traces and drawings.
//
//     struct Slow : Observer {
//         void step_ended(const Step& step, bool failed) noexcept override { ... step.run.id, step.name, step.worker }
//     };
//     Slow slow;
//     Engine engine({.observer = &slow});                           // of all runs, on all loops at once
//     auto run = engine.start(agent, question, {.observer = &slow});  // of this run and its children
// They are called on the loop of the run, between its steps, so slow observers delay it. They have to outlive the
// engine, or the run. With several loops, an engine's observer is called by several threads at once. Arguments are
// valid during the call only. Without an observer none of this costs anything.
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
class AnyEvent;  // engine/any_event.hpp

class Observer {
public:
    struct Run {
        std::string_view id, workflow;
        std::string_view parent;  // the id of the run that it is a child of; empty if it is none
        // Of a child: the invocation that has started it, and the operation in whose course that was; 0: in none.
        std::uint64_t parent_step = 0, parent_operation = 0;
        // RunOptions::traceparent and tracestate, of a child its parent's; empty if there is none.
        std::string_view traceparent{}, tracestate{};
        std::uint64_t epoch = 0;  // that a stored run is under; 0: it is not stored
    };
    struct Step {
        std::uint64_t number = 0;      // of the invocation within its run, from 1
        std::string_view name, event;  // the step; the event that it was given, of several the first one
        unsigned attempt = 1;          // at this event
        Run run;
        std::uint32_t worker = 0;                     // which of the step's workers it is, from 0
        std::size_t events = 1;                       // that it was given: a collector or a join may have several
        std::span<const std::string_view> emitted{};  // when it has ended: their names
        std::exception_ptr error;                     // when it has failed
    };
    /// What is known of an operation, under a name such as "gen_ai.request.model".
    struct Attribute {
        std::string_view key;
        std::variant<std::string_view, std::int64_t, double, bool, std::span<const std::string_view>> value;
    };
    /// A part of a step that is worth a time of its own: a model is asked, a tool runs (engine/operation.hpp).
    struct Operation {
        std::uint64_t number = 0;  // within its run, from 1
        std::uint64_t parent = 0;  // the operation of the same invocation in whose course it began; 0: none
        std::string_view kind;     // "chat", "execute_tool"
        std::string_view name;     // of the model, of the tool
        std::uint64_t step_number = 0;
        std::string_view step;
        Run run;
        std::span<const Attribute> attributes;  // at the end those of the beginning, too
        // When it has ended: why it failed, in a word such as "timed_out"; empty if it did not. And the exception, if
        // there was one.
        std::string_view error_type;
        std::exception_ptr error;
        // What is sent on to whom the operation talks to: those of the run, unless an observer that makes traces puts
        // its own here when the operation begins.
        std::string traceparent, tracestate;
    };
    virtual ~Observer() = default;

    /// After run_started: it waits in a queue, because its engine or its workflow is at its limit of runs at once.
    virtual void run_queued(const Run&) noexcept {}
    /// By start() or as a child; also for a run that then waits in a queue: its first step_started means that its turn
    /// has come.
    virtual void run_started(const Run&) noexcept {}
    /// It cannot go on by itself any more; what it waits for, as in its diagnosis.
    virtual void run_idle(const Run&, std::string_view waits_for) noexcept { (void)waits_for; }
    /// No code of it is executed any more. The last call about this run.
    virtual void run_ended(const Run&, RunStatus) noexcept {}
    /// A stored run has left memory and has not ended: it is idle (EngineOptions::park), was given back, its lease is
    /// over, or its store has failed. No code of it is executed any more. If it comes back, run_started is next.
    virtual void run_parked(const Run&) noexcept {}

    virtual void step_started(const Step&) noexcept {}
    virtual void step_ended(const Step&, bool failed) noexcept { (void)failed; }
    /// After step_ended: the attempt has failed, and another one follows after this time.
    virtual void step_retried(const Step&, std::chrono::nanoseconds wait) noexcept { (void)wait; }

    virtual void operation_started(Operation&) noexcept {}
    /// Before the run ends. It is the object that operation_started was given.
    virtual void operation_ended(const Operation&) noexcept {}
    /// Whether operations are to carry what was said: prompts, replies, arguments, results. If one observer of a run
    /// wants it, the others see it, too.
    virtual bool wants_content() const noexcept { return false; }

    /// It streams this event, as a child on its parent's stream; or the event is its last one, and run_ended follows. A
    /// question has the id by which the root of these runs is answered, also if a child asks it.
    virtual void event_streamed(const Run&, const AnyEvent&) noexcept {}

    /// Before event_streamed, and nothing comes between the two. The id is that of the run which asks.
    virtual void question_asked(const Run&, std::string_view question, QuestionId) noexcept { (void)question; }
    virtual void question_answered(const Run&, std::string_view question, QuestionId) noexcept { (void)question; }
};
}
