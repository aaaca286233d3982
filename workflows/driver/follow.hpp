// Follows a run of any workflow to its end: shows what happens, asks its questions, and prints its result.
//
//     const Exit exit = follow(entry.run(setup, input, options), setup, interrupts, {.events = true});
//
// With a store a run that waits for an answer that nobody gives is left there, and so is one that is interrupted; such
// runs need RunOptions::tell_idle.
#pragma once
#include "workflows/driver/exit_code.hpp"
#include "workflows/driver/lines.hpp"
#include <cstdint>
#include <set>

namespace weft {
class JsonRun;
}
namespace weft::catalog {
class Setup;
}
namespace weft::driver {
struct Following {
    bool events = false, quiet = false;
    std::optional<Lines::Clock::time_point> deadline;  // of the run, for whoever is asked
    std::set<std::uint64_t> answered;                  // questions whose answers are in the inbox
};
/// Throws as JsonRun::result() does, and for a mistake in an answer.
Exit follow(JsonRun, catalog::Setup&, Interrupts&, const Following&);
}
