// Keeps a loop's stored runs in step with their store and the engine's lease. The keeper writes each tick, hands it to
// the store, and holds its commands back until the store has answered. In the last third of the lease nothing begins.
// When the lease is over, the runs leave memory, and the keeper writes nothing, as they may have another owner.
//
//     keeper.apply(log, {Input::stored});              // decides by the run's machine, and carries out the commands
//     keeper.demand_lease(run);                        // throws while the lease is in doubt
#pragma once
#include "engine/core/loop/run_core.hpp"
#include "engine/core/wait/timers.hpp"
#include "engine/durable/machine.hpp"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace weft {
class Store;
struct RunOptions;
}
namespace weft::core {
class Lease;
class RunLog;
struct Track;
struct LoopSettings;

/// The id that the options give to a stored run; empty: made from the run's number. Throws Error{usage}.
std::string stored_id(const Definition&, const RunOptions&);

class Keeper {
public:
    Keeper(LoopCore&, const Runtime&, const LoopSettings&);
    void close();                            // the loop closes
    Store* store() const { return store_; }  // null: the loop stores no run
    Lease& lease() const { return *lease_; }

    // Ticks and records:
    void begin_log(RunCore&, const RunOptions&);
    void leave_log(RunCore&);
    void take(RunCore&, const Tick&, Slots* edits);           // store, commit, reduce
    void prepare(RunCore&, const Tick&, const Slots* edits);  // the tick's record, which may throw
    void prepare_finished(StepCall&, const Slots* edits);
    void note_retry(Track&, const std::exception_ptr&, Clock::Time due, Clock::Time first) const;
    void take_late(RunCore&);                                  // what came before the store's answer
    bool waits_for_store(RunCore&, bool begins_a_step) const;  // the run's next command
    void note_idle(RunCore&);                                  // in the store, for listings
    /// Calls `tell`, on this loop, when all that has come to the run is stored, or with the error that prevents it.
    void when_stored(RunCore&, std::function<void(const std::exception_ptr&)> tell);

    /// Decides by the run's machine, and carries out the commands, except those that need more than the log: these are
    /// the caller's. `error`: the reason of a refusal.
    durability::DurableCommands apply(RunLog&, durability::Input, const std::exception_ptr& error = nullptr);
    void store_answered(RunLog&, const std::exception_ptr&, bool fenced);

    // The lease:
    /// Whether nothing of the run may begin until a heartbeat is answered.
    bool is_in_doubt(const RunLog&) const;
    bool is_in_doubt(const RunCore&) const;
    void demand_lease(RunCore&);  // throws, and the run leaves memory, if the lease is in doubt
    void watch_lease();           // until no stored run is left
    void lease_renewed();
    void drop_lapsed();

    // Runs that leave memory, and stay in the store:
    void leave(RunCore&);
    void leave_all();
    void park_idle();  // idle runs without a handle, until mail or their time comes
    /// Starts no step of a stored run any more; each of these runs leaves memory when none of its steps is running.
    /// Then calls `drained`.
    void drain(std::function<void()> drained);
    void leave_still();  // during drain(): the runs without a running step leave memory

private:
    struct LeaseTimer : Timer {
        Keeper* keeper = nullptr;
    };
    void take_stored(RunCore&, const Tick&, Slots* edits);
    void carry_out(RunLog&, durability::DurableCommand, const std::exception_ptr&);
    void go_on(RunLog&);
    void refuse(RunLog&, const std::exception_ptr&);
    bool park(RunCore&);  // false: the run does not rest, or has a handle
    void leave_or_park(RunCore&);

    LoopCore& loop_;
    Store* const store_;
    const std::uint32_t snapshot_every_;  // ticks
    const std::shared_ptr<Lease> lease_;
    std::function<void()> drained_;  // during drain()
    LeaseTimer lease_timer_;
};
}
