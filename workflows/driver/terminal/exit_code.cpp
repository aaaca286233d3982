// The sentence of a failed run is the cause's own if a model, a setting or the user is to blame: then the step that met
// it says nothing of use.
#include "workflows/driver/terminal/exit_code.hpp"
#include "engine/ending.hpp"
#include "engine/store/damaged.hpp"

namespace weft::driver {
namespace {
Exit exit_by(Code code) noexcept {
    switch (code) {
    case Code::usage:
    case Code::bad_json: return Exit::usage;
    case Code::configuration: return Exit::configuration;
    case Code::model_unreachable:
    case Code::model_refused: return Exit::model;
    default: break;
    }
    const auto* ending = ending_of(code);  // of a run that has ended that way; else whatever has gone wrong has failed
    if (ending && ending->counts_as == Cause::timed_out) return Exit::timed_out;
    if (ending && ending->counts_as == Cause::cancelled) return Exit::cancelled;
    return Exit::failed;
}
/// Only errors of files and stores count. A run and other layers pass the words of the system on, and not its code.
bool tells_of_a_full_disk(const Error& error) noexcept {
    if (error.code() != Code::journal && error.code() != Code::configuration) return false;
    const std::string_view text = error.what();
    for (const auto* words :
         {"No space left on device", "no space left on its disk", "database or disk is full", "Disk quota exceeded"})
        if (text.find(words) != text.npos) return true;
    return false;
}
/// A model, a setting or a user is to blame, whichever step came upon it.
bool is_from_outside(Code code) noexcept {
    const auto exit = exit_by(code);
    return exit == Exit::usage || exit == Exit::configuration || exit == Exit::model || code == Code::model_failed ||
           code == Code::script_mismatch;
}
}

Exit exit_of(const Error& error) noexcept { return tells_of_a_full_disk(error) ? Exit::full : exit_by(error.code()); }
std::string sentence_for(const Error& error) {
    const auto* run = dynamic_cast<const RunError*>(&error);
    return run && run->cause() && is_from_outside(error.code()) ? sentence_of(run->cause()) : sentence_with_step(error);
}
std::string sentence_with_step(const Error& error) {
    const auto* run = dynamic_cast<const RunError*>(&error);
    if (run && error.code() == Code::cancelled) return "cancelled: the run was stopped before it had a result";
    if (run && error.code() == Code::timed_out)
        return std::string(error.what()) + "; begun with a longer --timeout, it has more time";
    const auto* damaged = dynamic_cast<const storage::DamagedError*>(&error);
    if (damaged && !damaged->run().empty())
        return std::string(error.what()) + "; `weft prune --run " + damaged->run() +
               " --damaged`, with the same store, deletes what is left of it";
    return error.what();
}

const char* const exit_codes =
    "Exit codes:\n"
    "  0  it worked\n"
    "  1  a mistake of weft itself\n"
    "  2  bad usage: an unknown option, tool or workflow, broken JSON, an empty question\n"
    "  3  bad configuration: no model, no key, a file that is missing or broken\n"
    "  4  the model cannot be reached, or refuses\n"
    "  5  the run failed, or the tool of `weft call`; `weft replay` has found a difference\n"
    "  6  the limit of steps or of the budget, or the same call over and over; the best answer was printed\n"
    "  7  --timeout has passed\n"
    "  8  cancelled, by Ctrl-C or SIGTERM; with --store the run stays there, and `weft resume` goes on with it\n"
    "  9  standard output cannot be written to\n"
    " 10  a run with --store waits for an answer that standard input does not have: `weft answer` gives it\n"
    " 11  a disk is full: a store or a file has no room\n"
    "Of several questions, the first code that is not 0.\n";
}
