// How a run ends: the last event of its stream, and what result() throws when there is no stop event.
#pragma once
#include "engine/describe.hpp"
#include "engine/error.hpp"
#include "engine/run_status.hpp"
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace weft {
/// A step failed, and neither its retry policy nor a step that accepts StepFailedEvent saved the run.
struct RunFailedEvent {
    std::string step, error;
    Code code = Code::step_failed;
    unsigned attempts = 1;
    std::exception_ptr cause;
    static constexpr std::string_view undescribed_fields[] = {"cause"};
};
BOOST_DESCRIBE_STRUCT(RunFailedEvent, (), (step, error, code, attempts))
struct RunTimedOutEvent {
    double timeout = 0;                     // seconds
    std::vector<std::string> active_steps;  // those that ran, or waited for a worker or their next attempt
};
BOOST_DESCRIBE_STRUCT(RunTimedOutEvent, (), (timeout, active_steps))
struct RunCancelledEvent {};
BOOST_DESCRIBE_STRUCT(RunCancelledEvent, (), ())
/// On the stream of a run with RunOptions::tell_idle, each time it becomes idle: then only an answer, a timeout or
/// cancel can change that.
struct RunIdleEvent {
    std::string waits_for;  // as diagnosis() says it; empty if no question is open
};
BOOST_DESCRIBE_STRUCT(RunIdleEvent, (), (waits_for))
/// On the stream of a run with RunOptions::tell_progress, now and then: how many branches of its fan-outs have settled,
/// and how many have begun, those of fan-outs within fan-outs too. Neither number falls. A branch that two steps are at
/// work in may count late. A run that goes on after it was out of memory counts the branches that are open, and later
/// ones.
struct RunProgressEvent {
    std::uint64_t settled = 0, begun = 0;
};
BOOST_DESCRIBE_STRUCT(RunProgressEvent, (), (settled, begun))
/// On the stream of a durable run that goes on after it was out of memory. What steps that were at work have streamed,
/// and questions that are open, come again behind it.
struct RunResumedEvent {
    std::uint64_t ticks = 0;  // that its state was made of
};
BOOST_DESCRIBE_STRUCT(RunResumedEvent, (), (ticks))
/// An answer that fits no open question. It is dropped; the run goes on.
struct UnhandledEvent {
    std::string event;  // its name
};
BOOST_DESCRIBE_STRUCT(UnhandledEvent, (), (event))

/// Thrown by result() and run() when there is no stop event. `code` is that of the cause: of the Error that a step
/// threw, step_failed for other exceptions, timed_out, cancelled, idle.
class RunError : public Error {
public:
    RunError(Code code, const std::string& sentence, std::exception_ptr cause = nullptr)
        : Error(code, sentence), cause_(std::move(cause)) {}
    const std::exception_ptr& cause() const noexcept { return cause_; }  // what the step threw, or null

private:
    std::exception_ptr cause_;
};
/// The code and the sentence of any exception.
Code code_of(const std::exception_ptr&) noexcept;
std::string sentence_of(const std::exception_ptr&);
}
