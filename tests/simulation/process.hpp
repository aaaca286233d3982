// A process of the simulated world: an engine on one machine, with a connection to the store.
#pragma once
#include "engine/core/loop/admission.hpp"
#include "engine/impl/engine_parts.hpp"
#include "tests/simulation/databases.hpp"
#include "tests/simulation/schedules.hpp"
#include "tests/simulation/served_logs.hpp"

namespace simulation {
using Graphs = std::vector<std::shared_ptr<const Graph>>;

/// Begins an engine with one loop. The name, unique in its world, decides all that is random in other engines: its
/// owners, the seed of its loop, and the database that it claims from first. The options need a clock.
void begin_engine(core::EngineParts&, const std::string& name, const EngineOptions&, const Runtime&);

class Process {
public:
    struct Setup {
        std::string name;  // unique in the history
        Duration lease = std::chrono::seconds(2);
        std::uint32_t snapshot_every = 16;
        std::chrono::microseconds date_difference{0};
        const ScheduleSet* schedules = nullptr;  // that the process offers, with their runs
    };
    Process(World&, Databases&, Ledger&, ToldEvents&, const Graphs&, const Setup&);
    /// The process dies: its connection breaks, and all that it has in memory is gone.
    ~Process();
    Process(const Process&) = delete;
    void start(const std::shared_ptr<const Graph>&, std::uint64_t value, const RunOptions&,
               std::function<void(const std::exception_ptr&)> stored);
    void leave();  // as for SIGTERM: gives its runs back; destroy it later
    bool is_leaving() const { return parts_->leaving; }
    ServedLogs& logs() { return *logs_; }
    const std::string& name() const { return name_; }
    std::string owner_of(const std::string& run) const { return site_.owner(run); }  // its name as the run's owner
    bool has(const std::string& run) const { return parts_->loops.front()->find(run).has_value(); }
    /// If a command of the run waits for a lease that is sure, the number of commands before it; else empty.
    std::optional<std::uint64_t> waits_for_sure_lease(const std::string& run) const;
    /// A number for the state of the run in memory; 0: the process does not have it.
    std::uint64_t state_of(const std::string& run) const;
    void disturb_until(Clock::Time at) { disturbed_until_ = std::max(disturbed_until_, at); }
    Clock::Time disturbed_until() const { return disturbed_until_; }  // by outages that it survives
    Machine& machine() { return machine_; }
    const std::vector<std::unique_ptr<Link>>& links() { return links_; }  // to each database
    MachineClock& clock() { return clock_; }

private:
    std::uint64_t find_epoch(const std::string& run) const;  // 0: another process has the run
    Machine machine_;
    MachineClock clock_;
    std::vector<std::unique_ptr<Link>> links_;
    std::unique_ptr<ShardedStore> store_;
    Site site_;
    const std::string name_;
    std::unique_ptr<ServedLogs> logs_;
    Clock::Time disturbed_until_{};
    std::optional<weft::schedule::Schedules> schedules_;
    std::vector<std::string> claimed_;
    std::unique_ptr<core::EngineParts> parts_;
};
/// A number for the state of a run in the store and in the memory of its owner.
std::uint64_t state_of(const storage::RunRow&, const std::vector<std::unique_ptr<Process>>&);
}
