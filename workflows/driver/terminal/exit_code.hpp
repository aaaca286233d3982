// How the driver reports errors: exit codes and sentences. The codes are part of its interface: docs/exit_codes.md and
// `weft --help` list them.
#pragma once
#include "engine/error.hpp"
#include <string>

namespace weft::driver {
enum class ExitCode {
    ok = 0,
    internal = 1,       // a mistake of weft itself
    usage = 2,          // a wrong command line, or wrong input
    configuration = 3,  // no model, no key, a file that is missing or broken
    model = 4,          // the model cannot be reached, or refuses
    failed = 5,         // the run or the tool failed
    limit = 6,          // the answer is the best one within the limit of steps
    timed_out = 7,
    cancelled = 8,
    output = 9,    // standard output cannot be written to
    waiting = 10,  // a stored run waits for an answer, and the input has none
    full = 11,     // a disk has no room for a store or a file
};
ExitCode exit_of(const Error&) noexcept;
/// The message for the user: without the step's name if the workflow is not at fault.
std::string sentence_for(const Error&);
/// The message for debugging: with the name of the failed step.
std::string sentence_with_step(const Error&);

/// The table that --help shows.
std::string exit_codes();
}
