// One client for each run. It reads the events of the run at any process that has them, until it has the last one.
#pragma once
#include "tests/simulation/process.hpp"

namespace simulation {
class EventClients {
public:
    EventClients(World& world, Ledger& ledger) : world_(world), ledger_(ledger) {}
    void add(const std::string& run) { clients_.emplace_back(new EventClient{.run = run}); }
    /// Clients without a server, also since the death of theirs, turn to any process.
    void serve(std::vector<std::unique_ptr<Process>>&);
    bool have_all() const;
    void judge();

private:
    World& world_;
    Ledger& ledger_;
    std::vector<std::shared_ptr<EventClient>> clients_;
};
}
