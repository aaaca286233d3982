// Looks for runs that stay as they are for long: the store has them as a process's own, and this process does not have
// them in memory, or lets them wait for its lease, which is sure.
//
//     StrayRuns strays(world, ledger, store);
//     strays.check(processes);                         // now and then: reports each such run once
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
        std::optional<std::uint64_t> done;  // number of commands before the one that waits; empty: not in memory
        Clock::Time since{};
        bool is_known = false;  // reported
    };
    std::optional<Stray> find(const storage::RunRow&, const std::vector<std::unique_ptr<Process>>&) const;
    World& world_;
    Ledger& ledger_;
    Store& store_;
    std::map<std::string, Stray> strays_;  // by run
};
}
