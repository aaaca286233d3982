// One history: processes, callers and faults under one seed, and what the oracles say of it.
#pragma once
#include "tests/simulation/site.hpp"

namespace simulation {
struct Verdict {
    std::vector<std::string> faults;  // empty: the history keeps all promises
    Statistics counts;
    std::uint64_t trace = 0;           // equal for equal histories
    std::set<std::uint64_t> states;    // of runs: of their rows and of their owners
    std::uint64_t outside = 0;         // number of events from outside
    std::vector<std::string> journal;  // what happened from outside: faults, starts and mails, with their times
};
/// The value of the stop event of a run that begins with this value, in a world without faults; empty: the run fails.
std::optional<std::uint64_t> value_without_faults(const Graph&, std::uint64_t value);
/// Reports a result of the run that differs from the one without faults.
void compare(Ledger&, const std::string& run, const Graph&, std::uint64_t value, const storage::RunRow&);
/// `skips`: numbers of outside events that do not happen, to shorten a failing history.
Verdict play(std::uint64_t seed, const std::set<std::uint64_t>& skips = {});
}
