// The message of a failed run is the cause's alone if a model, a setting or the user is at fault: then the name of the
// step does not help.
#include "workflows/driver/terminal/exit_code.hpp"
#include "engine/ending.hpp"
#include "engine/store/damaged.hpp"

namespace weft::driver {
namespace {
ExitCode exit_by(Code code) noexcept {
    switch (code) {
    case Code::usage:
    case Code::bad_json: return ExitCode::usage;
    case Code::configuration: return ExitCode::configuration;
    case Code::model_unreachable:
    case Code::model_refused: return ExitCode::model;
    default: break;
    }
    const auto* ending = ending_of(code);  // null for a code that does not end a run
    return ending ? static_cast<ExitCode>(row_of(ending->status).exit_code) : ExitCode::failed;
}
/// Only errors of files and stores count. Runs and other layers pass on the system's message, but not its code.
bool tells_of_a_full_disk(const Error& error) noexcept {
    if (error.code() != Code::journal && error.code() != Code::configuration) return false;
    const std::string_view text = error.what();
    for (const auto* words :
         {"No space left on device", "no space left on its disk", "database or disk is full", "Disk quota exceeded"})
        if (text.find(words) != text.npos) return true;
    return false;
}
/// Whether a model, a setting or the user is at fault, whichever step has failed.
bool is_from_outside(Code code) noexcept {
    const auto exit = exit_by(code);
    return exit == ExitCode::usage || exit == ExitCode::configuration || exit == ExitCode::model ||
           code == Code::model_failed || code == Code::script_mismatch;
}
}

ExitCode exit_of(const Error& error) noexcept {
    return tells_of_a_full_disk(error) ? ExitCode::full : exit_by(error.code());
}
std::string sentence_for(const Error& error) {
    const auto* run = dynamic_cast<const RunError*>(&error);
    return run && run->cause() && is_from_outside(error.code()) ? sentence_of(run->cause()) : sentence_with_step(error);
}
std::string sentence_with_step(const Error& error) {
    const auto* run = dynamic_cast<const RunError*>(&error);
    if (run && error.code() == Code::cancelled) return "cancelled: the run was stopped before it had a result";
    if (run && error.code() == Code::timed_out)
        return std::string(error.what()) + "; a longer --timeout gives it more time";
    const auto* damaged = dynamic_cast<const storage::DamagedError*>(&error);
    if (damaged && !damaged->run().empty())
        return std::string(error.what()) + "; `weft prune --run " + damaged->run() +
               " --damaged`, with the same store, deletes the rest";
    return error.what();
}

std::string exit_codes() {
    std::string text =
        "Exit codes:\n"
        "  0  it worked\n"
        "  1  a mistake of weft itself\n"
        "  2  bad usage: an unknown option, tool or workflow, broken JSON, an empty question\n"
        "  3  bad configuration: no model, no key, a file that is missing or broken\n"
        "  4  the model cannot be reached, or refuses\n"
        "  5  the run failed, or the tool of `weft call`; `weft replay` has found a difference\n"
        "  6  the limit of steps or of the budget, or the same call over and over; the best answer was printed\n"
        "  7  --timeout has passed\n"
        "  8  cancelled by Ctrl-C, SIGTERM or SIGHUP; with --store the run stays, and `weft resume` continues it\n"
        "  9  standard output cannot be written to\n"
        " 10  a run with --store waits for an answer that standard input does not have: `weft answer` gives it\n"
        " 11  a disk is full: a store or a file has no room\n";
    for (const auto status : ended_statuses())
        if (const auto* ending = ending_of(status); ending && row_of(status).exit_code > int(ExitCode::full))
            (((text += ' ') += std::to_string(row_of(status).exit_code)) += "  ").append(ending->sentence) += '\n';
    return text + "After several questions, the exit code is the first that is not 0.\n";
}
}
