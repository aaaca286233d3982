// Looks for stray runs: the store has them as a process's own for long, and this process does not have them in memory.
//
//     StrayRuns strays(world, ledger, store);
//     strays.check(processes);                         // now and then: reports each stray run once
#pragma once
#include "tests/simulation/process.hpp"

namespace simulation {
class StrayRuns {
public:
    StrayRuns(World& world, Ledger& ledger, Store& store) : world_(world), ledger_(ledger), store_(store) {}
    void check(const std::vector<std::unique_ptr<Process>>&);

private:
    struct Stray {
        std::uint64_t epoch = 0;
        Clock::Time since{};
        bool is_known = false;  // reported
    };
    bool is_stray(const storage::RunRow&, const std::vector<std::unique_ptr<Process>>&) const;
    World& world_;
    Ledger& ledger_;
    Store& store_;
    std::map<std::string, Stray> strays_;  // by run
};
}
