// A process of the simulated world: an engine on one machine, with a connection to the store.
#pragma once
#include "engine/core/loop/admission.hpp"
#include "engine/impl/engine_parts.hpp"
#include "tests/simulation/databases.hpp"
#include "tests/simulation/schedules.hpp"
#include "tests/simulation/site.hpp"

namespace simulation {
using Graphs = std::vector<std::shared_ptr<const Graph>>;

class Process {
public:
    struct Setup {
        std::string name;  // unique in the history
        Duration lease = std::chrono::seconds(2);
        std::uint32_t snapshot_every = 16;
        std::chrono::microseconds date_difference{0};
        const ScheduleSet* schedules = nullptr;  // that the process offers, with their runs
    };
    Process(World&, Databases&, Ledger&, const Graphs&, const Setup&);
    /// The process dies: its connection breaks, and all that it has in memory is gone.
    ~Process();
    Process(const Process&) = delete;
    void start(const std::shared_ptr<const Graph>&, std::uint64_t value, const RunOptions&,
               std::function<void(const std::exception_ptr&)> stored);
    void leave();  // as for SIGTERM: gives its runs back; destroy it later
    bool is_leaving() const { return parts_->leaving; }
    Machine& machine() { return machine_; }
    const std::vector<std::unique_ptr<Link>>& links() { return links_; }  // to each database
    MachineClock& clock() { return clock_; }

private:
    Machine machine_;
    MachineClock clock_;
    std::vector<std::unique_ptr<Link>> links_;
    std::unique_ptr<ShardedStore> store_;
    Site site_;
    std::optional<weft::schedule::Schedules> schedules_;
    std::vector<std::string> claimed_;
    std::unique_ptr<core::EngineParts> parts_;
};
}
