// How work ends: the codes of errors, the statuses of runs, and the last event of a run without a stop event. Each
// status has a row in engine/impl/terminal.cpp.
#pragma once
#include "engine/describe.hpp"
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)  // one type in all shared libraries of a program
namespace weft {
/// The reason of an Error, for programs.
enum class Code {
    usage,              // the caller asks for something that does not exist or does not fit
    configuration,      // a file, an option or the environment is wrong
    bad_json,           // a text or value does not fit the described struct
    step_failed,        // a step threw, and no policy or handler rescued the run
    edit_conflict,      // parallel steps changed the same slot
    idle,               // no work is left, and no answer can come
    timed_out,          // a time limit of the run, a step or a wait has passed
    cancelled,          // the run or the wait was cancelled, or its engine destroyed
    deadlock,           // a test waits for an event that can never come
    journal,            // the durable store failed
    model_unreachable,  // no connection in time
    model_refused,      // the provider refuses: key, model name, request, quota
    model_failed,       // the provider's reply is unusable: server error, broken reply
    script_mismatch,    // a scripted model got a request that its script does not expect
};
BOOST_DESCRIBE_ENUM(Code, usage, configuration, bad_json, step_failed, edit_conflict, idle, timed_out, cancelled,
                    deadlock, journal, model_unreachable, model_refused, model_failed, script_mismatch)
/// The code's name, as in logs and JSON.
std::string_view name(Code) noexcept;

/// The status of a run. Stores compare statuses by this order.
enum class RunStatus : std::uint8_t {
    ready,                                                 // stored: any engine may claim the run
    running,                                               // an engine executes the run
    waiting,                                               // stored, not in memory: for mail or a time
    done,                                                  // ended by a stop event
    failed,                                                // ended by a RunFailedEvent
    timed_out,                                             // ended by a RunTimedOutEvent
    cancelled,                                             // ended by a RunCancelledEvent
    none [[deprecated("its name is running")]] = running,  // name of version 0.1
    stopped [[deprecated("its name is done")]] = done,     // name of version 0.1
};
using Cause [[deprecated("its name is RunStatus")]] = RunStatus;  // name of version 0.1
BOOST_DESCRIBE_ENUM(RunStatus, ready, running, waiting, done, failed, timed_out, cancelled)
/// Whether the status is one of an ended run.
inline bool has_ended(RunStatus s) { return s >= RunStatus::done; }

/// The words for a status.
struct RunStatusRow {
    RunStatus status;
    std::string_view name;         // name in stores and listings
    std::string_view metric_word;  // word in logs, metrics and traces; "none" before the end
    std::string_view http_word;    // for clients of a server: one of four
    int exit_code;                 // exit code of a program that ends with this status
};
const RunStatusRow& row_of(RunStatus) noexcept;  // valid for the life of the program
/// The status with this name in stores; empty if there is none.
std::optional<RunStatus> status_named(std::string_view) noexcept;
/// The statuses of ended runs, in their order.
std::vector<RunStatus> ended_statuses();
/// The status's name, as in stores and listings.
inline std::string_view name(RunStatus s) noexcept { return row_of(s).name; }
/// Whether clients of a server get the run as failed: true for failed and timed_out.
inline bool has_failed(RunStatus s) noexcept { return row_of(s).http_word == "failed"; }
/// The status's word in logs, metrics and traces; "none" before the end.
inline std::string_view metric_word(RunStatus s) noexcept { return row_of(s).metric_word; }

/// A step failed, and neither its retry policy nor a failure handler rescued the run.
struct RunFailedEvent {
    using ends_run = void;          // marks a terminal event
    std::string step,               // the step's name; empty: no step is to blame
        error;                      // one sentence, with the reason if undoing failed, too
    Code code = Code::step_failed;  // the Error's code; step_failed for other exceptions
    unsigned attempts = 1;          // number of the step's attempts at its event
    std::exception_ptr cause;       // the step's exception; null in an event that a store has kept
    static constexpr std::string_view undescribed_fields[] = {"cause"};  // members that JSON leaves out
};
BOOST_DESCRIBE_STRUCT(RunFailedEvent, (), (step, error, code, attempts))
/// The timeout of the run, or of an ancestor, has passed.
struct RunTimedOutEvent {
    using ends_run = void;                  // marks a terminal event
    double timeout = 0;                     // seconds
    std::vector<std::string> active_steps;  // steps that ran, or waited for a worker or their next attempt
    std::string undo_error;                 // the reason why undoing failed; empty: it did not
    static constexpr std::string_view optional_fields[] = {"undo_error"};
};
BOOST_DESCRIBE_STRUCT(RunTimedOutEvent, (), (timeout, active_steps, undo_error))
/// The run has been cancelled.
struct RunCancelledEvent {
    using ends_run = void;   // marks a terminal event
    std::string undo_error;  // the reason why undoing failed; empty: it did not
    static constexpr std::string_view optional_fields[] = {"undo_error"};
};
BOOST_DESCRIBE_STRUCT(RunCancelledEvent, (), (undo_error))
}
#pragma GCC visibility pop
