// Follows a run of any workflow to its end: shows what happens, asks its questions, and prints its result.
//
//     const Exit exit = follow(entry.run(setup, input, options), setup, interrupts, {.events = true});
//
// With a store a run that waits for an answer that nobody gives is left there, and so is one that is interrupted; such
// runs need RunOptions::tell_idle.
#pragma once
#include "workflows/driver/answers.hpp"
#include "workflows/driver/exit_code.hpp"

namespace weft {
class JsonRun;
}
namespace weft::catalog {
class Setup;
}
namespace weft::driver {
struct Following {
    bool events = false, quiet = false;
    Lines::Deadline deadline;  // of the run, for whoever is asked
    Inbox inbox;               // of a run that is resumed
};
/// Throws as JsonRun::result() does, and for a mistake in an answer.
Exit follow(JsonRun, catalog::Setup&, Interrupts&, Following);
}
