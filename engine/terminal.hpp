// The events that a run streams by itself, and the error of result(). engine/run_status.hpp has the last event of a run
// without a stop event.
#pragma once
#include "engine/describe.hpp"
#include "engine/error.hpp"
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

#pragma GCC visibility push(default)  // one type in all shared libraries of a program
namespace weft {
/// A run with RunOptions::tell_idle streams this each time it becomes idle: only an answer, a timeout or cancel can
/// continue it.
struct RunIdleEvent {
    std::string waits_for;  // text as in diagnosis(); empty if no question is open
};
BOOST_DESCRIBE_STRUCT(RunIdleEvent, (), (waits_for))
/// A run with RunOptions::tell_progress streams this from time to time: the numbers of settled and of begun branches,
/// also of nested fan-outs. Neither number falls. A branch with two active steps may count late. A run that returns to
/// memory counts only the open branches and later ones.
struct RunProgressEvent {
    std::uint64_t settled = 0,  // branches that have ended, of those begun
        begun = 0;              // branches so far
};
BOOST_DESCRIBE_STRUCT(RunProgressEvent, (), (settled, begun))
/// A durable run streams this when it returns to memory. Events that interrupted steps had streamed, and open
/// questions, follow again.
struct RunResumedEvent {
    std::uint64_t ticks = 0;  // number of recovered ticks
};
BOOST_DESCRIBE_STRUCT(RunResumedEvent, (), (ticks))
/// A run streams this when it begins again (Context::begin_again).
struct RunBegunAgainEvent {};
BOOST_DESCRIBE_STRUCT(RunBegunAgainEvent, (), ())
/// An answer that fits no open question. The run drops it and continues.
struct UnhandledEvent {
    std::string event;  // the answer's name
};
BOOST_DESCRIBE_STRUCT(UnhandledEvent, (), (event))

/// result() and run() throw it without a stop event. `code` is the cause's: the code of the Error that a step threw,
/// step_failed for other exceptions, timed_out, cancelled, idle.
class RunError : public Error {
public:
    RunError(Code code, const std::string& sentence, std::exception_ptr cause = nullptr)
        : Error(code, sentence), cause_(std::move(cause)) {}
    const std::exception_ptr& cause() const noexcept { return cause_; }  // the step's exception, or null

private:
    std::exception_ptr cause_;
};
/// The code and the sentence of any exception.
Code code_of(const std::exception_ptr&) noexcept;
std::string sentence_of(const std::exception_ptr&);  // its what(), as UTF-8 and without source locations
}
#pragma GCC visibility pop
